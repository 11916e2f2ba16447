"""Entry point of `python -m numbat` and of the installed commands."""

import gc
import os
import sys
from contextlib import suppress

RARE_COLLECTION = 100_000
"""New objects between two runs of the garbage collector: a parse makes few cycles."""


def main() -> None:
    """Run the command line; an interrupt prints one line, also while modules are still loading."""
    _leave_out_the_current_folder()
    gc.set_threshold(RARE_COLLECTION)
    try:
        from numbat.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("numbat: interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: skip a last collection


def _leave_out_the_current_folder() -> None:
    """Keep the current folder off the import path: its files may be untrusted.

    `python -m` and new Python processes put it first. If Numbat itself is in it, the folder goes last, so that
    nothing in it replaces an installed module.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    here = {""}
    with suppress(FileNotFoundError):  # the folder was deleted
        here.add(os.getcwd())
    sys.path[:] = [folder for folder in sys.path if folder not in here]
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if package not in sys.path:
        sys.path.append(package)


if __name__ == "__main__":
    main()
