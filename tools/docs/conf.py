"""Sphinx reads this; the pages lie beside it, put there by `build.py`."""

project = "Numbat"
author = "The Numbat authors"
copyright = "The Numbat authors"
extensions = ["myst_parser"]
smartquotes = False
html_theme = "furo"
html_title = "Numbat"
html_static_path = ["_static"]
html_css_files = ["numbat.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
myst_heading_anchors = 6
myst_links_external_new_tab = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
exclude_patterns = ["_build"]


def setup(app: object) -> None:
    """Adds the lexer of the notation, which is not known by name where Numbat is not installed."""
    from numbat.editor.colours import NumbatLexer

    app.add_lexer("pg", NumbatLexer)  # type: ignore[attr-defined]
