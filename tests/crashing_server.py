"""A language server in which a request for folding ranges meets a bug: `python -m tests.crashing_server`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from numbat.editor import answers, relay

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

serve_well = relay.serve


def serve(connection: Connection, log: str | None) -> None:
    answers.folds = _fold  # type: ignore[assignment]
    serve_well(connection, log)


def _fold(document: object) -> None:
    raise RuntimeError("out of order")


if __name__ == "__main__":
    from numbat.__main__ import main

    relay.serve = serve
    sys.argv = ["numbat", "lsp"]
    main()
