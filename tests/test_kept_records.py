"""Records that are kept in files: with one field more they are read, with a field of a later version refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import numbat.corpus.stored
import numbat.learning.state_files
import numbat.parses.verbs
import numbat.runs.journal
from numbat.corpus import Store
from numbat.corpus.stored import StoredSentence, stored_sentence
from numbat.corpus.writing import StoreWriter
from numbat.errors import DataError, UsageError
from numbat.experiments.rerun import rerun
from numbat.learning.state_files import StateFile
from numbat.parses.job import ParseFacts
from numbat.parses.parts import parts_of
from numbat.parses.verbs import NotedSentence, noted_in
from numbat.parsing.analysis import Outcome
from numbat.records import frozen
from numbat.reports.run_notes import SentenceRemarks
from numbat.runs.journal import Journal
from numbat.runs.record import FileDigest, RunRecord
from numbat.settings import mapping_of, record_of
from numbat.structure.estimation import Schedule
from numbat.structure.grid import Candidate, Condition, Judged, Tried
from numbat.structure.model import no_counts
from numbat.structure.state_files import GridState
from numbat.treebanks.scores import Attachments, SentenceScore
from numbat.version import __version__
from tests.corpora import sentences, starter, write_store
from tests.test_journal import ASKED, NOTED

LATER: Final = "99.0.0"
WROTE: Final = f"version {LATER} of Numbat wrote it, not {__version__}"


# Records and their objects


class Mark(NamedTuple):
    sign: str
    often: int = 1


@frozen
class Word:
    form: str
    marks: tuple[Mark, ...] = ()
    known: Mapping[str, Any] = field(default_factory=dict)
    cost: float | None = None


@frozen
class Sentence:
    first: Word
    number: int = 0
    mark: Mark = field(default=Mark("!"), metadata={"inlined": ("sign", "often")})


@pytest.mark.parametrize(
    ("record", "value"),
    [
        (Word("a"), {"form": "a"}),
        (Word("a", (Mark("?"), Mark("!", 2))), {"form": "a", "marks": [{"sign": "?"}, {"sign": "!", "often": 2}]}),
        (Word("a", (), {"b": [None]}, 0.5), {"form": "a", "known": {"b": [None]}, "cost": 0.5}),
        (Sentence(Word("a"), mark=Mark("?")), {"first": {"form": "a"}, "sign": "?"}),
    ],
)
def test_a_record_is_an_object_without_defaults(record: Any, value: object) -> None:
    assert mapping_of(record) == value
    assert record_of(type(record), json.loads(json.dumps(value)), "it") == record


def test_a_list_of_an_earlier_version_is_a_named_tuple() -> None:
    assert record_of(Mark, ["?", 3], "it") == Mark("?", 3)
    assert record_of(Mark, ["?"], "it") == Mark("?")
    for value, told in (([], 'it lacks the field "sign"'), (["?", 1, 2], "it is not a list of 2 values")):
        with pytest.raises(UsageError, match=told):
            record_of(Mark, value, "it")


# Journals


class LaterFacts(NamedTuple):
    """The facts of a version to come."""

    is_full: bool
    is_well_formed: bool
    is_limited: bool
    seconds: float
    states: int
    cost: int = 0
    mood: str = "calm"


@frozen
class LaterNoted(NotedSentence):
    """The entry of a version to come."""

    facts: LaterFacts | None = None  # type: ignore[assignment]
    tone: str = "low"


class LaterDone(NamedTuple):
    """The line of a version to come."""

    length: int
    kept: Any
    sum: int | None = None
    hour: int = 12


FACTS: Final = ParseFacts(True, False, False, 0.25, 7, 2000)
PRESENT: Final = NotedSentence(
    "in.txt:1",
    facts=FACTS,
    remarks=SentenceRemarks("in.txt:1", guessed={"nouns": ("cat",)}, guesses=1, words=2),
    score=SentenceScore("in.txt:1", 2, labels=(("NP", 1, 1, 1),)),
)


def begun(path: str, record: RunRecord, *lines: object) -> None:
    """Begin a run, as a version to come may have, which wrote these lines."""
    Journal.begin(path, record, resume=False).abandon()
    with open(f"{path}.journal", "a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(each)}\n" for each in lines)


@pytest.mark.parametrize("line", [{"length": 0, "kept": mapping_of(PRESENT)}, [0, NOTED], [0, NOTED, 0]])
def test_a_journal_goes_on_with_records_of_more_fields(
    line: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "out")
    begun(path, ASKED, line)
    assert list(noted_in(resumed(path))) == [PRESENT]
    monkeypatch.setattr(numbat.parses.verbs, "NotedSentence", LaterNoted)
    monkeypatch.setattr(numbat.runs.journal, "Done", LaterDone)
    was = LaterNoted("in.txt:1", False, False, LaterFacts(*FACTS), PRESENT.remarks, PRESENT.score)
    grim = replace(was, facts=LaterFacts(*FACTS, mood="grim"), tone="high")
    again = Journal.begin(path, ASKED, resume=True)
    assert list(noted_in(again)) == [was]
    again.note(mapping_of(grim))
    again.abandon()
    assert list(noted_in(resumed(path))) == [was, grim]


def resumed(path: str, record: RunRecord = ASKED) -> Journal:
    journal = Journal.begin(path, record, resume=True)
    journal.abandon()
    return journal


KEPT: Final = mapping_of(PRESENT)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"length": 0, "kept": KEPT | {"mood": "grim"}}, f'its sentence has no field "mood": {WROTE}'),
        (
            {"length": 0, "kept": KEPT | {"facts": KEPT["facts"] | {"mood": "grim"}}},
            f'its sentence.facts has no field "mood": {WROTE}',
        ),
        ({"length": 0, "kept": None, "mood": 1}, f'it has no field "mood": {WROTE}'),
    ],
)
def test_a_line_of_a_later_version_is_refused(line: object, told: str, tmp_path: Path) -> None:
    path, later = str(tmp_path / "out"), replace(ASKED, version=LATER)
    begun(path, later, line)
    with pytest.raises(UsageError) as error:
        list(noted_in(resumed(path, later)))
    assert str(error.value) == (
        f"{path}.journal:2: {told}\n  resume with that version, or remove {path}.journal to start again"
    )


@pytest.mark.parametrize(
    ("name", "lacking"), [("", "id"), ("facts", "states"), ("remarks", "id"), ("score", "words"), ("score", "id")]
)
def test_what_a_line_lacks_is_named(name: str, lacking: str, tmp_path: Path) -> None:
    path, kept = str(tmp_path / "out"), json.loads(json.dumps(KEPT))
    del (kept[name] if name else kept)[lacking]
    begun(path, ASKED, {"length": 0, "kept": kept})
    with pytest.raises(UsageError) as error:
        list(noted_in(resumed(path)))
    assert str(error.value) == (
        f"{path}.journal:2: this journal of a run is damaged: its sentence{name and '.'}{name} lacks the field "
        f'"{lacking}"\n  remove {path}.journal to start again'
    )


RUN: Final = replace(ASKED, files={"--input": FileDigest("in.txt", "ab")}, seed=3).as_json()
ANEW: Final = "remove {0}.journal to start again"


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (
            {"run": RUN | {"version": LATER}, "mood": 1},
            f'its first line has no field "mood": {WROTE}\n  resume with that version, or {ANEW}',
        ),
        (
            {"run": RUN | {"version": LATER, "mood": 1}},
            f'its run has no field "mood": {WROTE}\n  resume with that version, or {ANEW}',
        ),
        ({}, f'this journal of a run is damaged: its first line lacks the field "run"\n  {ANEW}'),
        ({"run": 3}, f"this journal of a run is damaged: its first line.run is not an object\n  {ANEW}"),
        (
            {"run": {"verb": "parse"}},
            f'this journal of a run is damaged: its run lacks the field "version"\n  {ANEW}',
        ),
    ],
)
def test_a_header_that_is_none_of_this_version_is_refused(header: Mapping[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    value = {"format": "numbat.journal/3", "asked": ASKED.asked(), **header}
    (tmp_path / "out.journal").write_text(f"{json.dumps(value)}\n")
    with pytest.raises(UsageError) as error:
        resumed(str(path))
    assert str(error.value) == f"{path}.journal:1: {told.format(path)}"


def test_a_run_of_another_version_is_refused_before_its_lines_are_read(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    begun(path, replace(ASKED, version=LATER), {"what": "ever"})
    with pytest.raises(UsageError) as error:
        resumed(path)
    assert str(error.value) == (
        f"{path}.journal: Numbat {LATER} began this run, but this is {__version__}\n"
        "  resume with that version, or remove this file to start again"
    )


# Run records


@frozen
class LaterRun(RunRecord):
    """The record of a version to come."""

    mood: str = "calm"


def test_a_run_record_comes_back_from_json() -> None:
    assert RunRecord.from_json(RUN, "it").as_json() == RUN
    short = {"version": "0.1", "verb": "parse"}
    assert LaterRun.from_json(short, "it") == LaterRun("parse", version="0.1")
    assert LaterRun.from_json(LaterRun("x", mood="grim").as_json(), "it") == LaterRun("x", mood="grim")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"version": LATER, "mood": 1}, f'its run has no field "mood": {WROTE}'),
        ({"seed": "x"}, "its run.seed is not a whole number"),
    ],
)
def test_a_published_record_of_a_later_version_is_refused(
    changed: Mapping[str, Any], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "record.json"
    about = {"schema": "numbat.experiment/1", "run": {**RUN, **changed}, "command": ["report"], "files": {}}
    path.write_text(json.dumps(about))
    with pytest.raises(DataError) as error:
        rerun(str(path))
    assert str(error.value) == f"{path}: {told}\n  numbat report SUITE --folder DIRECTORY writes record.json"


def test_a_part_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "part.1"
    about = {"format": "numbat.shard/2", "options": {"the version of Numbat": LATER}, "mood": 1}
    (tmp_path / "part.1.shard").write_text(json.dumps(about))
    with pytest.raises(DataError) as error:
        parts_of([str(path)])
    assert str(error.value) == (
        f'{path}.shard: this is not the manifest of a part of a run: it has no field "mood": {WROTE}\n'
        "  make the part again: numbat parse --shard K/N"
    )


# Stores


@frozen
class LaterOutcome(Outcome):
    """The outcome of a version to come."""

    mood: str = "calm"


def later(outcome: Outcome, mood: str) -> LaterOutcome:
    return LaterOutcome(**{name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}, mood=mood)


def test_a_store_goes_on_with_records_of_more_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, record = tmp_path / "x.db", RunRecord("parse", version=LATER)
    parses = [each.parse for each in sentences()]
    write_store(path, sentences())
    with monkeypatch.context() as patched:
        patched.setattr(numbat.corpus.stored, "Outcome", LaterOutcome)
        patched.setattr(numbat.corpus.stored, "StoredSentence", LaterStored)
        patched.setattr("numbat.corpus.reading.StoredSentence", LaterStored)
        grim = replace(parses[0], outcome=later(parses[0].outcome, "grim"))
        writer = StoreWriter(str(path), "parse", "now")
        writer.begin_run(starter().grammar, record)
        writer.add(stored_sentence(grim, "y:1", {}))
        writer.finish_run()
        writer.close()
        with Store(path) as store:
            assert [each.outcome for each in store.parses(1)] == [later(each.outcome, "calm") for each in parses]
            assert [each.outcome for each in store.parses(2)] == [grim.outcome]
            assert {row.stored.hour for row in store.sentences(2)} == {12}  # type: ignore[attr-defined]
    number = len(parses) + 1
    with Store(path) as store:
        assert list(store.parses(1)) == parses
        assert len(list(store.query("N", run=2))) > 0
        with pytest.raises(DataError) as error:
            list(store.parses(2))
        assert str(error.value) == (
            f'{path}: sentence {number} of this store cannot be read: its outcome has no field "mood": {WROTE}\n'
            "  queries still work; to read its parses use that version, or parse the corpus again"
        )


class LaterStored(NamedTuple):
    """The stored sentence of a version to come."""

    name: str
    text: str
    length: int
    cost: int
    full: bool
    stopped_by: str | None
    metadata: str
    manner: str
    fragments: int
    trees: int
    rounds: int
    log_likelihood: float | None
    best_cost: int | None
    rest: str | None
    categories: Any
    starts: Any
    lengths: Any
    ups: Any
    below: Any
    features: Any
    whats: Any
    hour: int = 12


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ({"mood": 1}, f'cannot be read: it has no field "mood": version {__version__} of Numbat wrote it, not '),
        ({"rank": "x"}, "is damaged: it.rank is not a whole number\n  make the store again"),
        ({"lattice": [[], []]}, "is damaged: it.lattice is not a list of 5 values\n  make the store again"),
    ],
)
def test_a_rest_that_is_none_is_told(rest: object, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    write_store(path, sentences()[:1])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sentence SET rest = ?", (json.dumps(rest),))
    connection.close()
    with Store(path) as store, pytest.raises(DataError) as error:
        list(store.parses())
    assert str(error.value).startswith(f"{path}: sentence 1 of this store {told}")


def test_what_a_store_has_of_a_sentence_is_as_it_was() -> None:
    """The columns of version 0.23.0, even if records have changed."""
    stored = stored_sentence(sentences()[8].parse, "x", {})
    assert isinstance(stored, StoredSentence)
    assert json.loads(stored.manner) == ["exact", "default", "per-construction", "relaxation", 1.0]
    assert json.loads(stored.rest or "") == {"guessed": "1", "lexical": {"0": 1098612}}


# States of learning


class LaterCandidate(NamedTuple):
    """The candidate of a version to come."""

    value: float
    iterations: int
    judged: tuple[Judged, ...]
    mood: str = "calm"


@frozen
class LaterLine:
    """The line of a version to come."""

    condition: str
    candidates: tuple[LaterCandidate, ...]
    best: tuple[numbat.structure.state_files._Best, ...]


CONDITION: Final = Condition("uniform", Schedule("locality", (0.0,)))
ABOUT: Final[dict[str, object]] = {"sentences": "s"}


def grid_state(path: str) -> Tried:
    judged = Judged(-3.5, None), Judged(-4.25, Attachments(4, 4, 2, 3))
    tried = Tried((Candidate(CONDITION, 0.0, 12, judged),), ((0, no_counts(2)),))
    GridState(path, ABOUT, 2).add(tried)
    return tried


def test_a_grid_goes_on_with_records_of_more_fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.state"
    tried = grid_state(str(path))
    head, line = path.read_text().splitlines()
    weights = list(json.loads(line)["best"][0]["weights"].values())
    before = {"condition": CONDITION.id, "candidates": [[0.0, 12, [[-3.5, None], [-4.25, [4, 4, 2, 3]]]]]}
    for state in (line, json.dumps(before | {"best": [[0, weights]]})):  # the second as version 0.23.0 wrote it
        path.write_text(f"{head}\n{state}\n")
        for kind in (numbat.structure.state_files._Line, LaterLine):
            monkeypatch.setattr(numbat.structure.state_files, "_Line", kind)
            found = GridState(str(path), ABOUT, 2, resume=True).found(CONDITION)
            assert found is not None
            assert found.candidates == tried.candidates
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("more", "told"),
    [({"mood": "grim"}, f'has no field "mood": {WROTE}'), ({"iterations": None}, 'lacks the field "iterations"')],
)
def test_a_grid_of_a_later_version_is_refused(more: Mapping[str, Any], told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.state"
    grid_state(str(path))
    head, line = map(json.loads, path.read_text().splitlines())
    head["numbat"] = LATER
    candidate = line["candidates"][0] | more
    line["candidates"] = [{name: value for name, value in candidate.items() if value is not None}]
    path.write_text(f"{json.dumps(head)}\n{json.dumps(line)}\n")
    for _ in range(2):  # the first one has not made it a state of this version
        with pytest.raises(DataError) as error:
            GridState(str(path), ABOUT, 2, resume=True).found(CONDITION)
        assert str(error.value) == (
            f"{path}: not a state of learning: its line.candidates[0] {told}, in the line of {CONDITION.id}\n"
            "  leave --resume out to start again"
        )
    path.write_text(f"{json.dumps(head | {'mood': 1})}\n")
    with pytest.raises(DataError) as error:
        GridState(str(path), ABOUT, 2, resume=True)
    assert str(error.value) == (
        f"{path}: the state of another run: mood is unknown here: {WROTE}\n"
        "  repeat its settings, or leave --resume out to start again"
    )


class Unlearned:
    """A learner that learns nothing."""

    def columns(self) -> dict[str, list[Any]]:
        return {}

    def restore(self, read: object) -> None:
        pass


def test_a_state_without_a_setting_has_its_default(tmp_path: Path) -> None:
    path, learner = str(tmp_path / "x.state"), Unlearned()
    StateFile(path).write(learner, {"penalty": 0.1}, 3, False)  # type: ignore[arg-type]
    now = {"penalty": 0.1, "mood": "calm"}
    state = StateFile(path, True, defaults={"mood": "calm"})
    assert state.restore(learner, now) == (3, False)  # type: ignore[arg-type]
    for about, told in (
        (now | {"mood": "grim"}, "mood was calm, now grim"),
        ({}, f"penalty is unknown here: version {__version__} of Numbat wrote it, not {__version__}"),
    ):
        with pytest.raises(DataError) as error:
            StateFile(path, True, defaults={"mood": "calm"}).restore(learner, about)  # type: ignore[arg-type]
        assert str(error.value) == (
            f"{path}: the state of another run: {told}\n  repeat its settings, or leave --resume out to start again"
        )
