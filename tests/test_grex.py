"""Rules with features ranked by sparse logistic regression, counted again by a script that shares no code."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from numbat.treebank.conllu import DependencyTree, read_conllu
from numbat.treebank.grex import Phenomenon, RankedRule, compared, ranked_rules
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.rule_counts import count_treebank
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
