"""The table of medians and ratios after a benchmark run: `python -m pytest tests/bench -n0`."""

from __future__ import annotations

import pytest

from tests.bench.measuring import RECORDS, table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if RECORDS:
        terminalreporter.section("medians of a sentence, side by side")
        for line in table():
            terminalreporter.write_line(line)
