"""Hostile texts in exports and pages: a sample of those that `python -m tests.hostile` tries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, browser
from tests.hostile import (
    COMMAND,
    HARMLESS,
    SCRIPTS,
    check_drawings,
    check_formats,
    check_page,
    check_report,
    check_workbench,
    commands_of,
    shown,
    texts,
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def test_the_checks_see_what_breaks_out(page: Browser, tmp_path: Path) -> None:
    """A page that is not safe is noticed, so that these tests can fail."""
    path = tmp_path / "unsafe.html"
    path.write_text(f"<!doctype html><p>{SCRIPTS[0]}", encoding="utf-8")
    with pytest.raises(AssertionError):
        check_page(page, path.as_uri())
    assert commands_of("\\input{x}") == ["\\input", "{", "}"]
    assert COMMAND.findall("a%b")


def test_formats_have_the_shape_that_harmless_words_give() -> None:
    for start in range(0, 160, 20):
        check_formats(texts(160)[start : start + 20])
    assert HARMLESS in shown("latex", [HARMLESS])


def test_drawings_and_pages_run_nothing(page: Browser, tmp_path: Path) -> None:
    check_drawings(page, tmp_path, texts(120))


def test_the_page_of_a_suite_runs_nothing(page: Browser, tmp_path: Path) -> None:
    check_report(page, tmp_path, texts(100))


def test_the_workbench_runs_nothing(page: Browser) -> None:
    check_workbench(page, texts(40))
