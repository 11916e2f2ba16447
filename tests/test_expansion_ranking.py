"""The k best trees by expansions, compared with all derivations; the costs of readings in addition to expansions."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, log
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from numbat import native
from numbat.cli.main import cli
from numbat.errors import UsageError
from numbat.evaluation.constituents import lexical_costs, word
from numbat.grammar.loading import load_grammar
from numbat.grammar.properties import UNIT
from numbat.parsing.result import Parse
from numbat.parsing.treebank_grammar import python_search
from numbat.parsing.treebank_grammar.expansions import Symbol, read_expansions
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, Stage, TreeNode, Viable
from numbat.parsing.treebank_grammar.likeliest import k_best
from numbat.parsing.treebank_grammar.markov import BAG, BARE, IMPOSSIBLE, REFINED, START, MarkovGrammar, Smoothing
from numbat.parsing.treebank_grammar.search import log_shares, scored_words, search
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.rule_counts import count_expansions
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Arc, Lattice

TREES = """\
(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N bird))))
(S (NP (D the) (N bird)) (VP (V sings)))
(S (NP (N cats)) (VP (V see) (NP (N birds)) (PP (P in) (NP (D the) (N garden)))))
(S (NP (NP (D the) (N cat)) (PP (P in) (NP (D the) (N garden)))) (VP (V sleeps)))
(S (NP (N sleeps)) (VP (V sleeps)))
"""
Bare = tuple[str, tuple["Bare", ...]]


def trees(text: str = TREES) -> list[Tree]:
    return [each for each in read_brackets(text.splitlines(), "trees.mrg") if isinstance(each, Tree)]


def random_trees(random: Random, number: int) -> list[Tree]:
    def grow(depth: int) -> Tree:
        if depth == 0 or random.random() < 0.4:
            return Tree(random.choice("ab"), (), random.choice("uvw"))
        return Tree(random.choice("XYZ"), tuple(grow(depth - 1) for _ in range(random.choice([1, 2, 2, 3]))))

    return [Tree("S", tuple(grow(3) for _ in range(random.choice([1, 2, 3])))) for _ in range(number)]


def offered(grammar: MarkovGrammar, tags: list[str]) -> list[ScoredWord]:
    return [
        ScoredWord(i, i + 1, grammar.number.get(Symbol(tag), len(grammar.symbols) - 1), 0, i)
        for i, tag in enumerate(tags)
    ]


class Everything:
    """All derivations of a sentence up to a cost, by a separate recursion over symbols and sequences of daughters."""

    def __init__(self, grammar: MarkovGrammar, tags: list[str], limit: int) -> None:
        self.grammar, self.tags, self.limit = grammar, tags, limit

    def bare_trees(self, most: float) -> dict[Bare, float]:
        found: dict[Bare, float] = {}
        for symbol, cost in enumerate(self.grammar.tables.root_cost):
            if cost != IMPOSSIBLE:
                for depth in range(self.limit + 1):
                    for total, tree in self.done(0, len(self.tags), symbol, depth, most - cost):
                        found[tree] = min(total + cost, found.get(tree, inf))
        return found

    def done(self, start: int, end: int, symbol: int, depth: int, most: float) -> Iterator[tuple[float, Bare]]:
        phrase = self.grammar.symbols[symbol]
        if not phrase.is_phrase:
            if depth == 0 and end == start + 1 and Symbol(self.tags[start]) == phrase:
                yield 0, (phrase.label, ())
        elif depth:
            for cost, daughters in self.rest(start, start, end, phrase, (START,), depth, most):
                yield cost, (phrase.label, daughters)

    def rest(
        self, first: int, at: int, end: int, phrase: Symbol, history: tuple[Symbol, ...], depth: int, most: float
    ) -> Iterator[tuple[float, tuple[Bare, ...]]]:
        grammar = self.grammar
        state = next(
            grammar.states[phrase, each]
            for each in (history, history[-1:], ())
            if (phrase, each) in grammar.states
        )  # fmt: skip
        seen = list(grammar.states)[state][1]
        if at == end:
            stop = grammar.tables.accept_cost[state]
            if stop != IMPOSSIBLE and stop <= most:
                yield stop, ()
            return
        column = grammar.columns[phrase.label]
        for likely, daughter in zip(grammar.probabilities.distribution(phrase, seen), column, strict=False):
            step = round(-log(likely) * UNIT) if likely > 1e-12 else inf
            for middle in range(at + 1, end + 1) if step <= most else ():
                only = at == first and middle == end
                if (only and daughter.label == phrase.label) or (not only and depth > 1):
                    continue
                longer = (*seen, daughter.plain)[-grammar.smoothing.memory :]
                for below in (depth - 1,) if only else range(self.limit + 1):
                    inner = self.done(at, middle, grammar.number[daughter], below, most - step)
                    for cost, tree in inner:
                        left = most - step - cost
                        for more, others in self.rest(first, middle, end, phrase, longer, depth, left):
                            yield step + cost + more, (tree, *others)


def bare_of(grammar: MarkovGrammar, nodes: list[TreeNode]) -> Bare:
    built: list[Bare] = []
    for symbol, _, size in reversed(nodes):
        daughters = tuple(built[: -size - 1 : -1]) if size else ()
        del built[len(built) - size :]
        built.append((grammar.symbols[symbol].label, daughters))
    (tree,) = built
    return tree


@pytest.mark.parametrize("kind", ["compiled", "python"])
@pytest.mark.parametrize("seed", range(6))
def test_the_k_best_are_the_k_cheapest_of_all_derivations(seed: int, kind: str) -> None:
    random = Random(seed)
    grammar = MarkovGrammar(count_expansions(random_trees(random, 4), frequent=99, least=1), REFINED)
    tags = [random.choice("ab") for _ in range(3)]
    words = offered(grammar, tags)
    how = search if kind == "compiled" else python_search.search

    def find(slack: int) -> SearchResult:
        return how([Stage(grammar, words)], 3, 2, 10**12, slack)

    found = k_best(grammar, words, 3, 12, find)
    every = sorted(Everything(grammar, tags, 2).bare_trees(found[0].cost + 5 * UNIT).items(), key=lambda item: item[1])
    assert len(every) > 3
    assert len({bare_of(grammar, each.nodes) for each in found}) == len(found) == 12
    costs = [each.cost for each in found]
    assert costs == sorted(costs)
    least = dict(every)
    for each, (_, cost) in zip(found, every, strict=False):
        assert each.cost == pytest.approx(cost, abs=50)  # rounded to 1e-6 at each step
        assert each.cost == pytest.approx(least[bare_of(grammar, each.nodes)], abs=50)


@pytest.mark.skipif(native.load(native.TREEBANK_SEARCH) is None, reason="the compiled search is not built")
@pytest.mark.parametrize("seed", range(8))
def test_the_compiled_search_keeps_what_the_one_in_python_keeps(seed: int) -> None:
    random = Random(seed)
    expansions = count_expansions(random_trees(random, 12), frequent=99, least=1)
    tags = [random.choice("ab") for _ in range(6)]
    fine, coarse = MarkovGrammar(expansions, REFINED), expansions.coarse()
    bag, bare = MarkovGrammar(coarse, BAG, Smoothing(memory=0)), MarkovGrammar(coarse, BARE, Smoothing(memory=1))
    passes = [
        Stage(bag, offered(bag, tags), 6 * UNIT),
        Stage(bare, offered(bare, tags), 3 * UNIT),
        Stage(fine, offered(fine, tags)),
    ]
    for slack in (0, UNIT, 9 * UNIT):
        compiled, python = (how(passes, 6, 3, 10**12, slack).viable for how in (search, python_search.search))
        assert [sorted(each) for each in compiled] == [sorted(each) for each in python]
        assert all(compiled)
    assert search(passes, 6, 3, 10**12).viable == Viable()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cats")
    (path / "cats.mrg").write_text(TREES, encoding="utf-8")
    run = CliRunner()
    induce = ["induce", "cats.mrg", "--support", "1", "--min-count", "1", "-o", "cats.pg", "--lexicon", "cats.tsv"]
    for arguments in (induce, ["expansions", "cats.mrg", "--min-count", "1", "-o", "cats.exp"]):
        done = run.invoke(cli, [str(path / each) if "cats." in each else each for each in arguments])
        assert done.exit_code == 0, done.output
    return path


@pytest.fixture
def parser(folder: Path) -> TreebankParser:
    return TreebankParser(load_grammar(str(folder / "cats.pg")), read_expansions(str(folder / "cats.exp")))


def test_n_best_parses(parser: TreebankParser) -> None:
    sentence = "the cat sees the bird in the garden"
    found = parser.n_best(sentence, 5)
    brackets = [parse.to_brackets() for parse in found]
    assert brackets[0] == (
        "(S (NP (D the) (N cat)) (VP (V sees) (NP (D the) (N bird)) (PP (P in) (NP (D the) (N garden)))))"
    )
    assert [parse.rank for parse in found] == [1, 2, 3, 4, 5]
    assert len(set(brackets)) == 5
    likely = [parse.log_likelihood for parse in found if parse.log_likelihood is not None]
    assert likely == sorted(likely, reverse=True)
    assert len(likely) == 5
    assert parser.parse(sentence) == found[0]
    assert all(parse.violated or parse.satisfied for parse in found)


def test_properties_choose_among_the_likeliest_trees(folder: Path, parser: TreebankParser) -> None:
    def net(parse: Parse) -> int:
        return parse.weight_units - parse.violation_cost_units

    sentence = "the cat sees the bird in the garden"
    every = parser.n_best(sentence, 10)
    other = TreebankParser(parser.grammar, read_expansions(str(folder / "cats.exp")), properties=1000.0)
    chosen = other.parse(sentence)
    assert net(chosen) == max(map(net, every)) > net(every[0])
    assert chosen.outcome.valuation == "likelihood + 1000 net"
    assert chosen.to_brackets() in [parse.to_brackets() for parse in every]
    slightly = TreebankParser(parser.grammar, read_expansions(str(folder / "cats.exp")), properties=1e-9)
    assert [parse.to_brackets() for parse in slightly.n_best(sentence, 10)] == [p.to_brackets() for p in every]


def test_fewer_come_back_where_there_are_no_more(parser: TreebankParser) -> None:
    fragments = Lattice(("x", "y"), (Arc(0, 1, "x", "D"), Arc(1, 2, "y", "?")))
    (parse,) = parser.n_best(fragments, 9)
    assert not parse.is_full
    assert 1 < len(parser.n_best("cats see birds", 999)) < 999


def test_a_word_is_weighed_by_how_likely_its_category_has_it() -> None:
    """Of 22 words 9 are nouns and 5 verbs; `sleeps` is a verb twice and a noun once: (2/3)/(5/22) to (1/3)/(9/22)."""
    expansions = count_expansions(trees(), frequent=99)
    grammar = MarkovGrammar(expansions, REFINED)
    shares = log_shares(grammar.symbols, expansions)
    assert shares[grammar.number[Symbol("V")]] == round(log(5 / 22) * UNIT)
    assert shares[grammar.number[Symbol("NP", "S")]] == 0
    arcs = Arc(0, 1, "sleeps", "N", (), log(1 / 3)), Arc(0, 1, "sleeps", "V", (), log(2 / 3))
    words = [word(arc, cost) for arc, cost in lexical_costs(Lattice(("sleeps",), arcs))]
    symbols = [grammar.number[Symbol(each.construction)] for each in words]
    costs = {words[number].construction: cost for *_, cost, number in scored_words(words, symbols, shares)}
    assert costs == {"V": 0, "N": pytest.approx(log(2 * 9 / 5) * UNIT, abs=3)}


def test_what_does_not_go_with_expansions(folder: Path) -> None:
    chosen = ["parse", "-g", str(folder / "cats.pg"), "the cat"]
    guided = [*chosen, "--expansions", str(folder / "cats.exp")]
    other = "  expansions find the likeliest tree without the other engines: leave one of them out"
    for arguments, message in (
        ([*guided, "--trace"], f"--trace and --expansions exclude each other\n{other}"),
        ([*guided, "--max-rounds", "2"], f"--max-rounds and --expansions exclude each other\n{other}"),
        ([*guided, "--max-states", "2"], f"--max-states and --expansions exclude each other\n{other}"),
        ([*guided, "--engine", "exact"], f"--engine and --expansions exclude each other\n{other}"),
        ([*guided, "--valuation", "net"], f"--valuation and --expansions exclude each other\n{other}"),
        ([*guided, "--without", "H4"], f"--without and --expansions exclude each other\n{other}"),
        ([*guided, "--check"], f"--check and --expansions exclude each other\n{other}"),
        ([*guided, "--profile", "loose"], f"--profile and --expansions exclude each other\n{other}"),
        ([*chosen, "--prune", "3"], "--prune needs expansions\n  add --expansions FILE"),
        ([*chosen, "--properties", "3"], "--properties needs expansions\n  add --expansions FILE"),
        ([*chosen, "--words"], "--words needs a treebank\n  add --from auto"),
    ):
        done = CliRunner().invoke(cli, arguments)
        assert isinstance(done.exception, UsageError)
        assert str(done.exception) == message


def test_the_words_of_a_treebank_alone(folder: Path) -> None:
    path = folder / "wrong.mrg"
    path.write_text("(S (NP (V cats)) (VP (N see) (NP (P birds))))\n", encoding="utf-8")
    options = ["-g", str(folder / "cats.pg"), "--expansions", str(folder / "cats.exp"), "-f", "bracket"]
    done = CliRunner().invoke(cli, ["parse", *options, "--from", "ptb", "-i", str(path), "--words"])
    assert done.stdout == "(S (NP (N cats)) (VP (V see) (NP (N birds))))\n"
    both = CliRunner().invoke(cli, ["parse", *options, "--from", "ptb", "-i", str(path), "--words", "--tagger", "m"])
    assert str(both.exception) == (
        "--words and --tagger exclude each other\n  the lexicon or the tagger gives categories: leave one of them out"
    )
