"""What was learned, as text, tables and pages: `importance_text` and `importance_page`."""

__all__ = ["importance_page", "importance_text", "search_text"]
