"""`python -m numbat`."""

from numbat.cli import main

main()
