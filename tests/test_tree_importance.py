"""Importance of the parts of weights of trees: against models without them, and as the verb shows it."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat import native
from numbat.errors import DataError
from numbat.evaluation.constituents import lexical_costs, word
from numbat.grammar.properties import UNIT, format_named
from numbat.learning.importance import JudgedSentence, TreeOutcomeJob, importance_of_weights, own_copy, tree_parts
from numbat.parses.sentences import sentences_of, tag_map_of
from numbat.parsing.tree_model.scoring import BITS, TreeModel, TreeWeights, best, packed_weights
from numbat.parsing.tree_model.templates import GROUPS, property_names
from numbat.parsing.treebank_grammar.search import forest_of
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.settings import SentenceSettings
from numbat.treebanks.converting import gold_parameters, tree_of
from numbat.treebanks.scores import score_tree
from numbat.treebanks.trees import Tree
from numbat.words.tag_maps import TagMap
from tests import command_line
from tests.command_line import Numbat
from tests.meals import meals_expansions, meals_grammar, write_meals

READING = SentenceSettings(source="ptb", gold=True)


def random_weights(seed: int, groups: tuple[str, ...] = GROUPS) -> TreeWeights:
    rng = Random(seed)
    names = property_names(meals_grammar()) if "properties" in groups else ()
    numbers = array("f", [rng.gauss(0, 2.0 if i < len(names) else 0.05) for i in range(len(names) + (1 << 10))])
    brackets = array("f", [rng.gauss(0, 1) for _ in range(1 << BITS)])
    about = {"expansions": meals_expansions().digest, "brackets": brackets}
    return TreeWeights(groups, names, 10, numbers, 1.0, 10.0, **about)  # type: ignore[arg-type]


def parser_with(weights: TreeWeights) -> TreebankParser:
    return TreebankParser(meals_grammar(), meals_expansions(), weights=weights)


def mapped_by(parser: TreebankParser) -> TagMap:
    found = tag_map_of(READING, parser.grammar)
    assert found is not None
    return found


@pytest.fixture
def sentences(tmp_path: Path) -> list[JudgedSentence]:
    write_meals(tmp_path)
    parser = parser_with(random_weights(0))
    mapped = mapped_by(parser)
    found = sentences_of(parser, path=str(tmp_path / "meals.mrg"), settings=READING, mapped=mapped)
    good = [each for each in found if not isinstance(each, DataError)]
    return [JudgedSentence(each.id, each.lattice, each.gold) for each in good if isinstance(each.gold, Tree)]


def without(weights: TreeWeights) -> Iterator[tuple[str, TreeWeights]]:
    """By the name of each part: the model that never had it."""
    for group in ("words", "expansions", "heads", "auxiliary"):
        yield group, replace(weights, groups=tuple(each for each in weights.groups if each != group))
    relation_of = {format_named(each): each.relation for each in meals_grammar().properties}
    for name in ("all properties", *dict.fromkeys(relation_of.values())):
        numbers = array("f", weights.numbers)
        for place, feature in enumerate(weights.names):
            level = feature.partition(" ")[2]
            if name in ("all properties", relation_of.get(level, level.partition(" in ")[0])):
                numbers[place] = 0.0
        yield name, replace(weights, numbers=numbers)


@pytest.mark.parametrize(
    ("kernel", "seed", "counts"),
    [
        ("compiled", 4, {"adjacency"}),
        ("compiled", 8, {"all properties", "obligation", "uniqueness"}),
        (
            "compiled",
            14,
            {"all properties", "adjacency", "exclusion", "linearity", "obligation", "requirement", "uniqueness"},
        ),
        ("python", 5, set()),
    ],
)
def test_a_part_that_is_left_out_is_as_if_it_had_never_been_there(
    sentences: list[JudgedSentence], kernel: str, seed: int, counts: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if kernel == "python":
        monkeypatch.setenv("NUMBAT_KERNEL", "python")
        sentences = sentences[:1]
    elif native.load(native.TREE_MODEL) is None:
        pytest.skip("the compiled module is not in use")
    weights = random_weights(seed)
    parser = parser_with(weights)
    parts = tree_parts(weights, parser.grammar)
    parameters = gold_parameters(mapped_by(parser))
    own = own_copy(weights)
    model = TreeModel(own, parser.evaluator, parser.passes.fine)
    outcomes = [TreeOutcomeJob(parser.passes, model, parts, parser.prune, parameters)(each) for each in sentences]
    assert own.numbers == weights.numbers
    others = dict(without(weights))
    assert [part.name for part in parts] == sorted(others, key=[part.name for part in parts].index)

    def judged(parser: TreebankParser) -> list[tuple[float, ...]]:
        scores = [score_tree(s.id, s.gold, tree_of(parser.parse(s.lattice)), parameters) for s in sentences]
        return [(each.gold, each.predicted, each.matched) for each in scores]

    assert [each.whole for each in outcomes] == judged(parser)
    for number, part in enumerate(parts):
        assert [each.without[number] for each in outcomes] == judged(parser_with(others[part.name]))
    moved = {part.name for n, part in enumerate(parts) for each in outcomes if each.without[n] != each.whole}
    assert kernel == "python" or moved == counts


def test_what_parts_add_and_the_likelihood_are_the_score(sentences: list[JudgedSentence]) -> None:
    weights = random_weights(2)
    parser = parser_with(weights)
    parts = tree_parts(weights, parser.grammar)
    model = TreeModel(weights, parser.evaluator, parser.passes.fine)
    job = TreeOutcomeJob(parser.passes, model, parts, parser.prune, gold_parameters(mapped_by(parser)))
    sentence = sentences[0]
    words = [word(arc, cost) for arc, cost in lexical_costs(sentence.lattice)]
    scored = parser.passes.words(words, len(words))
    found = parser.passes.search(scored, parser.prune, 10 * UNIT)
    forest = forest_of(parser.passes.fine, scored.fine, len(words), found.viable, found.cost + 10 * UNIT)
    assert forest is not None
    tree = best(model.task(forest, [(each.form, each.construction) for each in words]))
    added = dict(zip((part.name for part in parts), job(sentence).added, strict=True))
    groups = sum(added[name] for name in ("words", "expansions", "heads", "auxiliary", "all properties"))
    likelihood = -sum(forest.costs[edge] for edge in tree.edges) / UNIT
    assert groups * len(words) + likelihood == pytest.approx(tree.score, rel=1e-5)
    relations = [added[part.name] for part in parts if part.name not in (*GROUPS, "all properties")]
    assert sum(relations) == pytest.approx(added["all properties"], rel=1e-5)


@pytest.mark.parametrize("names", [(), ("satisfied linearity", "violated nothing of the kind")])
def test_a_model_of_properties_may_have_few_names_or_strange_ones(
    sentences: list[JudgedSentence], names: tuple[str, ...]
) -> None:
    weights = replace(random_weights(3, ("words",)), groups=("properties",), names=names)
    weights = replace(weights, numbers=array("f", [0.5] * len(names)) + weights.numbers)
    parser = parser_with(weights)
    assert parser.parse(sentences[0].lattice).constituents
    parts = tree_parts(weights, parser.grammar)
    assert [(part.name, part.count) for part in parts] == ([("all properties", 2), ("linearity", 1)] if names else [])


def test_sentences_that_cannot_be_read_are_told_and_left_out(tmp_path: Path) -> None:
    write_meals(tmp_path)
    path = tmp_path / "meals.mrg"
    path.write_text(path.read_text(encoding="utf-8") + "(S (NP\n", encoding="utf-8")
    parser = parser_with(random_weights(1))
    mapped = mapped_by(parser)
    told: list[DataError] = []
    read = sentences_of(parser, path=str(path), settings=READING, mapped=mapped)
    report = importance_of_weights("m", str(path), parser, read, mapped, complain=told.append)
    assert len(told) == 1
    assert report.items == "12 trees"
    assert report.notes[0] == "1 sentence left out because they could not be read or parsed"


# The verb


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    write_meals(tmp_path)
    run = command_line.Numbat(capsys, monkeypatch)
    run("induce", "meals.mrg", "-o", "meals.pg", "--support", "1", "--min-count", "1")
    run("expansions", "meals.mrg", "-o", "meals.exp")
    Path("m.weights").write_bytes(packed_weights(random_weights(1)))
    return run


ON = ("--on", "meals.mrg", "-g", "meals.pg", "--expansions", "meals.exp", "--jobs", "1")


def test_a_table_for_people_and_for_programs(numbat: Numbat) -> None:
    done = numbat("importance", "m.weights", *ON, "--html", "m.html")
    assert (done.err, done.code) == ("numbat: wrote m.html\n", 0)
    lines = done.out.splitlines()
    assert lines[0] == "m.weights on meals.mrg: 12 trees"
    assert lines[1].startswith("F1 of the whole model: 0.")
    assert lines[2] == "! 12 items only: too few for intervals"
    assert lines[-5:-2] == [
        "weight: the standard deviation over sentences of the part's contribution to the score of the best tree, per "
        "word, in natural logarithms of likelihood",
        "without: F1 with the part's weights at 0; the model is not trained again",
        "lost: the whole model minus that; in brackets 95 % intervals for other 12 items",
    ]
    rows = [line.split("\t") for line in numbat("importance", "m.weights", *ON, "-f", "tsv").out.splitlines()]
    assert {row[0] for row in rows[2:]} >= {"words", "expansions", "heads", "auxiliary", "all properties", "linearity"}
    found = json.loads(numbat("importance", "m.weights", *ON, "-f", "json").out)
    assert (found["schema"], found["measure"], found["items"]) == ("numbat.importance/2", "F1", 12)
    assert [part["name"] for part in found["parts"]] == [row[0] for row in rows[2:]]
    page = Path("m.html").read_text(encoding="utf-8")
    assert "m.weights on meals.mrg" in page
    assert all("<text" in page and name in page for name in ("words", "linearity"))
    assert numbat("importance", "m.weights", *ON, "--max-length", "7").out.startswith(
        "m.weights on meals.mrg: 12 trees"
    )


def test_weights_are_known_by_their_first_line_too(numbat: Numbat) -> None:
    Path("m.weights").rename("model")
    assert numbat("importance", "model", *ON).out.startswith("model on meals.mrg: 12 trees\n")


def test_options_that_mean_nothing_are_told(numbat: Numbat) -> None:
    for options, told in (
        (("--pairs",), "--pairs only applies to suites"),
        (("--tagger", "x"), "--tagger only applies to suites"),
        (("--profile", "default"), "--profile only applies to suites"),
        (("--max-seconds", "3"), "--max-seconds only applies to suites"),
    ):
        done = numbat("importance", "m.weights", *ON, *options)
        assert (done.out, done.code) == ("", 2)
        hint = "leave it out, or give a model of numbat learn costs"
        assert done.err == f"numbat: {told}, but m.weights is a model of trees\n  {hint}\n"
    Path("m.tsv").write_text("x\n", encoding="utf-8")
    for options, told in (
        (("--expansions", "meals.exp"), "--expansions"),
        (("--from", "ptb"), "--from"),
        (("--max-length", "9"), "--max-length"),
        (("--prune", "3"), "--prune"),
    ):
        done = numbat("importance", "m.tsv", "--on", "meals.mrg", *options)
        assert (done.out, done.code) == ("", 2)
        assert done.err == (
            f"numbat: {told} only applies to trees, but m.tsv is not a model of trees\n"
            "  leave it out, or give a model of numbat learn weights\n"
        )
    done = numbat("importance", "m.weights", *ON[:4])
    assert (done.out, done.code, done.err) == (
        "",
        2,
        "numbat: m.weights has weights of trees, which need expansions\n"
        "  add --expansions FILE, the expansions with which the weights were learned\n",
    )
    Path("few.mrg").write_text("(S (NP (PRP she)) (VP (VBD ate)))\n", encoding="utf-8")
    numbat("expansions", "few.mrg", "-o", "few.exp")
    done = numbat("importance", "m.weights", *ON[:4], "--expansions", "few.exp")
    assert done.err == (
        "numbat: the weights were learned with other expansions\n"
        "  use the expansions that they were learned with, or learn them again: numbat learn weights\n"
    )
    done = numbat("importance", "m.weights", *ON, "--max-length", "1")
    assert (done.out, done.code, done.err) == (
        "", 65, "numbat: meals.mrg: no tree to measure the importance on\n"
        "  give a file of trees, with --from if need be\n"
    )  # fmt: skip
