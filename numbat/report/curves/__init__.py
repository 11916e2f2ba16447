"""How something grows with something else: the time of parses with their words, fragments with the granularity.

`timing_text` and `granularity_text` write tables, `granularity_page` a page; `plot` draws over logarithmic axes.
"""

__all__ = ["granularity_page", "granularity_text", "timing_text"]
