"""The linear model over trees: packed forests, features and scores against enumeration, in C and in Python."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from numbat import native, parse_grammar
from numbat.errors import DataError, UsageError
from numbat.grammar.properties import UNIT
from numbat.learning.tree_training import ExampleJob, GivenNode, NamedTree, items_of_tree, words_of
from numbat.parsing.tree_model import python_scoring, scoring
from numbat.parsing.tree_model.heads import NO_LINK, links_of
from numbat.parsing.tree_model.scoring import (
    BITS,
    BY_CLASSIFIER,
    BY_LIKELIHOOD,
    TreeModel,
    TreeWeights,
    marks_of,
    no_weights,
    packaged_weights,
    packed_weights,
    parse_weights,
    read_weights,
)
from numbat.parsing.tree_model.templates import (
    EdgeFeatures,
    GrammarKeys,
    PropertyFeatures,
    Task,
    property_names,
    shape,
    token_attributes,
)
from numbat.parsing.treebank_grammar import python_search
from numbat.parsing.treebank_grammar.expansions import parse_expansions, read_expansions
from numbat.parsing.treebank_grammar.items import Forest, nodes_of
from numbat.parsing.treebank_grammar.search import CoarseToFine, forest_of
from numbat.parsing.treebank_parser import TreebankParser
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.induce import InductionSettings, induce
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.rule_counts import count_expansions, count_treebank
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Arc, Lattice

TREES = """\
(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N bird))))
(S (NP (D the) (N bird)) (VP (V sings)))
(S (NP (N cats)) (VP (V see) (NP (N birds)) (PP (P in) (NP (D the) (N garden)))))
(S (NP (NP (D the) (N cat)) (PP (P in) (NP (D the) (N garden)))) (VP (V sleeps)))
(S (NP (D the) (A old) (A grey) (N cat)) (VP (V sees) (NP (NP (N birds)) (PP (P in) (NP (D the) (N garden))))))
(S (NP (N sleeps)) (VP (V sleeps)))
"""
SENTENCES = (
    "the/D cat/N sees/V birds/N in/P the/D garden/N",
    "cats/N sleep/V in/P the/D old/A garden/N",
    "the/D bird/N in/P the/D garden/N sees/V the/D grey/A cat/N in/P a/D garden/N",
    "zebra/N sees/V",
)


HEADED = """\
(VP (NP (DP (D the)) (N cat)) (V sees) (NP (DP (D a)) (N bird)))
(VP (NP (DP (D the)) (N bird)) (V sings) (PP (P in) (NP (DP (D the)) (N garden))))
(VP (NP (N cats)) (V see) (NP (DP (D the)) (N birds) (PP (P in) (NP (N gardens)))))
"""
HEADED_SENTENCE = "the/D cat/N sees/V the/D bird/N in/P the/D garden/N"
"""Each phrase of these trees has one word, as in dependency trees."""


def trees(text: str = TREES) -> list[Tree]:
    return [each for each in read_brackets(text.splitlines(), "trees.mrg") if isinstance(each, Tree)]


def tokens_of(sentence: str) -> list[tuple[str, str]]:
    return [tuple(word.split("/")) for word in sentence.split()]  # type: ignore[misc]


def some(forest: Forest | None) -> Forest:
    assert forest is not None
    return forest


def leaves(tokens: list[tuple[str, str]]) -> Tree:
    return Tree("S", tuple(Tree(tag, (), form) for form, tag in tokens))


class Made:
    """The forest of a sentence with all that is needed to score it."""

    def __init__(self, sentence: str, slack: float = 7.0, trees_of: str = TREES) -> None:
        self.tokens = tokens_of(sentence)
        self.passes = CoarseToFine(count_expansions(trees(trees_of), frequent=2, least=1), 3)
        self.words = self.passes.words(words_of(leaves(self.tokens)), len(self.tokens))
        self.found = self.passes.search(self.words, None, round(slack * UNIT))
        self.most = self.found.cost + round(slack * UNIT)
        self.given = self.passes.fine, self.words.fine, len(self.tokens), self.found.viable, self.most
        self.forest = some(forest_of(*self.given))
        self.keys = GrammarKeys(self.passes.fine)

    def task(self, weights: TreeWeights, **more: object) -> Task:
        attributes = token_attributes(self.tokens)
        of = (self.forest, len(self.tokens), attributes, None, self.keys, weights.hashed_groups, weights.table)
        return Task(*of, None, None, weights.likelihood / UNIT)._replace(**more)  # type: ignore[arg-type]


def random_weights(seed: int, bits: int = 12, scale: float = 1.0, names: tuple[str, ...] = ()) -> TreeWeights:
    rng = Random(seed)
    numbers = array("f", [rng.gauss(0, scale) for _ in range(len(names) + (1 << bits))])
    return TreeWeights(("expansions", "words", "auxiliary"), names, bits, numbers)


def derivations(forest: Forest, node: int) -> Iterator[tuple[int, ...]]:
    """Return all derivations of a node, each as its edges in pre-order."""
    for edge, head in enumerate(forest.heads):
        if head == node:
            parts = [part for part in (forest.lefts[edge], forest.rights[edge]) if part >= 0]
            for below in product(*(list(derivations(forest, part)) for part in parts)):
                yield (edge, *(each for row in below for each in row))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_forest_is_the_same_in_c_and_in_python(sentence: str) -> None:
    made = Made(sentence)
    assert made.forest == python_search.forest_of(*made.given)
    most = next(most for most in count() if forest_of(*made.given, most) is not None)
    assert most > 0
    assert python_search.forest_of(*made.given, most - 1) is None
    assert python_search.forest_of(*made.given, most) == made.forest


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_best_tree_is_the_best_of_all_derivations(sentence: str) -> None:
    made = Made(sentence)
    root = len(made.forest.starts) - 1
    every = list(derivations(made.forest, root))
    assert len(every) > 1
    rng = Random(7)
    for seed in range(4):
        losses = array("d", [rng.choice([-1.0, 0.0, 1.0]) for _ in made.forest.starts])
        task = made.task(random_weights(seed), losses=losses)
        scores = scoring.scores(task)
        best = max(every, key=lambda edges: sum(scores[each] for each in edges))
        found = scoring.best(task)
        assert found.score == pytest.approx(sum(scores[each] for each in best))
        assert sum(scores[each] for each in found.edges) == pytest.approx(found.score)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_scores_and_features_are_the_same_in_c_and_in_python(sentence: str) -> None:
    if native.load(native.TREE_MODEL) is None:
        pytest.skip("the compiled module is not in use")
    made, weights = Made(sentence), random_weights(3, names=("one", "two"))
    marks = array("i", [place % 3 for place in range((len(made.tokens) + 1) ** 2)])
    edges = len(made.forest.heads)
    extra = EdgeFeatures(
        array("i", range(edges + 1)), array("i", [e % 2 for e in range(edges)]), array("f", range(edges))
    )
    task = made.task(weights, marks=marks, extra=extra)
    assert list(scoring.scores(task)) == pytest.approx(list(python_scoring.scores(task)))
    in_c, in_python = scoring.best(task), python_scoring.best(task)
    assert in_c.edges == in_python[1]
    assert in_c.score == pytest.approx(in_python[0])
    assert scoring.features(task, in_c.edges) == python_scoring.features(task, in_c.edges)


@pytest.mark.parametrize("made", [*map(Made, SENTENCES), Made(HEADED_SENTENCE, trees_of=HEADED)])
def test_with_heads_the_best_tree_is_the_best_of_all_derivations(made: Made) -> None:
    """The score of a tree is the sum over its edges and links, however the forest is split."""
    every = list(derivations(made.forest, len(made.forest.starts) - 1))
    for seed in range(3):
        weights = replace(random_weights(seed), groups=("expansions", "heads", "words"))
        task = made.task(weights)
        of_edges = scoring.scores(task)

        def score(edges: Sequence[int], task: Task = task, of_edges: Sequence[float] = of_edges) -> float:
            links = scoring.features(task, [], links_of(made.forest, edges))
            return sum(of_edges[each] for each in edges) + sum(task.table.weights[each] for each in links)

        best = max(every, key=score)
        found = scoring.best(task)
        assert found.score == pytest.approx(score(best), abs=1e-3)
        assert score(found.edges) == pytest.approx(found.score, abs=1e-3)
        split, added = scoring.split(task)
        of_split = split.forest(made.forest)
        whole = list(derivations(of_split, len(of_split.starts) - 1))
        assert sorted(tuple(split.origins[each] for each in edges) for edges in whole) == sorted(every)
        for edges in whole:
            assert sum(added[each] for each in edges) == pytest.approx(
                score([split.origins[each] for each in edges]), abs=1e-3
            )


def test_links_are_those_of_the_heads_of_phrases() -> None:
    made = Made(HEADED_SENTENCE, trees_of=HEADED)
    found = {tuple(sorted(links_of(made.forest, e))) for e in derivations(made.forest, len(made.forest.starts) - 1)}
    assert ((-1, 2), (1, 0), (2, 1), (2, 4), (4, 3), (4, 5), (5, 7), (7, 6)) in found
    assert ((-1, 2), (1, 0), (2, 1), (2, 4), (2, 5), (4, 3), (5, 7), (7, 6)) in found


@pytest.mark.parametrize("made", [*map(Made, SENTENCES), Made(HEADED_SENTENCE, trees_of=HEADED)])
def test_forests_are_split_alike_in_c_and_in_python(made: Made) -> None:
    if native.load(native.TREE_MODEL) is None:
        pytest.skip("the compiled module is not in use")
    task = made.task(replace(random_weights(4), groups=("heads", "words")))
    (in_c, added), (in_python, others) = scoring.split(task), python_scoring.split(task)
    assert in_c == in_python
    assert list(added) == pytest.approx(list(others))
    assert scoring.best(task).edges == python_scoring.best(task)[1]
    links = [*{link for link in in_c.links if link != NO_LINK}]
    assert scoring.features(task, [], links) == python_scoring.features(task, [], links)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_spans_are_classified_alike_in_c_and_in_python(sentence: str) -> None:
    made, rng = Made(sentence), Random(2)
    attributes, tokens = token_attributes(made.tokens), len(made.tokens)
    weights = array("f", [rng.gauss(0, 1) for _ in range(1 << 10)])
    places = scoring.spans(attributes, tokens, 10, None)
    assert places == python_scoring.spans(attributes, tokens, 10, None)
    number = tokens * (tokens - 1) // 2
    rows = [places[at : at + len(places) // number] for at in range(0, len(places), len(places) // number)]
    taken = [int(sum(weights[place] for place in row) > 0) for row in rows]
    for found in (scoring, python_scoring):
        assert list(found.spans(attributes, tokens, 10, weights)) == taken


def test_marks_say_what_is_predicted_of_a_span() -> None:
    made = Made(SENTENCES[0])
    everything = array("f", [1.0] * (1 << BITS))
    marks, positions = marks_of(made.task(no_weights()), everything), len(made.tokens) + 1
    best = scoring.best(made.task(no_weights())).edges
    likeliest = {
        (made.forest.starts[head], made.forest.ends[head])
        for head in (made.forest.heads[edge] for edge in best if made.forest.kinds[edge] in (3, 4))
    }
    for start in range(positions):
        for end in range(positions):
            expected = (end - start >= 2) * BY_CLASSIFIER | ((start, end) in likeliest) * BY_LIKELIHOOD
            assert marks[start * positions + end] == expected


def test_the_score_of_a_tree_is_linear_in_its_features() -> None:
    """Adding 1 to a weight raises the score of each tree by its count of that feature."""
    made = Made(SENTENCES[0])
    weights = random_weights(5)
    root = len(made.forest.starts) - 1
    for edges in list(derivations(made.forest, root))[:5]:
        task = made.task(weights)
        before = sum(scoring.scores(task)[each] for each in edges)
        features = scoring.features(task, edges)
        for place in sorted(set(features))[::40]:
            numbers = array("f", weights.numbers)
            numbers[place] += 1.0
            changed = scoring.scores(made.task(replace(weights, numbers=numbers)))
            assert sum(changed[each] for each in edges) - before == pytest.approx(features.count(place), abs=1e-4)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_without_weights_the_likeliest_tree_is_the_best(sentence: str) -> None:
    made = Made(sentence)
    edges = scoring.best(made.task(no_weights())).edges
    assert sum(made.forest.costs[each] for each in edges) == made.found.cost
    assert nodes_of(made.forest, edges) == made.found.nodes


def test_beginnings_with_other_daughters_are_other_nodes() -> None:
    made = Made(SENTENCES[2])
    complete = [edge for edge, kind in enumerate(made.forest.kinds) if kind == 3]
    rows = {(made.forest.lefts[edge], made.forest.sequences[edge]) for edge in complete}
    assert len({left for left, _ in rows}) == len(rows)


def test_a_given_tree_has_its_likeliest_derivation() -> None:
    """Its cost is the least among the derivations of that tree, which the forest has in any case."""
    for tree in trees():
        made = Made(" ".join(f"{form}/{tag}" for form, tag in tree.words()))
        given = [GivenNode(node.label, len(node.daughters)) for node in tree.walk()]
        items = items_of_tree(made.passes.fine, made.words.fine, given, 3)
        assert items is not None
        forest = some(forest_of(*made.given[:3], made.found.viable.and_others(items), made.found.cost))
        symbols = made.passes.fine.symbols

        def shape_of(edges: tuple[int, ...], forest: Forest = forest) -> list[tuple[str, int]]:
            return [(symbols[node.symbol].label, node.daughters) for node in nodes_of(forest, edges)]  # noqa: B023

        own = [e for e in derivations(forest, len(forest.starts) - 1) if shape_of(e) == [tuple(g) for g in given]]
        assert own
        symbol_of = {item[:2]: item.symbol for item in items.passive if item.depth == 1}
        least = min(own, key=lambda edges: sum(forest.costs[each] for each in edges))
        for edge in least:
            if forest.kinds[edge] == 3:
                head = forest.heads[edge]
                assert symbol_of[forest.starts[head], forest.ends[head]] == forest.symbols[head]


def test_a_tree_that_the_expansions_cannot_make_has_no_items() -> None:
    made = Made(SENTENCES[3])
    assert items_of_tree(made.passes.fine, made.words.fine, [GivenNode("PP", 2), *[GivenNode("N", 0)] * 2], 3) is None
    assert items_of_tree(made.passes.fine, made.words.fine, [GivenNode("Q", 2), *[GivenNode("N", 0)] * 2], 3) is None


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    weights = random_weights(1, names=("satisfied linearity", "violated linearity"))
    brackets = array("f", [0.5, -0.25] * (1 << BITS - 1))
    weights = replace(weights, slack=7.0, about="a test", brackets=brackets)
    file = tmp_path / "some.weights"
    file.write_bytes(packed_weights(weights))
    found = read_weights(str(file))
    assert list(found.numbers) == pytest.approx(list(weights.numbers), abs=0.001 + 1e-6)
    assert list(found.brackets[:2]) == pytest.approx([0.5, -0.25])
    assert replace(found, numbers=weights.numbers, brackets=weights.brackets) == weights
    assert packed_weights(found) == file.read_bytes()


def test_packaged_weights_go_with_the_packaged_expansions() -> None:
    file = packaged_weights("ewt")
    assert file is not None
    assert Path(file).stat().st_size < 8_000_000
    weights = read_weights("ewt")
    assert weights.expansions == read_expansions("ewt").digest
    assert "properties" not in weights.groups or weights.names


def spoiled(content: bytes) -> Iterator[tuple[bytes, str]]:
    yield b"", 'its first line is not "# numbat weights/1"'
    yield content.replace(b"weights/1", b"weights/2"), 'its first line is not "# numbat weights/1"'
    yield content.replace(b'"bits": 12', b'"bits": 99'), "its bits is 99, not a whole number from 0 to 24"
    yield content.replace(b'"bits": 12', b'"bits": 13'), "the number of its weights is not that in its second line"
    yield content.replace(b'"slack": 10.0', b'"slack": NaN'), "its slack is nan, not a number from 0 to 100"
    yield content.replace(b'"templates": ', b'"templates": 1'), "it is of another version of Numbat"
    yield content.replace(b'["expansions"', b'["others"'), "its groups of features are others, words; only these"
    yield content[:-200], "the number of its weights is not that"
    yield content[:300], ""


def test_what_is_no_file_of_weights_is_told(tmp_path: Path) -> None:
    content = packed_weights(replace(random_weights(1), groups=("expansions", "words")))
    parse_weights(content)
    for each, told in spoiled(content):
        file = tmp_path / "bad.weights"
        file.write_bytes(each)
        with pytest.raises(DataError) as error:
            read_weights(str(file))
        assert str(error.value).startswith(f"{file}: not a file of weights: {told}")
        assert str(error.value).endswith("\n  write it again with numbat learn weights")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"bits": 25}, "its bits is 25, not a whole number from 0 to 24"),
        ({"bits": 11}, "its features must have 2048 weights, not 4096"),
        ({"numbers": array("d", [0.0] * 4096)}, "the weights of its features are not an array of 32-bit floats"),
        ({"numbers": array("f", [float("inf")] * 4096)}, "a weight of its features is not a finite number"),
        ({"likelihood": float("nan")}, "its likelihood is nan, not a number from 0 to 1e+06"),
        ({"slack": -1.0}, "its slack is -1.0, not a number from 0 to 100"),
        ({"groups": ("auxiliary",)}, "its classifier of spans must have 262144 weights, not 0"),
        ({"groups": ("others",)}, "its groups of features are others; only these are known: "),
    ],
)
def test_weights_of_no_use_are_refused_before_a_parser_is_made(changed: dict[str, Any], told: str) -> None:
    grammar = parse_grammar("leaves: D, N\nroots: S\nS: oblig D\n")
    weights = replace(random_weights(2), **{"groups": ("words",), **changed})
    with pytest.raises(UsageError) as error:
        TreebankParser(grammar, parse_expansions(["# numbat expansions/1", "1\tS^TOP\tD N"], "x"), weights=weights)
    assert str(error.value).startswith(f"invalid weights: {told}")
    assert str(error.value).endswith("\n  give weights as read_weights reads them")


def test_properties_count_on_three_levels() -> None:
    grammar = induce(
        count_treebank(TreebankSentence(str(i), t) for i, t in enumerate(trees())), InductionSettings()
    ).grammar
    parser = TreebankParser(grammar, count_expansions(trees()))
    made, names = Made(SENTENCES[0]), property_names(grammar)
    features = PropertyFeatures(parser.evaluator, made.passes.fine, names).of_edges(made.forest)
    for edge, kind in enumerate(made.forest.kinds):
        own = range(features.at[edge], features.at[edge + 1])
        if kind not in (3, 4):
            assert not own
            continue
        by_level = [0.0, 0.0, 0.0]
        for k in own:
            name = names[features.ids[k]]
            by_level[2 if ":" in name else 1 if " in " in name else 0] += features.values[k]
        assert by_level[0] == by_level[1] == by_level[2] > 0


def test_shapes_are_short() -> None:
    assert [shape(form) for form in ("McDonalds", "3,500", "USA", "-")] == ["XxXxx", "d,dd", "XX", "-"]


def test_what_makes_forests_goes_to_other_processes() -> None:
    made = Made(SENTENCES[0])
    job = ExampleJob(made.passes, TreeModel(no_weights(), None, made.passes.fine), 6.0, 5.0, 0)  # type: ignore[arg-type]
    there = pickle.loads(pickle.dumps(job))
    tree = NamedTree("1", trees()[0])
    here, sent = job(tree), there(tree)
    assert here is not None
    assert (here.forest, here.right) == (sent.forest, sent.right)


def test_with_weights_the_next_trees_come_after_the_best() -> None:
    grammar = induce(
        count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(trees())), InductionSettings()
    ).grammar
    weights = replace(random_weights(2), groups=("expansions", "words"))
    parser = TreebankParser(grammar, count_expansions(trees(), frequent=2, least=1), weights=weights)
    words = tokens_of(SENTENCES[0])
    lattice = Lattice(tuple(form for form, _ in words), tuple(Arc(i, i + 1, *word) for i, word in enumerate(words)))
    first = parser.parse(lattice)
    several = parser.n_best(lattice, 3)
    assert several[0].to_brackets() == first.to_brackets()
    assert len({parse.to_brackets() for parse in several}) == len(several) == 3
    assert (first.election, first.outcome.valuation) == ("best by weights, pruned by 6", "likelihood + weights")
    late = parser.n_best(lattice, 3, overdue=Ticking(40))
    assert late[0].to_brackets()
    assert late[0].stopped_by or len(late) == 3


class Ticking:
    """A clock whose time is up after some calls."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def __call__(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_small_weights_are_not_lost_in_a_file() -> None:
    weights = replace(random_weights(4, scale=1e-5), groups=("words",))
    found = parse_weights(packed_weights(weights))
    assert sum(each != 0 for each in found.numbers) > 0.95 * len(weights.numbers)
