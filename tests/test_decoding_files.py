"""Files of sequences: reading, messages about mistakes, round trips."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from numbat.errors import DataError
from numbat.labels.label_lattice import LabelArc, LabelLattice
from numbat.labels.relaxation import decode
from numbat.labels.sequence_files import LabelSequence, att_text, read_att, read_sequence
from tests.samples import enough
from tests.test_decoding import random_lattice


def sequence(**fields: Any) -> LabelSequence:
    return read_sequence(json.dumps({"labels": [{"A": -1.0, "B": -2.0}, {"A": 0, "B": -0.5}]} | fields), "f.jsonl:3")


def test_a_sequence() -> None:
    found = sequence(tokens=["x", "y"], gold=["A", "B"])
    assert (found.id, found.lattice.tokens, found.lattice.length) == ("f.jsonl:3", ("x", "y"), 2)
    assert found.gold == (LabelArc(0, 1, "A", 0.0), LabelArc(1, 2, "B", 0.0))
    assert sequence(id=7).id == "7"
    assert decode(found.lattice).labels == ("A", "A")
    assert decode(sequence(pairs={"A": {"A": None, "B": 0.25}}).lattice).labels == ("A", "B")
    assert decode(sequence(arcs=[[0, 2, "C", -0.5]]).lattice).arcs == (LabelArc(0, 2, "C", -0.5),)
    only_arcs = read_sequence(
        '{"arcs": [[0, 2, "C", -0.5], [2, 3, "D", 0]], "gold": [[0, 2, "C"], [2, 3, "D"]]}', "f:1"
    )
    assert only_arcs.lattice.length == 3


def test_constraints_of_a_sequence() -> None:
    found = sequence(fixed={"0": "B"}, disallow={"value": ["A"], "name": "no A", "cost": 2.5}, spans=[[0, 2]])
    assert [(one.name, one.constraint.cost, one.constraint.is_hard) for one in found.own] == [
        ("spans", None, True),
        ("fixed", None, True),
        ("no A", 2_500_000, False),
    ]
    assert decode(found.lattice, None, found.own).labels == ("B", "B")
    two = sequence(spans=[{"value": [[0, 1]], "name": "one"}, {"value": [[0, 2]], "name": "two", "cost": 0.1}])
    assert [one.name for one in two.own] == ["one", "two"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is not JSON: Expecting property name enclosed in double quotes at character 2\n"),
        ("[1]", "the line should be an object\n  found: [1]"),
        ("{}", 'neither "labels" nor "arcs"\n'),
        ('{"label": []}', 'unknown field "label"\n  did you mean "labels"?'),
        ('{"labels": {}}', '"labels" should be a list of mappings from labels to scores\n  found: {}'),
        (
            '{"labels": [{"A": 1}, {"A": "x"}]}',
            '"labels", entry 2, should be a mapping from labels to scores\n  found: {"A": "x"}',
        ),
        ('{"labels": [{"A": 1e300}]}', '"labels": 1e+300 is not a score\n'),
        (
            '{"labels": [{"A": 1}], "tokens": ["x", "y"]}',
            '"labels" has 1 entries for 2 tokens\n  give one for each token',
        ),
        (
            '{"arcs": [[0, 1, "A"]]}',
            '"arcs", entry 1, should be a segment [start, end, label, score]\n  found: [0, 1, "A"]',
        ),
        ('{"arcs": [[2, 1, "A", 0]]}', '"arcs": the arc "A" goes from 2 to 1 in a sequence of 1 tokens\n'),
        (
            '{"labels": [{"A": 1}], "pairs": {"A": {"A": "no"}}}',
            '"pairs" should be a mapping from labels to mappings from the next label to a score\n'
            '  found: {"A": {"A": "no"}}',
        ),
        (
            '{"labels": [{"A": 1}], "fixed": {"x": "A"}}',
            '"fixed" should be a mapping from positions to labels\n  found: {"x": "A"}',
        ),
        ('{"labels": [{"A": 1}], "fixed": {"1": "A"}}', '"fixed": there is no token 1 in a sequence of 1 tokens\n'),
        ('{"labels": [{"A": 1}], "spans": [[0, 2]]}', '"spans": the span 0-2 is outside a sequence of 1 tokens\n'),
        ('{"labels": [{"A": 1}], "spans": [[0]]}', '"spans" should be a list of spans [start, end]\n  found: [[0]]'),
        (
            '{"labels": [{"A": 1}], "disallow": {"value": ["A"], "price": 1}}',
            '"disallow": unknown field "price" of a constraint\n  the fields are: name, cost, value',
        ),
        (
            '{"labels": [{"A": 1}], "disallow": {"value": ["A"], "cost": "1"}}',
            'the "cost" of "disallow" should be a number from 0 to 1,000,000,000\n  found: "1"',
        ),
        (
            '{"labels": [{"A": 1}], "disallow": [{"value": ["A"]}, {"value": []}]}',
            '"disallow": two constraints have the name "disallow"\n  rename one of them',
        ),
        ('{"labels": [{"A": 1}], "gold": ["A", "B"]}', '"gold" has 2 entries for 1 tokens\n'),
        (
            '{"labels": [{"A": 1}], "gold": [[0, 2, "A"]]}',
            '"gold" should be a list of labels, or of segments [start, end, label] that cover the sequence in order\n'
            '  found: [[0, 2, "A"]]',
        ),
        ('{"labels": [{"A": 1}], "id": [1]}', '"id" should be a text\n  found: [1]'),
    ],
)
def test_mistakes_in_a_line(line: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_sequence(line, "f.jsonl:3")
    said = str(caught.value)
    assert said.startswith(f"f.jsonl:3: {message}")
    assert said.count("\n") == 1


def test_automata_go_out_and_come_back() -> None:
    for seed in range(enough(40)):
        rng = Random(seed)
        lattice = random_lattice(rng, ["A", "B", "C"])
        (back,) = read_att(att_text(lattice).splitlines(), "x.att")
        assert isinstance(back, LabelSequence)
        try:
            expected = decode(lattice).score
        except DataError:
            continue
        assert decode(back.lattice).score == expected


def test_several_automata() -> None:
    text = "0 1 the Det 0.5\n1 2 cat N\n1 2 cat V 2.5\n2\n\n0 1 A 1\n1 0.25\n"
    first, second = read_att(text.splitlines(), "x.att")
    assert isinstance(first, LabelSequence)
    assert isinstance(second, LabelSequence)
    assert (first.id, second.id) == ("x.att:1", "x.att:6")
    assert (decode(first.lattice).labels, decode(first.lattice).score) == (("Det", "N"), -0.5)
    assert (decode(second.lattice).labels, decode(second.lattice).score) == (("A",), -1.25)


def test_automata_of_foma_and_hfst() -> None:
    """The formats of `write att` and `hfst-fst2txt`: TABs, `@0@`, blanks in symbols, `--` between automata."""
    foma = "0\t1\t@0@\t@0@\n0\t1\tthe\tDet\n1\t2\t@_UNKNOWN_SYMBOL_@\tN\n2\n"
    hfst = (
        "0\t1\t@0@\tproper@_SPACE_@noun\t0.500000\n1\t2\t@_EPSILON_SYMBOL_@\t@_EPSILON_SYMBOL_@\t0.250000\n"
        "1\t1.000000\n2\t0.500000\n"
    )
    first, second = read_att((foma + "--\n" + hfst).splitlines(), "x.att")
    assert isinstance(first, LabelSequence)
    assert isinstance(second, LabelSequence)
    assert sorted(first.lattice.labels) == ["Det", "N"]
    assert first.lattice.length == 2
    assert (decode(second.lattice).labels, decode(second.lattice).score) == (("proper noun",), -1.25)


def test_arcs_of_no_label_change_no_labelling() -> None:
    """The best labelling of random automata is the best of all paths without their empty arcs."""
    for seed in range(enough(60)):
        rng = Random(seed)
        size = rng.randint(2, 6)
        arcs = [
            (source, target, rng.choice(["A", "B", "@0@"]), rng.randrange(1, 50) / 10)
            for source in range(size)
            for target in range(source + 1, size)
            if rng.random() < 0.7
        ]
        text = "".join(f"{source}\t{target}\t{label}\t{cost}\n" for source, target, label, cost in arcs)
        paths: list[tuple[int, tuple[str, ...], float]] = [(0, (), 0.0)]
        best: dict[tuple[str, ...], float] = {}
        for state, labels, cost in paths:
            if state == size - 1:
                best[labels] = min(best.get(labels, cost), cost)
            for source, target, label, own in arcs:
                if source == state:
                    paths.append((target, labels if label == "@0@" else (*labels, label), cost + own))
        if not best or not text.startswith("0\t"):
            continue
        (found,) = read_att(f"{text}{size - 1}\t0\n".splitlines(), "x.att")
        assert isinstance(found, LabelSequence)
        solution = decode(found.lattice)
        assert solution.score == pytest.approx(-min(best.values()))
        assert -best[solution.labels] == pytest.approx(solution.score)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "0 1 a b c d",
            "x.att:1: this is neither an arc nor a final state\n"
            "  a line is: from to label [weight], or from to word label [weight], or state [weight]",
        ),
        ("0 x A", 'x.att:1: "x" is not a state\n  states are numbers from 0 on'),
        (
            "0 1 N\n1 2 @_IDENTITY_SYMBOL_@ @_IDENTITY_SYMBOL_@ 0.5\n2",
            "x.att:2: @_IDENTITY_SYMBOL_@ stands for any label\n"
            "  compose the automaton with one of all labels, so that each arc names one",
        ),
        (
            "0 1 @0@\n1 0 @0@\n1",
            "x.att:1: the automaton has a cycle through state 0\n  labellings would have unlimited length",
        ),
        (
            "0 1 A\n1 0 B\n1",
            "x.att:1: the automaton has a cycle through state 0\n  labellings would have unlimited length",
        ),
        (
            "0 1 A B nan\n1",
            "x.att:1: this is neither an arc nor a final state\n"
            "  a line is: from to label [weight], or from to word label [weight], or state [weight]",
        ),
    ],
)
def test_mistakes_in_an_automaton(text: str, message: str) -> None:
    (found,) = read_att(text.splitlines(), "x.att")
    assert isinstance(found, DataError)
    assert str(found) == message


def test_the_automaton_of_a_sentence_with_segments_has_its_places() -> None:
    lattice = LabelLattice.from_arcs(3, [(0, 1, "A", 0.0), (1, 3, "B", 0.0), (0, 2, "B", -1.0), (2, 3, "A", 0.0)])
    assert decode(lattice).arcs == (LabelArc(0, 1, "A", 0.0), LabelArc(1, 3, "B", 0.0))
