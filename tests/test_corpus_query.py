"""The query language: reading, error messages, and SQL compared with trying all constituents."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from numbat.corpus import Store
from numbat.corpus.answers import CorpusPart, Sums, counted, line_of, number_of_matches, rate_of, sample, share_of
from numbat.corpus.query_notation import unnamed_twice
from numbat.errors import DataError, UsageError
from tests.command_line import Numbat
from tests.corpora import ids_of, sentences, write_store
from tests.corpus_oracle import Oracle, random_query
from tests.samples import enough


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query") / "corpus.db"
    write_store(path, sentences())
    return path


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@pytest.fixture
def store(path: Path) -> Store:
    return Store(path)


@cache
def oracles(ids: tuple[tuple[int, int], ...]) -> tuple[Oracle, ...]:
    return tuple(Oracle(each, dict(ids)) for each in sentences())


def by_trying(store: Store, text: str) -> set[tuple[int | None, ...]]:
    """Return the matches of a query, by trying all constituents of all sentences."""
    query = store.compiled(text)
    found: set[tuple[int | None, ...]] = set()
    for number, oracle in enumerate(oracles(tuple(ids_of(store.properties(query.run)))), start=1):
        for alternative in query.alternatives:
            for bound in oracle.matches(alternative, {}):
                found.add((number, *(bound[n] if n in alternative.shown else None for n in query.names)))
    return found


def by_sql(store: Store, text: str, worst_first: bool = False) -> list[tuple[int | None, ...]]:
    return [(match.sentence, *match.nodes) for match in store.query(text, worst_first=worst_first)]


@pytest.mark.parametrize("seed", range(enough(20)))
def test_random_queries_find_what_trying_finds(store: Store, seed: int) -> None:
    rng = Random(seed)
    tried = 0
    while tried < 12:
        text = random_query(rng, [each.parse for each in sentences()])
        try:
            query = store.compiled(text)
        except DataError:  # a name that is used and not given
            continue
        tried += 1
        expected = by_trying(store, text)
        found = by_sql(store, text)
        assert len(found) == len(expected), text
        assert set(found) == expected, text
        assert [row[0] for row in found] == sorted(row[0] or 0 for row in expected), text
        assert set(by_sql(store, text, worst_first=True)) == expected, text
        assert number_of_matches(store, query) == (len(expected), len({row[0] for row in expected})), text
        assert counted(store, query).whole.matches == len(expected), text
        assert sum(group.matches for group in counted(store, query, ["genre"]).groups) == len(expected), text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("NP", 11),
        ("NP has Det", 11),
        ("x: NP has N and not (x has Det)", 1),
        ("N within VP", 3),
        ("S has NP and S has VP", 6),
        ("x: S has NP and x has VP", 6),
        ("NP before VP", 6),
        ("Det begins NP", 9),
        ("V ends S", 5),
        ("VP spans NP", 3),
        ("Det next to N", 10),
        ("NP violates", 5),
        ("violates linearity", 1),
        ('violates "NP: Det < N"', 1),
        ("violates NP ~> VP", 1),
        ("S violates NP ~> VP [number, person]", 1),
        ("NP satisfies NP: Det < N", 9),
        ("NP satisfies Det < {Num, AP, N}", 9),
        ('N ~ "cat|dog"', 7),
        ('NP ~ "the cat"', 1),
        ('words ~ "the .*s"', 4),
        ('words ~ "(?i)the|a"', 11),
        ('words ~ "(?i)the|a" and words ~ "dog|cats"', 5),
        ('x: S and words ~ "(?i)the|a"', 9),
        ("x: NP and VP has V", 9),
        ("x: S has NP or N", 20),
        ("cost > 0 and length < 4", 6),
        ('meta.genre = "b" or meta.genre ~ "^a"', 5),
        ("full and not limited", 10),
        ("?[number=pl] within NP", 5),
        ("N[number=pl] and length = 3", 2),
        ('text ~ "^The" and place ~ ":1$"', 1),
        ("NP.length >= 3", 3),
    ],
)
def test_what_queries_find(store: Store, text: str, number: int) -> None:
    assert len(by_sql(store, text)) == number == len(by_trying(store, text))


MISTAKES = {
    "NPx": '<query>:1:1: "NPx" is neither a category of this store nor a constituent\n'
    "    NPx\n    ^^^\n  did you mean \"NP\"?",
    "NP hass Det": '<query>:1:4: "hass" does not fit here\n    NP hass Det\n       ^^^^\n'
    '  expected: the end of the line, ":", "~", "and", "before", "begins", "ends", "has", "next", "or", "satisfies", '
    '"spans", "violates" or "within"\n  found: "hass"\n  did you mean "has"?',
    "NP[numbr=sg]": '<query>:1:4: "numbr" is not a feature\n    NP[numbr=sg]\n       ^^^^^\n  did you mean "number"?',
    "NP violates Det < Nn": '<query>:1:13: no property of NP is "Det < Nn"\n    NP violates Det < Nn\n'
    '                ^^^^^^^^\n  did you mean "Det < N"?',
    "(NP": "<query>:1:4: the line ends too early\n    (NP\n       ^\n"
    '  expected: ")"\n  found: the end of the line\n  the bracket "(" in column 1 is not closed',
    'N ~ "["': '<query>:1:5: "[" is not a regular expression: unterminated character set at position 0\n    N ~ "["\n'
    "        ^^^\n  to find the character itself write \\\\ before it",
    "cost > 1e400": '<query>:1:8: "1e400" is not a number from -1,000,000,000 to 1,000,000,000\n    cost > 1e400\n'
    "           ^^^^^\n  no measure is beyond this range",
    "x: NP and x: VP": '<query>:1:11: "x" names two constituents\n    x: NP and x: VP\n              ^\n'
    "  take another name for the second one, or write only x for the first one",
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_told_at_their_places(store: Store, text: str) -> None:
    with pytest.raises(DataError) as refused:
        store.compiled(text)
    assert str(refused.value) == MISTAKES[text]


def test_bounds_of_a_query(store: Store) -> None:
    with pytest.raises(DataError, match="this query has 20,001 characters"):
        store.compiled(" " * 20_001)
    with pytest.raises(DataError, match="this query has 128 alternatives"):
        store.compiled(" and ".join(["(NP or VP)"] * 7))
    with pytest.raises(DataError, match="this query mentions 13 constituents"):
        store.compiled(" and ".join(["NP"] * 13))
    with pytest.raises(DataError, match=r"was stopped after 0\.001 seconds"):
        list(store.query(" and ".join(["?"] * 8), max_seconds=0.001))


def test_the_words_that_a_query_asks_for_are_the_match(store: Store) -> None:
    query = store.compiled('words ~ "(?i)the .*"')
    assert query.names == ("words 1", "words 2")
    lines = [line_of(store, query, match, {}) for match in store.query(query.text)]
    assert [" ".join(word.text for word in line.within) for line in lines] == [
        " ".join(words)
        for each in sentences()
        for words in pairwise(each.parse.lattice.tokens)
        if words[0].lower() == "the"
    ]
    assert store.count('words ~ "(?i)the .*"', ("word",)).whole.matches == len(lines)


def test_a_key_of_metadata_that_no_sentence_has(store: Store) -> None:
    with pytest.raises(DataError) as refused:
        store.compiled('NP and meta.gnre != "a"')
    assert str(refused.value) == (
        '<query>:1:13: no sentence of this store has metadata under "gnre"\n    NP and meta.gnre != "a"\n'
        '                ^^^^\n  did you mean "genre"?'
    )
    with pytest.raises(DataError, match=r"\n  the keys are: file, genre"):
        store.compiled('meta.zzzzzzzz ~ "a"')


def test_an_operand_that_stands_twice_is_told_of(store: Store) -> None:
    assert list(unnamed_twice(store.compiled("NP has Det and NP has N").alternatives)) == ["NP"]
    assert list(unnamed_twice(store.compiled("x: NP has Det and x has N or NP").alternatives)) == []


def test_a_match_has_its_parse(store: Store) -> None:
    match = next(store.query("S violates NP ~> VP"))
    assert match.names == ("S 1",)
    assert match.parse == sentences()[2].parse
    assert match.row.metadata == sentences()[2].known


# Counts


def test_counts_are_those_of_a_recount(store: Store) -> None:
    """Counts are compared with those in the JSON of the parses."""
    number = words = 0
    for each in sentences():
        value = json.loads(json.dumps(each.parse.to_json()))
        words += len(value["tokens"])
        number += sum(1 for instance in value["violated"] if instance["construction"] == "NP")
    counts = store.count("NP violates", by=["property"])
    assert sum(group.matches for group in counts.groups) == number
    assert counts.whole.rate.value == pytest.approx(1_000 * counts.whole.matches / words)


def test_counts_by_genre_and_construction(store: Store) -> None:
    counts = store.count("x: ? violates", by=["construction", "genre"])
    expected: dict[tuple[str, str], int] = {}
    for each in sentences():
        for node in each.parse.walk():
            if node.characterization.violated:
                key = node.construction, each.known.get("genre", "")
                expected[key] = expected.get(key, 0) + 1
    assert {group.values: group.matches for group in counts.groups} == expected
    with pytest.raises(UsageError, match='no sentence has metadata under "gnre"'):
        store.count("NP", by=["gnre"])
    with pytest.raises(UsageError, match="--by property needs a query for violations"):
        store.count("NP", by=["property"])
    with pytest.raises(UsageError, match="--by construction needs a constituent"):
        store.count("cost > 1", by=["construction"])


def test_intervals() -> None:
    assert share_of(0, 0) == (0, 0, 1)
    assert share_of(0, 10).low == 0
    assert share_of(10, 10).high == 1
    value, low, high = share_of(5, 10)
    assert (value, round(low, 3), round(high, 3)) == (0.5, 0.237, 0.763)
    same = rate_of(
        Sums(100, 100, 100, 1_000), CorpusPart(100, 1_000, 10_000)
    )  # one match in each sentence of ten words
    assert (same.value, round(same.low, 3), round(same.high, 3)) == (100, 100, 100)
    apart = rate_of(Sums(50, 100, 200, 1_000), CorpusPart(100, 1_000, 10_000))  # two in every second one
    assert apart.low < 100 < apart.high


def test_a_sample_has_so_many_matches_and_is_the_same_again(store: Store) -> None:
    query = store.compiled("?")
    every = [(match.sentence, match.nodes) for match in store.query("?")]
    drawn = [(match.sentence, match.nodes) for match in sample(store, query, 7, seed=3)]
    assert len(drawn) == 7
    assert drawn == sorted(drawn)
    assert set(drawn) <= set(every)
    assert drawn == [(match.sentence, match.nodes) for match in sample(store, query, 7, seed=3)]
    assert drawn != [(match.sentence, match.nodes) for match in sample(store, query, 7, seed=4)]
    assert len(sample(store, query, 10_000)) == len(every)


# The command line


def test_a_concordance(path: Path, numbat: Numbat) -> None:
    done = numbat("query", str(path), "x: NP violates or violates linearity", "--context", "12")
    assert done.out.splitlines() == [
        "x:2               [*cat* *the* sleeps]  (NP: Det < N)",
        "x:2               [*cat* *the*] sleeps  (NP: Det < N)",
        "x:5               [a *dog* *dog*]  (NP: uniq N)",
        "x:6               [*the* *the* cat]  (NP: uniq Det)",
        "x:7      dogs see [*a* *cats*]  (NP: Det ~> N [number])",
        "x:10               [*The* *cat* *he*] sleeps  (NP: Pro x Det; NP: Pro x N)",
    ]
    assert numbat("query", str(path), "cost > 1000").err == "numbat: nothing in the store matches\n"


def test_formats(path: Path, numbat: Numbat, tmp_path: Path) -> None:
    text = "NP violates"
    rows = list(csv.reader(io.StringIO(numbat("query", str(path), text, "-f", "csv").out)))
    assert rows[0] == ["place", "left", "match", "right", "conflict", "violated", "cost", "file", "genre"]
    values = [json.loads(line) for line in numbat("query", str(path), text, "-f", "json").out.splitlines()]
    assert [value["match"] for value in values] == [row[2] for row in rows[1:]]
    brackets = numbat("query", str(path), text, "-f", "bracket").out.splitlines()
    numbers = dict.fromkeys(value["sentence"] for value in values)
    assert brackets == [sentences()[number - 1].parse.to_brackets() for number in numbers]
    assert numbat("query", str(path), text, "-f", "conllu").out.count("# sent_id = ") == len(brackets)
    assert numbat("query", str(path), text, "-f", "tree").out.count("violated") >= len(brackets)
    page = tmp_path / "page.html"
    assert numbat("query", str(path), text, "-f", "html", "-o", str(page)).code == 0
    written = page.read_text(encoding="utf-8")
    assert written.count("<svg") == len(brackets)
    assert "http" not in written.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_counts_of_the_command_line(path: Path, numbat: Numbat) -> None:
    assert numbat("query", str(path), "NP has Det", "--count").out.startswith("11 matches in ")
    counts = json.loads(numbat("query", str(path), "NP", "--by", "genre", "-f", "json").out)
    assert counts["whole"]["matches"] == 11
    assert [
        row[0] for row in csv.reader(io.StringIO(numbat("query", str(path), "NP", "--by", "genre", "-f", "csv").out))
    ]


def test_sql_is_shown_and_run(path: Path, numbat: Numbat) -> None:
    shown = numbat("query", str(path), "NP before VP", "--sql").out
    ran = numbat("query", str(path), "--sql", shown.rstrip().removesuffix(";"))
    rows = [tuple(map(int, line.split("\t"))) for line in ran.out.splitlines()[1:]]
    with Store(path) as store:
        assert set(rows) == set(by_sql(store, "NP before VP"))
    assert numbat("query", str(path), "--sql", "select count(*) as n from sentences").out == "n\n10\n"
    refused = numbat("query", str(path), "--sql", "delete from sentence")
    assert (refused.code, refused.err.splitlines()[0]) == (
        2,
        'numbat: --sql "delete from sentence" is not a statement that reads',
    )
    assert (
        "this statement cannot be run: no such table: x" in numbat("query", str(path), "--sql", "select * from x").err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no query"),
        (("NP", "--count", "-f", "html"), "counts cannot be printed with -f html"),
        (("NP", "--count", "-n", "3"), "--count and --by count all matches"),
        (("NP", "--seed", "3"), "--seed needs a sample"),
        (("NP", "--sample", "3", "-n", "3"), "--sample draws from all matches"),
        (("NP", "--sql", "select 1"), "a query and --sql with a statement exclude each other"),
        (("--sql", "select 1", "-f", "html"), "rows from --sql cannot be printed with -f html"),
    ],
)
def test_options_that_do_not_go_together(path: Path, numbat: Numbat, arguments: tuple[str, ...], message: str) -> None:
    done = numbat("query", str(path), *arguments)
    assert done.code == 2
    assert message in done.err
