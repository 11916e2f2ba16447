"""`python -m numbat`, and what the installed commands run."""

import sys


def main() -> None:
    """Run the command line; it is told of an interrupt in one line also while its modules are still being loaded."""
    try:
        from numbat.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("numbat: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
