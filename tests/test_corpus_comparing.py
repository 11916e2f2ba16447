"""Two runs over the same sentences: differences by property, and in the matches of a query."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from numbat.corpus import Store
from numbat.corpus.comparing import compare, compare_matches
from numbat.errors import UsageError
from numbat.grammar.loading import load_grammar
from numbat.grammar.model import PropertyWeights
from numbat.parsing.parser import Parser
from tests.command_line import Numbat
from tests.corpora import STARTER, TEXTS, sentences, write_store
from tests.corpus_oracle import Sentence


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run, and a store with it and another run, in which every third property costs nothing, in another order."""
    folder = tmp_path_factory.mktemp("comparing")
    write_store(folder / "one.db", sentences())
    shutil.copy(folder / "one.db", folder / "two.db")
    grammar = load_grammar(STARTER)
    weights = grammar.weights
    costs = tuple(0 if i % 3 == 0 else cost for i, cost in enumerate(weights.costs))
    changed = grammar.with_weights(PropertyWeights(weights.weights, costs))
    parser = Parser(changed)
    again = [Sentence(f"x:{i}", parser.parse(text), {}) for i, text in enumerate(TEXTS, start=1)]
    write_store(folder / "two.db", [*again[5:], *again[:4], Sentence("new", again[0].parse, {})], changed)
    return folder / "one.db", folder / "two.db"


def test_what_differs_is_what_the_parses_say(stores: tuple[Path, Path]) -> None:
    with Store(stores[0]) as one, Store(stores[1]) as two:
        found = compare(one, two, (None, 2))
        pairs = [(row.stored.name, parse) for row, parse in zip(two.sentences(2), two.parses(2), strict=True)]
    before = {each.name: each.parse for each in sentences()}
    both = [(before[name], parse) for name, parse in pairs if name in before]
    assert found.sentences == len(both) == 9
    assert found.alone == (1, 1)
    assert found.costs == sum(one.cost_units != other.cost_units for one, other in both) > 0
    assert found.trees == sum(tree(one) != tree(other) for one, other in both)
    for change in found.properties:
        counts = [[names(parse).count(change.name) for parse in pair] for pair in both]
        assert change.before == sum(count[0] for count in counts)
        assert change.after == sum(count[1] for count in counts)
        assert change.more == sum(count[1] > count[0] for count in counts)


def tree(parse: object) -> list[tuple[str, int]]:
    return sorted((node.construction, node.cover) for node in parse.walk())  # type: ignore[attr-defined]


def names(parse: object) -> list[str]:
    from numbat.grammar.properties import format_named

    return [format_named(each.property) for each in parse.violated]  # type: ignore[attr-defined]


def test_matches_of_both_runs(stores: tuple[Path, Path]) -> None:
    with Store(stores[0]) as one, Store(stores[1]) as two:
        query, same = one.compiled("NP"), two.compiled("NP", 2)
        found = compare_matches(one, query, two, same)
        number = len(list(one.query("NP")))
        assert found.both + len(found.before) == number
        assert found.both + len(found.after) == len(list(two.query("NP", 2)))
        itself = compare_matches(one, query, two, two.compiled("NP", 1))
        assert (itself.both, itself.before, itself.after) == (number, (), ())


def test_the_command_line(
    stores: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    numbat = Numbat(capsys, monkeypatch)
    told = numbat("query", str(stores[1]), "--run", "1", "--against-run", "2").out.splitlines()
    assert told[1].startswith("9 sentences in both, 1 and 1 in one only; ")
    same = numbat("query", str(stores[0]), "NP", "--against", str(stores[1]), "--against-run", "1").out
    assert same == "11 matches in both, 0 only in the first, 0 only in the second\n"
    itself = numbat("query", str(stores[0]), "NP", "--against-run", "1")
    assert "the run is compared with itself" in itself.err
    assert (
        "a comparison with another run prints text only"
        in numbat("query", str(stores[0]), "NP", "--against-run", "1", "--sql").err
    )


def test_runs_without_a_common_sentence(tmp_path: Path, stores: tuple[Path, Path]) -> None:
    write_store(tmp_path / "x.db", [Sentence("other", sentences()[0].parse, {})])
    with (
        Store(stores[0]) as one,
        Store(tmp_path / "x.db") as two,
        pytest.raises(UsageError, match="no sentence in common"),
    ):
        compare(one, two)
