"""How quick the page is that runs wholly in the browser: `python -m tests.bench.page PAGE SMALL_PAGE`."""
