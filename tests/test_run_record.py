"""The record of a run: its contents, and that two runs in two places write the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import ValidationError

from numbat import load_grammar
from numbat.errors import UsageError
from numbat.grammar.digest import digest, lexicon_digest
from numbat.runs.record import (
    FileDigest,
    GrammarDigests,
    RunRecord,
    date_of_run,
    difference,
    digest_of,
    digest_of_text,
    name_of,
    run_line,
)
from numbat.version import __version__
from tests.command_line import Numbat
from tests.noun_phrases import GRAMMAR
from tests.test_parse_record import VALIDATOR

SUITE = "id\tsentence\trating\n" + "".join(
    f"{number}.{place}\t{sentence}\t{rating + number / 10}\n"
    for number in range(6)
    for place, (sentence, rating) in enumerate((("the cat", 5), ("cat the", 2), ("the odd cat", 4), ("odd the cat", 1)))
)


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def filled(folder: Path) -> Path:
    folder.mkdir()
    (folder / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (folder / "s.tsv").write_text(SUITE, encoding="utf-8")
    (folder / "j.tsv").write_text("id\tjudgement\tsentence\n1\tok\tthe cat\n2\t*\tcat the\n", encoding="utf-8")
    (folder / "lines.txt").write_text("the cat\ncat the\n", encoding="utf-8")
    return folder


RUNS = (
    ("report", "s.tsv", "-g", "g.pg", "--html", "r.html", "--csv", "tables", "--latex", "r.tex", "-m", "all"),
    ("report", "s.tsv", "-g", "g.pg", "-f", "json", "--group-by-id", "1"),
    ("learn", "costs", "s.tsv", "-g", "g.pg", "-o", "m.tsv", "--folds", "3", "--group-by-id", "1"),
    ("importance", "m.tsv", "--on", "s.tsv", "-g", "g.pg", "-f", "json", "--html", "i.html"),
    ("importance", "m.tsv", "--on", "s.tsv", "-g", "g.pg"),
    ("report", "s.tsv", "-g", "g.pg", "-m", "m.tsv", "-m", "local"),
    ("compare", "g.pg", "g.pg", "s.tsv", "--html", "c.html"),
    ("ablate", "s.tsv", "-g", "g.pg"),
    ("test", "j.tsv", "-g", "g.pg"),
    ("test", "j.tsv", "-g", "g.pg", "-f", "json"),
    ("coverage", "j.tsv", "-g", "g.pg"),
    ("parse", "the cat", "cat the", "-g", "g.pg", "-f", "json", "-o", "lines.json"),
    ("parse", "-i", "lines.txt", "-g", "g.pg", "-f", "html", "-o", "lines.html"),
)


def in_place(path: str, folder: Path) -> str:
    """Return a file name relative to a folder, or as seen from elsewhere."""
    return str(folder / path) if Path(path).suffix or path == "tables" else path


def test_two_runs_in_two_places_write_the_same_bytes(
    numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one folder files are named from there, in the other by whole paths; no folder is in any output."""
    here, there = filled(tmp_path / "here"), filled(tmp_path / "there")
    monkeypatch.chdir(here)
    said = [numbat(*run, "-q") for run in RUNS]
    monkeypatch.chdir(tmp_path)
    again = [numbat(*(in_place(word, there) for word in run), "-q") for run in RUNS]
    assert [done.code for done in said] == [0] * len(RUNS), [done.err for done in said]
    assert [done.out for done in said] == [done.out for done in again]
    written = sorted(path.relative_to(here) for path in here.rglob("*") if path.is_file())
    assert len(written) == 4 + 4 + 6 + 1 + 3
    for path in written:
        content = (here / path).read_bytes()
        assert content == (there / path).read_bytes(), path
        assert str(tmp_path).encode() not in content


def test_a_record_has_all_that_a_result_was_made_with(
    numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path / "here")
    monkeypatch.chdir(folder)
    found = json.loads(numbat("report", "s.tsv", "-g", "g.pg", "-f", "json", "--seed", "7", "--weights", "equal").out)
    run = found["run"]
    grammar = load_grammar("g.pg")
    assert {name: run[name] for name in ("version", "verb", "date", "seed", "resamples")} == {
        "version": __version__,
        "verb": "report",
        "date": "2026-01-01T00:00:00Z",
        "seed": 7,
        "resamples": None,
    }
    assert run["grammars"] == {
        "--grammar": {"name": grammar.name, "digest": digest(grammar), "lexicon": lexicon_digest(grammar)}
    }
    assert run["files"] == {
        "SUITE": {"name": "s.tsv", "digest": digest_of("s.tsv")},
        "--model": {"name": "cost", "digest": ""},
    }
    assert run["options"]["--weights"] == "equal"
    assert not {"--jobs", "--html", "--csv", "--quiet"} & set(run["options"])
    text = numbat("report", "s.tsv", "-g", "g.pg", "--seed", "7").out.splitlines()[-1]
    assert text == (
        f"run: numbat {__version__} report; grammar {grammar.name or 'without name'} {digest(grammar)[:8]} "
        f"(lexicon {lexicon_digest(grammar)[:8]}); s.tsv {digest_of('s.tsv')[:8]}; cost; seed 7; 2026-01-01T00:00:00Z"
    )


def test_parses_have_the_record_of_their_run(numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in JSON, by the schema, and read back as without it; of lines of JSON the last has it, for all of them."""
    monkeypatch.chdir(filled(tmp_path / "here"))
    for options in ((), ("--compact",)):
        asked = ("parse", "-g", "g.pg", "the cat", "cat/the", *options)
        parses = json.loads(numbat(*asked, "-f", "json").out)
        record = parses[0]["run"]
        assert [each.pop("run") for each in parses] == [record] * 2
        assert (record["verb"], record["options"]["--compact"]) == ("parse", bool(options))
        typed = {"name": "2 sentences", "digest": digest_of_text("the cat\ncat/the")}
        assert record["files"] == {"SENTENCES": typed}
        *lines, last = map(json.loads, numbat(*asked, "-f", "jsonl").out.splitlines())
        assert lines == parses
        form = {"--format": "jsonl"}
        assert last == {"schema": "numbat.run/1", "run": {**record, "options": {**record["options"], **form}}}
        VALIDATOR.validate({**parses[0], "run": record})
        with pytest.raises(ValidationError):
            VALIDATOR.validate({**parses[0], "run": {**record, "folder": "/home"}})


def test_another_input_is_another_record(tmp_path: Path) -> None:
    here, there = filled(tmp_path / "here"), filled(tmp_path / "there")
    assert digest_of(str(here)) == digest_of(str(there))
    (there / "s.tsv").write_text("sentence\nthe cat\n", encoding="utf-8")
    assert digest_of(str(here)) != digest_of(str(there))
    digests = (FileDigest("s.tsv", digest_of(str(folder / "s.tsv"))) for folder in (here, there))
    one, other = (RunRecord("report", files={"SUITE": each}) for each in digests)
    assert difference(one.asked(), other.asked()) == "what SUITE names"
    assert name_of("/home/someone/s.tsv") == "s.tsv"
    assert name_of("folder/") == "folder"
    assert name_of("-") == "-"


def test_a_lexicon_has_a_digest_of_its_own() -> None:
    grammar = load_grammar("anbn")
    found = GrammarDigests.from_grammar(grammar)
    assert found.digest != found.lexicon
    assert run_line(RunRecord("report", {"--grammar": found}, seed=0, date="2026-11-23")) == (
        f"numbat {__version__} report; grammar anbn {found.digest[:8]} (lexicon {found.lexicon[:8]}); seed 0; "
        "2026-11-23"
    )


def test_the_date_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert date_of_run() == "1970-01-02T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError) as error:
        date_of_run()
    assert str(error.value) == (
        'SOURCE_DATE_EPOCH is "yesterday"\n  set it to a number of seconds since 1970, or unset it'
    )
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert date_of_run() > "2026"
