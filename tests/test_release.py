"""The parts of `tools.release`: files that contain the version, checks before a release, commands of the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from numbat.version import __version__
from tools import release
from tools.release import (
    CHANGELOG,
    PLACES,
    ROOT,
    Place,
    ReleaseError,
    changed,
    check_version,
    checksums,
    first_commands,
    problems_of,
    section_of,
    tag_text,
    texts_of,
    told,
)

CHANGES = "# Changelog\n\n## [Unreleased]\n\n### A\n\n- [a](docs/a.md) is `b`.\n\n## [1.0.0] - 2026-01-01\n\n- old\n"


def test_all_places_tell_the_version_and_one_date() -> None:
    texts = texts_of(ROOT)
    assert {told(place, texts) for place in PLACES if not place.is_date} == {__version__}
    (day,) = {told(place, texts) for place in PLACES if place.is_date}
    assert f"\n## [{__version__}] - {day}\n" in texts[CHANGELOG]


def test_a_version_is_written_into_all_places_and_nowhere_else() -> None:
    texts = texts_of(ROOT)
    new = changed(texts, "99.1.0", "2099-12-31")
    assert {told(place, new) for place in PLACES} == {"99.1.0", "2099-12-31"}
    assert "\n## [Unreleased]\n\n## [99.1.0] - 2099-12-31\n\n" in new[CHANGELOG]
    for name, text in texts.items():
        removed = set(text.splitlines()) - set(new[name].splitlines())
        assert len(removed) == sum(place.file == name for place in PLACES)
    assert texts == texts_of(ROOT)


def test_a_place_that_is_not_there_is_told() -> None:
    with pytest.raises(ReleaseError) as error:
        told(Place("a.toml", "^v = (.*)$"), {"a.toml": "v = 1\nv = 2\n"})
    assert str(error.value) == (
        "a.toml: 2 lines are like ^v = (.*)$, and one has to be\n"
        "  put the line right there, or the pattern in tools/release.py"
    )


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.3", '"1.3" is no version\n  give three numbers, as in 1.2.0'),
        ("v1.3.0", '"v1.3.0" is no version\n  give three numbers, as in 1.2.0'),
        ("1.2.3", "1.2.3 does not follow 1.2.3\n  give 1.2.4, 1.3.0 or 2.0.0"),
        ("1.4.0", "1.4.0 does not follow 1.2.3\n  give 1.2.4, 1.3.0 or 2.0.0"),
    ],
)
def test_a_version_follows_the_present_one(version: str, message: str) -> None:
    for right in ("1.2.4", "1.3.0", "2.0.0"):
        check_version(right, "1.2.3")
    with pytest.raises(ReleaseError) as error:
        check_version(version, "1.2.3")
    assert str(error.value) == message


def test_the_tag_has_the_section_of_the_changelog() -> None:
    section = section_of(CHANGES)
    assert tag_text("1.1.0", section) == "Numbat 1.1.0\n\nA\n\n- a is `b`.\n"
    with pytest.raises(ReleaseError) as error:
        section_of("# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n\n- old\n")
    assert str(error.value) == "CHANGELOG.md: nothing stands under [Unreleased]\n  write there what a user notices"


def test_the_first_commands_of_the_readme_parse() -> None:
    commands = first_commands((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(commands) == release.COMMANDS
    for command, printed in commands:
        assert re.fullmatch(r'numbat parse( "[^"]+")+', command)
        assert "full parse: cost" in printed


def test_what_was_not_built_and_what_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (
        "numbat_pg-1.1.0-cp311-abi3-linux_x86_64.whl",
        "numbat_pg-1.1.0.tar.gz",
        "numbat_pg_models-1.1.0-py3-none-any.whl",
        "numbat_pg_models-1.1.0.tar.gz",
    )
    for name in names:
        (tmp_path / name).write_bytes(b"1234")
    files = [tmp_path / name for name in names]
    monkeypatch.setattr(release, "MOST_BYTES", 3)
    assert problems_of(files, "1.1.0") == [
        "the wheel without compiled modules was not built",
        f"{names[0]} has 4 bytes, 3 are allowed: look what has come into it",
    ]
    digest = "03ac674216f3e15c761ee1a5e255f067953623c8b388b4459e13f978d7c846f4"
    assert checksums(files[:1]) == [f"{digest}  {names[0]}"]


def test_a_wrong_version_ends_before_anything_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["1.0"]) == 1
    assert capsys.readouterr().err == 'no release: "1.0" is no version\n  give three numbers, as in 1.2.0\n'
