"""Caches of included grammars: a grammar on top of one is the same as if all its files were read again."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from lark import Lark
from lark.lexer import TerminalDef

from numbat import files, load_grammar
from numbat.authoring.checking import judged
from numbat.grammar import cache, constructions, included, line_parser, notation
from numbat.grammar.digest import digest
from numbat.grammar.loading import LoadedGrammar, read_grammar
from numbat.grammar.model import Construction
from numbat.grammar.names import ASCII_NAME, NAME

FILES = {
    "words.tsv": (
        "# form\nthe\tDet\ncat\tN\tnumber=sg\nsleep\tV\nsleep\tN\neat\ttrans(acc)\nred\tAdj\nof course\tAdj\n"
        "run\tV\t\t2\n"
    ),
    "lower.pg": """\
leaves: Det, N, V, Adj
features:
    number: sg, pl; art: def
    gap: yes, no; obj: acc, dat
template trans(x): V[obj=$x]
types:
    Nominal: N, NP
all linearity cost 3
relation first_of(B, C) for each B, C: index(B) < index(C)
AP:
    uniq Adj
    all uniqueness cost 4
lexicon_file: "words.tsv"
tokens:
    suffix "'s"
""",
    "base.pg": """\
grammar: base
include: "lower.pg"
profile short: without H4
roots: S
NP "noun phrase":
    head N
    gap = no if no Det
    number from N, Det
    oblig N
    uniq {Det, N}
    Det < N if AP
    Det[def] x N[no number]
    AP < N or N + AP
    first_of(Det, N) weight 2
    N[number=$x] => Det[number=$x]
    Adj ~> mother [number]
Sub like NP:
    without uniq Det
    N! cost 7
S:
    inherit none
    uniq VP
    Nominal < VP
    VP => NP
VP:
    const {V, NP, AP}
    uniq V
    AP x V if NP
    V[obj=acc] => NP
override AP: uniq Adj weight 3
without NP: first_of(Det, N)
without word red
guess:
    "*s": N[number=pl]
lexicon:
    dog: N[sg]; the: Adj
    run: N[number=pl] weight .5 lemma run
    give, lend: trans(dat), N
""",
}
EDITS = (
    "override NP: Det < N if AP cost 9",
    "override NP: Det < N if AP cost 8 weight 2",
    "without NP: uniq Det",
    "without NP: gone(Det)",
    "without word run: V",
    "without word the",
    "without word blick",
    "all linearity cost 5",
    "all linearity weight -5",
    "all * cost 6",
    "profile mine like short: election all",
    "profile short: without H5",
    "all requirement weight 3\nall exclusion cost 2 hard\nall first_of cost 3",
    "all uniqueness weight 2",
    "lexicon:\n    wug: N[sg], V; the: Det[art=def]",
    "lexicon:\n    the: Det",
    "lexicon:\n    of course: V; sleep: X",
    "NP:\n    Adv + N\nleaves: Adv",
    "NP:\n    all linearity cost 1\n    V x N",
    "AP:\n    all uniqueness cost 6",
    "Sub:\n    Det + N",
    "New like NP:\n    N => AP",
    "New:\n    uniq New\n    Nominal + NP[gap=yes] if V",
    "features:\n    case: nom, acc",
    "features:\n    case: sg, du",
    "features:\n    def: a",
    "features:\n    number: sg",
    "types:\n    Nominal: V",
    "types:\n    Head: N, V",
    "semantics:\n    uniqueness: silent",
    "semantics:\n    missing: clashes",
    "relation first_of(B) for each B: count(B) = 1",
    "relation last_of(B) for each B: last(B)",
    "leaves: NP",
    "roots: NP",
    "language: en",
    'tokens:\n    suffix "\'s", "\'d"',
    'guess:\n    "*ed": V',
    "VP:\n    Det << N",
    'include: "more.pg"',
    'include: "more.pg"\noverride AP: uniq Adj cost 8\nall linearity cost 4',
    'include: "more.pg"\nall linearity weight 7\nVP:\n    const PP',
    "template trans(y): V[obj=$y]",
    "template ditr: V[obj=dat], N\nlexicon:\n    show: ditr; nap: trans(acc); lend: trans(acc)",
    "lexicon:\n    eat: trans(acc); give: trans(dat)[number=sg]; lend: V[obj=dat]",
    "without word eat: trans(acc)",
    "without word give: trans(dat)",
    "without word lend: V",
    "without word give: N",
    "leaves: trans",
    "NP:\n    Det ~> mother [number]\n    head Det",
    "override NP: Adj ~> mother [number] cost 6",
    "without Sub: Adj ~> mother [number]",
    "Sub:\n    number from Det",
    "VP:\n    const NP[gap=yes]\n    V < NP[gap=yes]",
    "VP like AP:",
    'NP like AP "another title":',
    "override AP: uniq Adj hard",
    "override S: uniq VP weight 2; VP => NP cost 3",
)
MORE = """\
leaves: Num
all linearity cost 6
override AP: uniq Adj cost 7
without word dog
lexicon:
    two: Num; cat: Num
NP:
    Num < N
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a grammar to include; however small, it is kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBAT_CACHE", str(tmp_path / "cached"))
    monkeypatch.setattr(included, "MIN_BYTES", 0)
    for name, text in {**FILES, "more.pg": MORE}.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def anew(name: str) -> LoadedGrammar:
    """Read a grammar without anything that is kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBAT_CACHE", "off")
        return read_grammar(Path(name))


def assert_equal(found: LoadedGrammar, expected: LoadedGrammar) -> None:
    assert found.errors == expected.errors
    assert found.files == expected.files
    assert [*found.files] == [*expected.files]
    assert found.grammar == expected.grammar
    assert found.grammar.files == expected.grammar.files
    if not expected.errors:
        assert digest(found.grammar) == digest(expected.grammar)
        assert cache.encode(found.grammar.constructions) == cache.encode(expected.grammar.constructions)


def warnings(loaded: LoadedGrammar) -> list[str]:
    return list(map(str, judged(Path("mine.pg"), loaded).warnings))


def test_a_grammar_on_top_of_what_is_kept_is_the_one_that_its_files_give(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembering = SimpleNamespace(parse=functools.cache(line_parser._lark(False).parse))  # which takes most of the time
    monkeypatch.setattr(line_parser, "_lark", lambda is_ascii: remembering)
    rng = Random(11)
    assert anew("base.pg").errors == ()
    for number in range(len(EDITS) + 12):
        edits = [EDITS[number]] if number < len(EDITS) else rng.sample(EDITS, rng.randint(2, 4))
        whole = "base.pg" if number % 5 < 3 else rng.choice(("base.pg/NP", "base.pg/VP", "base.pg/lexicon"))
        edits.insert(rng.randint(0, len(edits)) if number % 4 == 3 else 0, f'include: "{whole}"')
        Path("mine.pg").write_text("\n".join(edits) + "\n", encoding="utf-8")
        if number % 9 == 8:
            with Path("words.tsv").open("a", encoding="utf-8") as file:
                file.write(f"w{number}\tN\n")
        assert_equal(found := read_grammar(Path("mine.pg")), expected := anew("mine.pg"))
        assert number % 8 or warnings(found) == warnings(expected)


@pytest.mark.parametrize(
    ("edit", "again"),
    [
        ("override AP: uniq Adj cost 9", ["AP"]),
        ("override NP: N! cost 9", ["NP", "NP", "Sub"]),
        ("lexicon:\n    wug: N", []),
        ("New:\n    uniq NP", []),
        ("features:\n    case: nom, gen", []),
        ("features:\n    case: yes, acc", ["AP", "NP", "NP", "S", "Sub", "VP"]),
        ("all linearity cost 9", ["AP", "NP", "NP", "Sub"]),  # in which something is changed
    ],
)
def test_only_constructions_that_an_edit_may_change_are_built_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, edit: str, again: list[str]
) -> None:
    load_grammar(_mine("leaves: Num"))
    built: list[str] = []
    make = constructions._construction

    def counted(*arguments: Any) -> Construction:
        made = make(*arguments)
        built.append(made.name)
        return made

    monkeypatch.setattr(constructions, "_construction", counted)
    load_grammar(_mine(edit))
    assert sorted({*built} - {"New"}) == sorted({*again})


def _mine(edit: str) -> str:
    Path("mine.pg").write_text(f'include: "base.pg"\n{edit}\n', encoding="utf-8")
    return "mine.pg"


def test_what_is_kept_is_used_while_no_file_has_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_grammar(_mine("leaves: Num"))
    read: list[str] = []
    parse = notation.parse

    def counted(line: notation.LogicalLine, *arguments: Any) -> Any:
        read.append(line.span.path)
        return parse(line, *arguments)

    monkeypatch.setattr(notation, "parse", counted)
    load_grammar(_mine("leaves: Num, Prt"))
    assert {*read} == {"mine.pg"}
    with Path("lower.pg").open("a", encoding="utf-8") as file:
        file.write("# a comment\n")
    read_grammar(Path(_mine("leaves: Num")))
    assert {*read} == {"mine.pg", "base.pg", "lower.pg"}


def test_what_is_spoiled_is_read_anew(folder: Path) -> None:
    load_grammar(_mine("override NP: N! cost 9"))
    expected = anew("mine.pg")
    (file,) = [each for each in (folder / "cached").glob("base-*") if b'"places"' in each.read_bytes()]
    content = files.kept(file)
    assert content is not None
    header, *sections = content.split(b"\0")
    record = json.loads(header)
    wrong: list[object] = [None, [], {}, *({**record, key: value} for key in record for value in (None, {"a": 1}))]
    spoiled = [b"\0".join((json.dumps(each).encode(), *sections)) for each in wrong]
    for each in (*spoiled, b"\0".join((header, *sections[1:])), header, b"", b"\xff"):
        files.keep(file, each)
        assert_equal(read_grammar(Path("mine.pg")), expected)


def test_a_part_that_is_no_grammar_by_itself_or_is_small_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("part.pg").write_text("NP:\n    Det < Q\n", encoding="utf-8")
    Path("whole.pg").write_text('include: "part.pg"\nleaves: Det, Q\n', encoding="utf-8")
    assert len(load_grammar("whole.pg").properties) == 1
    monkeypatch.setattr(included, "MIN_BYTES", 10_000)
    load_grammar(_mine("leaves: Num"))
    assert {each.name.partition("-")[0] for each in (folder / "cached").iterdir()} <= {"whole", "mine", "notation"}


@pytest.mark.parametrize(("is_ascii", "name"), [(True, ASCII_NAME), (False, NAME)])
def test_the_tables_of_the_notation_are_kept(folder: Path, is_ascii: bool, name: str) -> None:
    stated = Path(line_parser.__file__).with_name("notation.lark").read_text(encoding="utf-8").replace("{NAME}", name)
    direct = Lark(stated, parser="lalr", start=line_parser._STARTS, propagate_positions=True)
    for content in (None, None, b'{"data": {}}'):
        if content is not None:
            files.keep(next((folder / "cached").iterdir()), content)
        parser = line_parser._lark.__wrapped__(is_ascii)
        for text, start in (("NP: Det < N cost 9; N! if A", "top"), ('"a b": N[x=y|z, no w]', "lexicon_line")):
            assert parser.parse(text, start=start) == direct.parse(text, start=start)
        assert sorted(map(_traits, parser.terminals)) == sorted(map(_traits, direct.terminals))


def _traits(terminal: TerminalDef) -> tuple[object, ...]:
    pattern = terminal.pattern
    return terminal.name, terminal.priority, pattern.min_width, pattern.max_width, sorted(pattern.flags)
