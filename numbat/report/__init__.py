"""The report room: parses, grammars and suites as people look at them, in terminal, browser, LaTeX and tables."""
