"""Speed of the page without a server: `python -m tests.bench.page PAGE SMALL_PAGE`."""
