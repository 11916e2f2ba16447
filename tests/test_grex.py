"""Rules and properties with features: ranked, proposed, and counted again by scripts that share no code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat.grammar.loading import parse_grammar
from numbat.grammar.properties import format_property
from numbat.parsing.parser import Parser
from numbat.parsing.queries import judge_tree
from numbat.treebanks.conllu import DependencyTree, read_conllu
from numbat.treebanks.example_phrases import has_features
from numbat.treebanks.featured import FeaturedCandidates
from numbat.treebanks.grex import Phenomenon, RankedRule, compared, ranked_rules
from numbat.treebanks.induce import InductionSettings, Thresholds, induce
from numbat.treebanks.induced import format_induced
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.rule_counts import count_treebank
from numbat.treebanks.trees import Tree
from tests.command_line import Numbat

pytest.importorskip("numpy")


def treebank() -> str:
    """Sentences in which ordinals and *old* precede their nouns, other adjectives follow; all but *red* agree."""
    random = Random(3)
    blocks = []
    for number in range(300):
        kind = random.choice(("ordinal", "old", "plain", "plain", "plain"))
        lemma = {"ordinal": "first", "old": "old"}.get(kind) or random.choice(("red", "big", "sad"))
        before = kind != "plain" if random.random() < 0.97 else kind == "plain"
        noun = random.choice(("Sing", "Plur"))
        other = noun if random.random() < (0.5 if lemma == "red" else 0.98) else {"Sing": "Plur", "Plur": "Sing"}[noun]
        feats = f"Number={other}" + ("|NumType=Ord" if kind == "ordinal" else "")
        at, head = (2, 3) if before else (3, 2)
        words = {
            1: ("the", "the", "DET", "_", head, "det"),
            at: (lemma, lemma, "ADJ", feats, head, "amod"),
            head: ("house", "house", "NOUN", f"Number={noun}", 0, "root"),
        }
        rows = [
            f"{place}\t{form}\t{lemma}\t{tag}\t_\t{feats}\t{to}\t{relation}\t_\t_"
            for place, (form, lemma, tag, feats, to, relation) in sorted(words.items())
        ]
        blocks.append("\n".join([f"# sent_id = s{number}", *rows]))
    return "\n\n".join(blocks) + "\n\n"


TEXT = treebank()


@pytest.fixture(scope="module")
def trees() -> list[DependencyTree]:
    return [each for each in read_conllu(TEXT.split("\n"), "x") if isinstance(each, DependencyTree)]


@pytest.fixture(scope="module")
def rules(trees: list[DependencyTree]) -> list[RankedRule]:
    return ranked_rules(trees, most=4)


def recount(text: str, rule: RankedRule) -> tuple[int, int, int, int]:
    """Count matching, right, answered and all occurrences of a rule in the lines of a file."""
    matching = right = answered = occurrences = 0
    for block in text.strip().split("\n\n"):
        rows = {row.split("\t")[0]: row.split("\t") for row in block.split("\n") if row[0] != "#"}
        for own in rows.values():
            head = rows.get(own[6])
            if head is None or (own[3], head[3]) != (rule.phenomenon.dependent, rule.phenomenon.head):
                continue
            feats = [dict(pair.split("=") for pair in row[5].split("|") if pair != "_") for row in (own, head)]
            if rule.phenomenon.feature:
                values = [each.get(rule.phenomenon.feature) for each in feats]
                if None in values:
                    continue
                answer = "agrees" if values[0] == values[1] else "differs"
            else:
                answer = "before" if int(own[0]) < int(head[0]) else "after"
            facts = {f"dependent.relation={own[7]}", f"head.relation={head[7]}", f"dependent.lemma={own[2]}"}
            facts.add("above=" + (rows[head[6]][3] if head[6] in rows else "root"))
            for name, of in zip(("dependent", "head"), feats, strict=True):
                facts |= {f"{name}.{feature}={value}" for feature, value in of.items()}
            for each in rows.values():
                facts |= {f"dependent.has={each[3]}"} if each[6] == own[0] else set()
                facts |= {f"head.has={each[3]}"} if each[6] == head[0] and each is not own else set()
            occurrences += 1
            answered += answer == rule.answer
            if facts.issuperset(rule.conditions):
                matching += 1
                right += answer == rule.answer
    return matching, right, answered, occurrences


def test_an_independent_count_is_the_same(rules: list[RankedRule]) -> None:
    assert len(rules) > 4
    for rule in rules:
        assert recount(TEXT, rule) == (rule.matching, rule.right, rule.answered, rule.occurrences)
        assert rule.precision == rule.right / rule.matching
        assert rule.coverage == rule.right / rule.answered


def test_what_was_put_in_comes_out_first(rules: list[RankedRule]) -> None:
    order = [each for each in rules if each.phenomenon == Phenomenon("NOUN", "ADJ")]
    first = {each.conditions: each.answer for each in order[:2]}
    assert first == {("dependent.NumType=Ord",): "before", ("dependent.lemma=old",): "before"}
    agreeing = next(each for each in rules if each.phenomenon == Phenomenon("NOUN", "ADJ", "Number"))
    assert (agreeing.conditions, agreeing.answer) == (("dependent.lemma=red",), "differs")
    assert [each.rank for each in order] == list(range(1, len(order) + 1))
    assert [each.penalty for each in order] == sorted((each.penalty for each in order), reverse=True)
    assert order[0].example is not None
    assert order[0].example.marked(()) == "first house"
    assert not [each for each in rules if each.phenomenon == Phenomenon("NOUN", "DET")]  # always before: no question


def test_the_counts_of_properties_stand_beside(rules: list[RankedRule], trees: list[DependencyTree]) -> None:
    counts = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(trees))
    for each in compared(rules, counts):
        assert each.support is not None
        by_hand = recount(TEXT, each.rule)
        if each.rule.phenomenon.feature:
            yes = by_hand[2] if each.rule.answer == "agrees" else by_hand[3] - by_hand[2]
            assert each.property == "NOUN-P: ADJ-P ~> NOUN [Number]"
        else:
            yes = by_hand[2]
            assert each.property == ("NOUN-P: ADJ-P < NOUN" if each.rule.answer == "before" else "NOUN-P: NOUN < ADJ-P")
        assert (each.support.valid, each.support.violating) == (yes, by_hand[3] - yes)


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    (tmp_path / "x.conllu").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def test_the_command_prints_them_and_writes_the_grammar(numbat: Numbat) -> None:
    done = numbat("induce", "x.conllu", "--rank", "grex", "-n", "1", "-o", "x.pg")
    assert done.code == 0, done.err
    head, counts, columns, first, phrases, *_ = done.out.split("\n")
    assert head.startswith("ADJ and NOUN: order, 300 occurrences, of which ")
    assert counts.startswith("  NOUN-P: ADJ-P < NOUN  ")
    assert columns.split() == ["rank", "precision", "coverage", "counts", "gain", "rule"]
    assert first.endswith("dependent.NumType=Ord: ADJ before NOUN")
    assert phrases.strip() == '"first house"; not "house first"'
    assert "NOUN-P:" in Path("x.pg").read_text(encoding="utf-8")
    value = json.loads(numbat("induce", "x.conllu", "--rank", "grex", "-f", "json").out)
    assert value["rules"][0]["conditions"] == ["dependent.NumType=Ord"]
    table = numbat("induce", "x.conllu", "--rank", "grex", "-f", "tsv").out.split("\n")
    assert len(table[0].split("\t")) == len(table[1].split("\t")) == 19


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rank", "grex", "--functions"), "--rank and --functions"),
        (("--rank", "grex", "-f", "html"), "--rank and -f html"),
        (("--rank", "grex", "-o", "folder/"), "--rank and a folder"),
        (("-n", "3"), "-n is about proposals\n  add --structure MODEL, or --rank grex"),
    ],
)
def test_what_does_not_go_together_is_told(arguments: tuple[str, ...], message: str, numbat: Numbat) -> None:
    done = numbat("induce", "x.conllu", *arguments)
    assert (done.code, message in done.err) == (2, True), done.err


def test_trees_without_dependencies_have_nothing_to_rank(numbat: Numbat) -> None:
    Path("x.mrg").write_text("(S (N a) (V b))\n", encoding="utf-8")
    done = numbat("induce", "x.mrg", "--rank", "grex")
    assert (done.code, "no dependencies to rank rules of" in done.err) == (65, True), done.err


# Properties whose operands have features


def featured_counts(
    text: str, relation: str, one: str, value: tuple[str, str], other: str, turned: bool = False
) -> tuple[int, int]:
    """Count the phrases of nouns that satisfy and violate a property of `one[value]` and `other`, from the lines.

    `turned`: the other one comes first.
    """
    satisfied = violated = 0
    for block in text.strip().split("\n\n"):
        rows = [row.split("\t") for row in block.split("\n") if row[0] != "#"]
        for head in (row for row in rows if row[3] == "NOUN"):
            around = [row for row in rows if row is head or row[6] == head[0]]
            named = {id(row): row[3] if row is head else f"{row[3]}-P" for row in around}
            first = [int(row[0]) for row in around if named[id(row)] == one and "=".join(value) in row[5].split("|")]
            second = [int(row[0]) for row in around if named[id(row)] == other]
            if relation == "linearity" and first and second:
                right = max(second) < min(first) if turned else max(first) < min(second)
                satisfied += right
                violated += not right
            elif relation == "requirement" and first:
                satisfied += bool(second)
                violated += not second
            elif relation == "exclusion" and (first or second):
                violated += bool(first and second)
                satisfied += not (first and second)
    return satisfied, violated


def test_a_feature_that_decides_becomes_one_of_the_grammar(trees: list[DependencyTree]) -> None:
    counts = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(trees))
    found = induce(counts, InductionSettings(name="x", least=Thresholds(5, 0.9, 5), lexicon=True))
    (noun,) = (each for each in found.constructions if each.name == "NOUN-P")
    written = {format_property(each.property): each for each in noun.properties if has_features(each.property)}
    ordinal = written["ADJ-P[NumType=Ord] < NOUN"]
    assert (ordinal.support.valid, ordinal.support.violating) == featured_counts(
        TEXT, "linearity", "ADJ-P", ("NumType", "Ord"), "NOUN"
    )
    assert ordinal.example is not None
    assert ordinal.example.marked({"ADJ-P"}) == "the [first] house"
    assert "NumType" in dict(found.grammar.features)
    text = format_induced(found)
    assert parse_grammar(text) == found.grammar
    for words, violated in (("the first house", False), ("the house first", True), ("the house new", False)):
        tree = judge_tree(phrase(words), Parser(found.grammar))
        assert any("NumType" in format_property(each.property) for each in tree.violated) == violated


def phrase(words: str) -> Tree:
    """A noun phrase as the induced grammar has it, over words that are known or not."""
    tags = {"the": "DET", "house": "NOUN"}
    return Tree("NOUN-P", tuple(
        Tree(tag, (), word) if tag == "NOUN" else Tree(f"{tag}-P", (Tree(tag, (), word),))
        for word in words.split()
        for tag in [tags.get(word, "ADJ")]
    ))  # fmt: skip


def test_no_feature_is_taken_by_chance(trees: list[DependencyTree]) -> None:
    """Values that are shuffled over the words foretell nothing, so that no property takes them."""
    random = Random(5)
    for _ in range(5):
        values = [random.choice(("Ord", "Card", "Mult")) for _ in trees]
        shuffled = [
            replace(tree, words=tuple(
                replace(word, feats=(("NumType", value),) if word.upos == "ADJ" else ()) for word in tree.words
            ))
            for tree, value in zip(trees, values, strict=True)
        ]  # fmt: skip
        counts = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(shuffled))
        found = induce(counts, InductionSettings(least=Thresholds(5, 0.5, 5)))
        assert not [each for each in found.grammar.properties if has_features(each)]


def random_phrases() -> str:
    """Noun phrases whose daughters, features and order are drawn."""
    random = Random(11)
    blocks = []
    for number in range(120):
        words = [random.choice(("DET", "ADJ", "NUM")) for _ in range(random.randint(0, 4))]
        head = random.randint(1, len(words) + 1)
        tags = [*words[: head - 1], "NOUN", *words[head - 1 :]]
        rows = [
            f"{place}\tw\tw\t{tag}\t_\t{random.choice(('A=1', 'A=2', 'B=1', 'A=1|B=2', '_'))}\t"
            f"{0 if place == head else head}\t{'root' if place == head else 'dep'}\t_\t_"
            for place, tag in enumerate(tags, start=1)
        ]
        blocks.append("\n".join([f"# sent_id = r{number}", *rows]))
    return "\n\n".join(blocks) + "\n\n"


def test_counts_with_features_are_those_of_a_slow_reading() -> None:
    """All that can be proposed is proposed, without thresholds, and counted again."""
    text = random_phrases()
    read = [each for each in read_conllu(text.split("\n"), "x") if isinstance(each, DependencyTree)]
    counts = count_treebank(TreebankSentence(str(number), tree) for number, tree in enumerate(read))
    candidates = FeaturedCandidates(*counts.featured, 1, 0.0)
    candidates.needed = 0.0
    found = list(candidates.of("NOUN-P", set()))
    assert {each.relation for each in found} == {"linearity", "requirement", "exclusion"}
    assert {each.at for each in found} == {0, 1}
    for each in found:
        one, other = each.operands if each.at == 0 else each.operands[::-1]
        counted = featured_counts(text, each.relation, one, (each.feature, each.value), other, each.at == 1)
        assert (each.valid, each.violating) == counted, each
