"""Files of judged and rated sentences, read as suites.

`files` tells them apart by their content: tables (`delimited` cuts them into cells, `columns` says what they are
called, `cells` reads a row, `rows` all of them), `json_lines` and results of `pcibex`.
"""

__all__ = ["columns", "files", "rows"]
