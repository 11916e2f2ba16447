"""`python -m numbat`, and what the installed commands run."""

import gc
import os
import sys

RARE_COLLECTION = 100_000
"""New objects between two runs of the garbage collector: few of those of a parse are garbage in cycles."""


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
        gc.freeze()  # the process ends, and the interpreter need not look for garbage once more


def _leave_out_the_current_folder() -> None:
    """Keep the current folder off the import path: its files may be untrusted.

    `python -m` puts it first among the folders of modules, and so does each new process of Python. Where Numbat itself
    lies there it goes last, so that nothing in it takes the place of what is installed.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    here = {"", os.getcwd()}
    sys.path[:] = [folder for folder in sys.path if folder not in here]
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if package not in sys.path:
        sys.path.append(package)


if __name__ == "__main__":
    main()
