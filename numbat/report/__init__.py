"""The report room: a parse as people look at it, in the terminal, in HTML and as SVG."""
