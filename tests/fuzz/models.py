"""The kinds of models and of files that Numbat keeps: changed in their bytes, in their headers, in their numbers."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Final

from numbat import TreebankParser, load_grammar, parse_grammar
from numbat.errors import DataError
from numbat.files import keep, kept
from numbat.grammar.cache import SECTION
from numbat.grammar.model import Grammar
from numbat.labels.tagger import Tagger
from numbat.labels.token_files import Sample
from numbat.parses.job import ParseFacts
from numbat.parses.verbs import NotedSentence, noted_in
from numbat.parsing.parser import Parser
from numbat.parsing.preferences import format_preferences, read_preferences
from numbat.parsing.result import Parse
from numbat.parsing.tree_model.scoring import TreeWeights, packed_weights, read_weights
from numbat.parsing.treebank_grammar.expansions import read_expansions
from numbat.reports.run_notes import SentenceRemarks
from numbat.runs.journal import Done, Journal, header_line, journal_line
from numbat.runs.record import GrammarDigests, RunRecord
from numbat.settings import mapping_of
from numbat.structure.estimation import Schedule
from numbat.structure.grid import Candidate, Condition, Judged, Tried
from numbat.structure.model import packed_model, read_model
from numbat.structure.state_files import GridState
from numbat.treebanks.scores import Attachments
from numbat.treebanks.ud_maps import read_ud_map
from numbat.words.typed import read_tagged
from tests.fuzz import valid
from tests.fuzz.kinds import UNCHANGED, parser_of_sentences, text_kind
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.runner import Kind, Made
from tests.fuzz.valid import ROOT
from tests.structure_model import small_model

ASKED: Final = RunRecord("parse", {"--grammar": GrammarDigests("g", "abc", "def")}, options={"--format": "jsonl"})
SAMPLES: Final = [
    Sample((("the",), ("cat",), ("sleeps",)), ("D", "N", "V")),
    Sample((("a",), ("dog",)), ("D", "N")),
    Sample((("old",), ("dogs",), ("sleep",)), ("A", "N", "V")),
]
TREE_GRAMMAR: Final = """\
leaves: DT, NN, NNS, JJ, IN, VBZ, VBP
roots: S
S: NP < VP
NP: DT < NN
VP: oblig VBZ | VBP
PP: uniq IN
"""
EXPANSIONS: Final = """\
# numbat expansions/1
1	NP^PP	DT NN
1	NP^S	DT NN
1	NP^S	NNS
1	NP^VP	DT JJ NN
1	PP^VP	IN NP^PP
2	S^TOP	NP^S VP^S
1	VP^S	VBP PP^VP
1	VP^S	VBZ NP^VP
"""


def packed_kind(name: str, file: str, content: Callable[[], bytes], lines: int, read: Callable[[str], object]) -> Kind:
    """A kind of files that begin with lines, the last of them JSON, before numbers that are packed by zlib."""

    def write(rng: Random, folder: Path) -> Made:
        whole = content()
        is_changed = rng.random() >= UNCHANGED
        if is_changed:
            whole = _changed_model(rng, whole, lines)
        (folder / file).write_bytes(whole)
        return "mutated" if is_changed else "valid"

    return Kind(name, write, lambda rng, folder: read(str(folder / file)), prepare=content, file=file)


def _changed_model(rng: Random, content: bytes, lines: int) -> bytes:
    way = rng.random()
    if way < 0.3:
        return mutated(rng, content)
    *before, header, packed = content.split(b"\n", lines)
    if way < 0.8:
        value = mutated_json(rng, json.loads(header))
        return b"\n".join([*before, json.dumps(value).encode(), packed])
    try:
        numbers = zlib.decompress(packed)
    except zlib.error:
        return b"\n".join([*before, header, mutated(rng, packed)])
    return b"\n".join([*before, header, zlib.compress(_other_numbers(rng, numbers))])


def _other_numbers(rng: Random, numbers: bytes) -> bytes:
    changed = bytearray(numbers)
    for _ in range(rng.choice((1, 4, 40))):
        at = 4 * rng.randrange(max(1, len(changed) // 4))
        changed[at : at + 4] = rng.choice(
            (b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff\xff\xff\xff", rng.randbytes(4))
        )
    return bytes(changed)


@cache
def _tagger(learner: str) -> bytes:
    with NamedTemporaryFile() as file:
        Tagger.train(SAMPLES, learner, calibrate=False).save(file.name)
        return Path(file.name).read_bytes()


def _tag(path: str) -> object:
    tagger = Tagger.load(path)
    if tagger.columns < 100:
        with suppress(DataError):  # another model may allow nothing
            return tagger.label([[("the", *("x",) * (tagger.columns - 1))] * 3])
    return tagger


@cache
def _weights() -> bytes:
    rng = Random(5)
    names = tuple(str(prop) for prop in parser_of_sentences().grammar.properties)[:3]
    numbers = array("f", [rng.gauss(0, 1) for _ in range(len(names) + (1 << 8))])
    return packed_weights(TreeWeights(("expansions", "words"), names, 8, numbers))


@cache
def tree_grammar() -> Grammar:
    """A grammar of the labels of the trees."""
    return parse_grammar(TREE_GRAMMAR)


def _parse_by_expansions(rng: Random, path: str) -> object:
    expansions = read_expansions(path)
    if rng.random() < 0.3:
        parser = TreebankParser(tree_grammar(), expansions)
        return parser.parse(read_tagged("the/DT cat/NN sees/VBZ a/DT dog/NN", parser.words)).tree()
    return expansions


def _changed_json(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """A file of one value of JSON with another part, now and then with other bytes."""
    if rng.random() < 0.3:
        return mutated(rng, content, others)
    return json.dumps(mutated_json(rng, json.loads(content))).encode()


def _constant(content: Callable[[], bytes]) -> Callable[[Random], bytes]:
    return lambda rng: content()


@cache
def _parse_json() -> bytes:
    return json.dumps(parser_of_sentences().parse("the cat sleep").to_json()).encode()


PREFERENCES: Final = """\
# numbat preferences/1
# grammar: {name}
# margin: 0.3
# learned from 7 sentences of trees.conllu
0.82\tNP > Det + N
-0.75\tVP > V NP
0.50\tNP "cat" > Det "the"
0.40\ttop S
0.30\tNP[number=sg]
-0.25\tthe/Det
"""


def _preferences(rng: Random) -> bytes:
    return PREFERENCES.format(name=parser_of_sentences().grammar.name).encode()


def _prefer(rng: Random, path: str) -> object:
    """Read preferences, and show the preferred parse of a sentence."""
    parser = parser_of_sentences()
    preferences = read_preferences(path, parser.grammar)
    if not 0 <= preferences.margin < 1e9 or not all(abs(weight) < 1e10 for weight in preferences.weights.values()):
        raise AssertionError(f"a number out of range: {preferences}")
    if rng.random() < 0.1:
        again = Path(path).with_name("again.preferences")
        again.write_text(format_preferences(preferences), encoding="utf-8")
        read_preferences(str(again), parser.grammar)
        return Parser(parser.grammar, preferences=preferences).parse("the cat sees a dog").tree()
    return preferences


def _ud_map(rng: Random) -> bytes:
    lines = (ROOT / "grammars" / "english.ud").read_text(encoding="utf-8").splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return "".join(lines[at : at + rng.randint(5, 40)]).encode()


def _read_parse(rng: Random, path: str) -> object:
    text = Path(path).read_bytes()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"{path}: this is no JSON\n  write it again") from None
    return Parse.from_json(value, parser_of_sentences().grammar).tree()


def _journal() -> bytes:
    noted = NotedSentence(
        "x", False, False, ParseFacts(True, True, False, 0.5, 3), SentenceRemarks("x", guessed={"known": ["x"]})
    )
    lost = NotedSentence("y", True, True)
    lines = (journal_line(Done(length, mapping_of(each))) for length, each in ((0, lost), (4, noted)))
    return header_line(ASKED) + b"".join(lines)


def _make_journal(rng: Random, folder: Path) -> Made:
    """Write a journal of a run and its output, with changed values in one line."""
    lines = _journal().split(b"\n")
    way = rng.random()
    if way < 0.6:
        at = rng.randrange(3)
        lines[at] = json.dumps(mutated_json(rng, json.loads(lines[at]))).encode()
    content = b"\n".join(lines)
    (folder / "out.journal").write_bytes(mutated(rng, content) if 0.6 <= way < 0.9 else content)
    (folder / "out.part").write_bytes(b"abcd")
    return "valid" if way >= 0.9 else "mutated"


def _read_journal(rng: Random, folder: Path) -> object:
    journal = Journal.begin(str(folder / "out"), ASKED, resume=True)
    journal.abandon()
    return list(noted_in(journal))


def _make_kept(rng: Random, folder: Path) -> Made:
    """Write a grammar and its cache entry, with changed bytes or a changed input of its digest."""
    for old in folder.glob("*-*.kept"):
        old.unlink()
    os.environ["NUMBAT_CACHE"] = str(folder)
    (folder / "g.pg").write_bytes(valid.grammar(rng))
    for other in valid.BESIDE:
        (folder / other.name).write_bytes(other.read_bytes())
    load_grammar(str(folder / "g.pg"))
    entries = list(folder.glob("g-*.kept"))
    if not entries or rng.random() < UNCHANGED:
        return "valid"
    content = kept(entries[0])
    assert content is not None
    if rng.random() < 0.5:
        header, *lexicon = content.decode().split(SECTION)
        parts = [json.dumps(mutated_json(rng, json.loads(header))), *lexicon]
        if rng.random() < 0.3:
            place = rng.randrange(1, 4)
            parts[place] = mutated(rng, parts[place].encode()).decode(errors="replace")
        keep(entries[0], SECTION.join(parts).encode())
    else:
        entries[0].write_bytes(mutated(rng, entries[0].read_bytes()))
    return "mutated"


def _read_kept(rng: Random, folder: Path) -> object:
    """Check that the cache returns the grammar of the file; with a valid digest, any grammar will do."""
    (entry,) = [*folder.glob("g-*.kept"), None][:1]
    is_signed = entry is not None and kept(entry) is not None
    served = load_grammar(str(folder / "g.pg"))
    if not is_signed and served != parse_grammar((folder / "g.pg").read_text("utf-8"), str(folder / "g.pg")):
        raise AssertionError("another grammar is served")
    return served.lexicon


MODELS: Final = (
    packed_kind("perceptron", "t.model", lambda: _tagger("perceptron"), 2, _tag),
    packed_kind("memory", "t.model", lambda: _tagger("memory"), 2, _tag),
    packed_kind("weights", "t.weights", _weights, 2, read_weights),
    text_kind("preferences", "p.preferences", _preferences, _prefer, prepare=parser_of_sentences),
    text_kind(
        "ud-map",
        "m.ud",
        _ud_map,
        lambda rng, path: read_ud_map(path, parser_of_sentences().grammar),
        prepare=parser_of_sentences,
    ),
    text_kind("expansions", "t.exp", lambda rng: EXPANSIONS.encode(), _parse_by_expansions),
    text_kind(
        "structure",
        "d.json",
        _constant(lambda: packed_model(small_model())),
        lambda rng, path: read_model(path),
        change=_changed_json,
    ),
    text_kind(
        "parse", "p.json", _constant(_parse_json), _read_parse, places=False, prepare=_parse_json, change=_changed_json
    ),
)


@cache
def _grid() -> tuple[Condition, bytes]:
    """A condition, and the state of a grid that has tried it."""
    condition = Condition("uniform", Schedule("locality", (0.0,)))
    judged = (Judged(-3.5, None), Judged(-4.25, Attachments(4, 4, 2, 3)))
    tried = Tried((Candidate(condition, 0.0, 12, judged),), ((0, small_model().weights),))
    with TemporaryDirectory() as folder:
        state = GridState(f"{folder}/x.state", {"sentences": "s"}, 4)
        state.add(tried)
        return condition, Path(state.path).read_bytes()


def _changed_lines(rng: Random, content: bytes, others: Sequence[bytes]) -> bytes:
    """Write a file with a JSON value in each line, one of them changed; sometimes with changed bytes."""
    lines = content.splitlines()
    at = rng.randrange(len(lines))
    lines[at] = _changed_json(rng, lines[at], others)
    return b"\n".join(lines) + b"\n"


def _read_grid(rng: Random, path: str) -> object:
    return GridState(path, {"sentences": "s"}, 4, resume=True).found(_grid()[0])


KEPT: Final = (
    text_kind("grid", "x.state", _constant(lambda: _grid()[1]), _read_grid, prepare=_grid, change=_changed_lines),
    Kind("kept", _make_kept, _read_kept, places=False),
    Kind("journal", _make_journal, _read_journal, places=False, file="out.journal"),
)
