"""The exact search: a grammar compiled for one profile and valuation, and the best derivations under it."""
