"""Decoding under constraints: against enumeration and the evaluator, the compiled search against Python, and laws."""

from __future__ import annotations

import pickle
from collections import ChainMap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise, product
from random import Random
from typing import Any

import pytest

import numbat
from numbat import clock, native
from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, format_bundle
from numbat.labels import python_relaxation, relaxation
from numbat.labels.constraints import Constraints, Daughters, DecodingProblem, Found, grouped, kind_of
from numbat.labels.label_lattice import LabelArc, LabelLattice
from numbat.labels.penalties import explain
from numbat.labels.relaxation import BestLabels, InfeasibleError, decode
from numbat.labels.sequence_files import PlaceConstraint, disallow, fixed, spans
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Scheme
from tests.samples import enough
from tests.strategies import random_bundle, random_grammar

FORBIDDEN = float("-inf")
MANY_STATES = 200


@cache
def flat_grammar(seed: int) -> tuple[Grammar, str, list[str]]:
    """A random grammar of every relation, its construction of the most properties, labels for its daughters.

    Without those relations of three operands that have many states: they take seconds, and are not decoded otherwise.
    """
    rng = Random(seed)
    grammar = random_grammar(rng)
    found = max(grammar.constructions, key=lambda each: len(each.properties))
    properties = tuple(
        [replace(prop, hard=rng.random() < 0.3, cost_units=rng.randint(0, 4 * UNIT)) for prop in found.properties]
    )
    construction = replace(found, properties=properties, constituency=None)
    every = tuple(construction if each is found else each for each in grammar.constructions)
    operands = [operand.category for prop in construction.properties for operand in prop.all_operands()]
    categories = sorted({*operands, *grammar.leaves})
    chosen = rng.sample(categories, min(3, len(categories)))
    labels = [category + format_bundle(random_bundle(rng)) for category in chosen]
    grammar = replace(grammar, constructions=every)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numbat.labels.constraints.MAX_STATES", MANY_STATES)
        try:
            Constraints(grammar, construction.name).pack(tuple(labels), 1, None)
        except DataError:
            return flat_grammar(seed + 1_000)
    return grammar, construction.name, labels


@cache
def constraints_of(seed: int, daughters: Daughters = "labels", counting: str = "once") -> Constraints:
    """Return the constraints of a random grammar, compiled once for all tests."""
    grammar, construction, _ = flat_grammar(seed)
    return Constraints(grammar, construction, daughters, counting)


def random_lattice(rng: Random, labels: Sequence[str]) -> LabelLattice:
    """Labels of tokens, with or without scored pairs, or segments."""
    length = rng.randint(1, 4)
    kind = rng.choice(["labels", "pairs", "segments"])
    if kind == "segments":
        arcs = [(i, i + 1, rng.choice(labels), -rng.randint(0, 30) / 8) for i in range(length)]
        for _ in range(2 * length):
            start = rng.randrange(length)
            arcs.append((start, rng.randint(start + 1, length), rng.choice(labels), -rng.randint(0, 30) / 8))
        return LabelLattice.from_arcs(length, arcs)
    scored = [
        {label: -rng.randint(0, 30) / 8 for label in rng.sample(labels, rng.randint(1, len(labels)))}
        for _ in range(length)
    ]
    if kind == "labels":
        return LabelLattice.from_labels(scored)
    pairs: dict[str, dict[str, float | None]] = {
        before: {label: None if rng.random() < 0.2 else -rng.randint(0, 8) / 8 for label in labels} for before in labels
    }
    return LabelLattice.from_labels(scored, pairs)


def paths(lattice: LabelLattice) -> Iterator[tuple[int, ...]]:
    """Every labelling, as the places of its arcs."""

    def after(state: int) -> Iterator[tuple[int, ...]]:
        if lattice.ends[state] > -(1 << 62):
            yield ()
        for arc in range(lattice.first[state], lattice.first[state + 1]):
            for rest in after(lattice.targets[arc]):
                yield (arc, *rest)

    return after(0)


Judge = Callable[[Sequence[str]], float]


def judge_of(
    grammar: Grammar, construction: str, daughters: Daughters, counting: str = "once", soft: bool | None = None
) -> Judge:
    """Return the score of a labelling by the evaluator: minus the costs of its violated properties."""
    evaluator = Evaluator(build_table(grammar))

    def judge(labels: Sequence[str]) -> float:
        own = [label for label, _ in groupby(labels)] if daughters == "runs" else labels
        kinds = [kind_of(label) for label in own]
        phrase = tuple([Constituent(category, 1 << i, features) for i, (category, features) in enumerate(kinds)])
        found = evaluator.characterize(construction, phrase).violated
        if any((instance.property.hard if soft is None else not soft) for instance in found):
            return FORBIDDEN
        costs = [(id(instance.property), instance.property.cost_units) for instance in found]
        return -sum(cost for _, cost in (dict(costs).items() if counting == "once" else costs)) / UNIT

    return judge


def enumerated(lattice: LabelLattice, judge: Judge) -> float:
    """The score of the best labelling."""
    scored = [lattice.path(path) for path in paths(lattice)]
    each = (sum(arc.score for arc in path) + judge([arc.label for arc in path]) for path in scored)
    return max(each, default=FORBIDDEN)


def score_of(lattice: LabelLattice, constraints: Constraints | None, own: Any = (), **settings: Any) -> float:
    try:
        return decode(lattice, constraints, own, **settings).score
    except InfeasibleError:
        return FORBIDDEN


def test_decoding_finds_what_enumeration_finds() -> None:
    """On random grammars and lattices, hard, soft and mixed, counted once and by instance, relaxed and not."""
    infeasible = changed = refused = 0
    for seed in range(enough(90)):
        rng = Random(seed)
        grammar, construction, labels = flat_grammar(seed)
        daughters: Daughters = rng.choice(["labels", "runs"])
        counting = rng.choice(["once", "once", "instance"])
        if counting == "instance":
            grammar = replace(grammar, semantics=replace(grammar.semantics, counting="instance"))
        constraints = Constraints(grammar, construction, daughters, counting)
        for _ in range(8):
            lattice = random_lattice(rng, labels)
            soft = rng.choice([None, True, False])
            expected = enumerated(lattice, judge_of(grammar, construction, daughters, counting, soft))
            try:
                both = [score_of(lattice, constraints, soft=soft, relaxed=relaxed) for relaxed in (True, False)]
            except DataError as error:  # a property that mixes order and places is refused, and not judged otherwise
                if "needs more than 5,000 states" not in str(error):
                    raise
                refused += 1
                break
            assert both == pytest.approx([expected] * 2, abs=1e-9), (seed, soft)
            infeasible += expected == FORBIDDEN
            changed += expected < score_of(lattice, None)
    assert infeasible > enough(50)
    assert changed > enough(250)
    assert refused < 5


def own_constraints(
    rng: Random, length: int, labels: Sequence[str]
) -> tuple[list[PlaceConstraint], Callable[[Sequence[LabelArc]], float]]:
    """Return random spans, fixed and disallowed labels, some of them soft, and a separate implementation of them."""
    costs = [None if rng.random() < 0.4 else rng.randint(0, 24) / 8 for _ in range(3)]
    tied = [(start, rng.randint(start + 1, length)) for start in [rng.randrange(length)] for _ in range(2)]
    at = {rng.randrange(length): rng.choice(labels) for _ in range(rng.randint(1, 2))}
    without = rng.choice(labels)

    def judge(path: Sequence[LabelArc]) -> float:
        found = [arc.label for arc in path for _ in range(arc.start, arc.end)]
        wrong = [
            any(len(set(found[start:end])) > 1 for start, end in tied),
            any(found[position] != label for position, label in at.items()),
            without in found,
        ]
        lost = [FORBIDDEN if cost is None else -cost for cost, is_wrong in zip(costs, wrong, strict=True) if is_wrong]
        return sum(lost)

    made = [spans(length, tied, "spans", costs[0]), fixed(length, at, "fixed", costs[1])]
    return [*made, disallow([without], "disallow", costs[2])], judge


def test_constraints_of_one_sequence() -> None:
    """With and without the constraints of a grammar, over labels of tokens and of segments."""
    infeasible = 0
    for seed in [*range(90)] * 3:
        rng = Random(f"{seed} {infeasible}")
        grammar, construction, labels = flat_grammar(seed)
        lattice = random_lattice(rng, labels)
        own, judge = own_constraints(rng, lattice.length, labels)
        of_grammar = judge_of(grammar, construction, "labels")
        every = [lattice.path(path) for path in paths(lattice)]
        scores = [sum(arc.score for arc in path) + judge(path) for path in every]
        assert score_of(lattice, None, own) == pytest.approx(max(scores, default=FORBIDDEN)), seed
        both = [score + of_grammar([arc.label for arc in path]) for score, path in zip(scores, every, strict=True)]
        expected = max(both, default=FORBIDDEN)
        assert score_of(lattice, constraints_of(seed), own) == pytest.approx(expected, abs=1e-9), seed
        infeasible += expected == FORBIDDEN
    assert 30 < infeasible < 240


def problems(count: int, limit: int = 5_000) -> list[DecodingProblem]:
    """The problems of random tasks, some of which need more items than they may make."""
    found: list[DecodingProblem] = []
    real = relaxation.relax

    def noted(problem: DecodingProblem) -> Found:
        found.append(problem)
        return real(problem)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relaxation, "relax", noted)
        for seed in range(count):
            rng = Random(seed)
            _, _, labels = flat_grammar(seed)
            constraints = constraints_of(seed, rng.choice(["labels", "runs"]))
            for soft in (None, True, None, True, None, True):
                lattice = random_lattice(rng, labels)
                own, _ = own_constraints(rng, lattice.length, labels)
                settings: dict[str, Any] = {
                    "soft": soft,
                    "relaxed": rng.random() < 0.7,
                    "limit": rng.choice([1, 5, 30, limit]),
                }
                with suppress(DataError):
                    decode(lattice, constraints, own, **settings)
    return found


def test_the_compiled_search_is_the_python_search() -> None:
    """Both agree in results, numbers of items, products and arcs visited, and in the way they ended."""
    if native.load(native.DECODING) is None:
        pytest.skip("the compiled search is not in use")
    every = problems(90)
    statuses = set()
    for problem in every:
        found = relaxation.relax(problem)
        assert found == python_relaxation.relax(problem)
        statuses.add(found.status)
    assert statuses == {0, 1, 2}


GRAMMAR = """
leaves: A0, A1, O
roots: R
R:
    uniq A0 hard
    uniq A1 cost 2
    oblig {A0, A1} hard
    A0 < A1 cost 1
    const {A0, A1, O}
"""


@pytest.fixture
def roles() -> Constraints:
    return Constraints(numbat.parse_grammar(GRAMMAR))


def lattice_of(*rows: dict[str, float]) -> LabelLattice:
    return LabelLattice.from_labels(rows)


def test_a_solution(roles: Constraints) -> None:
    lattice = lattice_of({"A1": 0, "O": -3}, {"A0": 0, "O": -0.5}, {"A0": -1, "O": -2})
    found = decode(lattice, roles, soft=False)
    assert (found.labels, found.score, found.violated) == (("A1", "O", "O"), -2.5, ())
    assert found.added == ("R: uniq A0", "R: A0 < A1")
    found = decode(lattice, roles, soft=True)
    assert (found.labels, found.score) == (("A1", "A0", "O"), -3.0) or found.score == -2.5
    free = decode(lattice)
    assert (free.labels, free.score, free.intersections, free.sizes) == (("A1", "A0", "A0"), -1.0, 0, (6,))


def test_lattices_are_packed_alike() -> None:
    """Compiled and in Python, with any type of mapping."""
    for seed in range(enough(50)):
        rng = Random(seed)
        rows = [
            {f"L{rng.randint(0, 9)}": rng.gauss(0, 9) for _ in range(rng.randint(0, 5))}
            for _ in range(rng.randint(0, 6))
        ]
        made = LabelLattice.from_labels(rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NUMBAT_KERNEL", "python")
            assert LabelLattice.from_labels(rows) == made
        assert LabelLattice.from_labels([ChainMap(row) for row in rows]) == made


def test_hard_is_soft_with_infinite_costs() -> None:
    for seed in range(enough(60)):
        rng = Random(seed)
        _, _, labels = flat_grammar(seed)
        constraints = constraints_of(seed)
        dear = constraints.with_costs({each.name: 1e6 for each in constraints.constraints})
        lattice = random_lattice(rng, labels)
        hard = score_of(lattice, dear, soft=False)
        soft = score_of(lattice, dear, soft=True)
        assert soft == hard if hard > FORBIDDEN else soft < -9e5


def test_a_constraint_more_never_raises_the_score() -> None:
    for seed in range(enough(60)):
        rng = Random(seed)
        _, _, labels = flat_grammar(seed)
        lattice = random_lattice(rng, labels)
        own, _ = own_constraints(rng, lattice.length, labels)
        scores = [score_of(lattice, constraints_of(seed), own[:number]) for number in range(4)]
        assert scores == sorted(scores, reverse=True)


def test_order_of_constraints_and_names_of_labels_do_not_matter() -> None:
    for seed in range(enough(60)):
        rng = Random(seed)
        grammar, construction, labels = flat_grammar(seed)
        lattice = random_lattice(rng, labels)
        forms = [
            replace(each, properties=tuple(rng.sample(each.properties, len(each.properties))))
            for each in grammar.constructions
        ]
        shuffled = replace(grammar, constructions=tuple(forms))
        expected = score_of(lattice, constraints_of(seed))
        assert score_of(lattice, Constraints(shuffled, construction)) == expected
    text = GRAMMAR
    lattice = lattice_of({"A1": 0, "O": -3}, {"A0": 0, "O": -0.5}, {"A0": -1, "O": -2})
    renamed = lattice_of({"X1": 0, "N": -3}, {"X0": 0, "N": -0.5}, {"X0": -1, "N": -2})
    other = text.replace("A", "X").replace("O", "N")
    found = [
        decode(lattice, Constraints(numbat.parse_grammar(text)), soft=True),
        decode(renamed, Constraints(numbat.parse_grammar(other)), soft=True),
    ]
    assert found[0].labels == tuple(label.replace("X", "A").replace("N", "O") for label in found[1].labels)
    assert found[0].score == found[1].score


def test_a_reward_is_a_constant_and_a_penalty(roles: Constraints) -> None:
    """A cost below 0 rewards a violation, and is worth as much as the same cost of the complement."""
    rewarded = roles.with_costs({"R: uniq A1": -4})
    lattice = lattice_of({"A1": 0, "O": 0}, {"A1": -1, "O": 0}, {"A0": 0, "O": -9})
    found = decode(lattice, rewarded)
    assert found.labels == ("A1", "A1", "A0")
    assert found.score == pytest.approx(-1 + 4 - 1)
    assert {each.constraint.name: each.cost for each in found.violated} == {"R: uniq A1": -4.0, "R: A0 < A1": 1.0}
    for seed in range(enough(40)):
        rng = Random(seed)
        grammar, _, labels = flat_grammar(seed)
        costs = {each.name: rng.randint(-16, 16) / 8 for each in constraints_of(seed).constraints}
        given = constraints_of(seed).with_costs(costs)
        lattice = random_lattice(rng, labels)
        evaluator = Evaluator(build_table(grammar))

        def judge(
            found: Sequence[str], evaluator: Evaluator = evaluator, given: Constraints = given, costs: Any = costs
        ) -> float:
            kinds = [kind_of(label) for label in found]
            phrase = tuple([Constituent(category, 1 << i, features) for i, (category, features) in enumerate(kinds)])
            violated = {id(one.property) for one in evaluator.characterize(given.construction, phrase).violated}
            return -sum(float(costs[each.name]) for each in given.constraints if id(each.property) in violated)

        assert score_of(lattice, given) == pytest.approx(enumerated(lattice, judge)), seed


def test_a_conflict_travels() -> None:
    error = pickle.loads(pickle.dumps(InfeasibleError(["a", "b"])))
    assert (error.conflict, str(error)) == (("a", "b"), str(InfeasibleError(["a", "b"])))


@cache
def hard_constraints_of(seed: int) -> Constraints:
    """Return the constraints of a random grammar, all of them hard."""
    grammar, construction, _ = flat_grammar(seed)
    form = next(each for each in grammar.constructions if each.name == construction)
    hard = replace(form, properties=tuple([replace(prop, hard=True) for prop in form.properties]))
    every = tuple(hard if each is form else each for each in grammar.constructions)
    return Constraints(replace(grammar, constructions=every), construction)


def test_no_two_of_a_conflict_can_be_left_out() -> None:
    """Each constraint of a conflict alone can be left out, and then a labelling satisfies the rest of the conflict."""
    seen = 0
    for seed in [*range(90)] * 4:
        rng = Random(f"{seed} {seen}")
        _, _, labels = flat_grammar(seed)
        lattice = random_lattice(rng, labels)
        constraints = constraints_of(seed)
        try:
            decode(lattice, constraints, soft=False)
        except InfeasibleError as error:
            conflict = set(error.conflict)
            if not conflict:
                assert score_of(lattice, None) == FORBIDDEN
                continue
            for left_out in (None, *conflict):
                kept = conflict - {left_out}
                costs = {each.name: 0.0 for each in constraints.constraints if each.name not in kept}
                only = hard_constraints_of(seed).with_costs(costs)
                assert (score_of(lattice, only) == FORBIDDEN) == (left_out is None)
            seen += 1
    assert seen > 100


def test_labels_of_chunks_make_daughters() -> None:
    labels = ["B-NP", "I-NP", "O", "O", "I-NP", "B-NP", "I-VP"]
    found = [(0, 2, "NP"), (2, 4, "O"), (4, 5, "NP"), (5, 6, "NP"), (6, 7, "VP")]
    assert grouped(labels, SCHEMES["iob2"]) == found
    grammar = numbat.parse_grammar("leaves: NP, VP, O\nroots: S\nS:\n    uniq NP hard\n    oblig VP hard\n")
    constraints = Constraints(grammar, daughters="iob2")
    row = {"B-NP": -0.1, "I-NP": -0.2, "B-VP": -3.0, "O": -4.0}
    assert decode(lattice_of(row, row, row), constraints).labels == ("B-NP", "I-NP", "B-VP")
    assert decode(lattice_of(row, row, row), None).labels == ("B-NP", "B-NP", "B-NP")


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_every_scheme_constrains(scheme: Scheme) -> None:
    """The result is the best of the labellings that a scheme allows and in which each type occurs at most once."""
    grammar = numbat.parse_grammar("leaves: A, B, O\nroots: S\nS:\n    uniq {A, B} hard\n")
    constraints = Constraints(grammar, daughters=scheme)
    alphabet = [OUTSIDE, *(scheme.label(sign, each) for sign in sorted(scheme.signs - {OUTSIDE}) for each in "AB")]
    for seed in range(15):
        rng = Random(seed)
        rows = [{label: -rng.randrange(40) / 8 for label in rng.sample(alphabet, 4)} for _ in range(5)]
        kept = {}
        for labels in product(*rows):
            types = [kind for _, _, kind in scheme.chunks(labels)]
            pairs = pairwise((OUTSIDE, *labels, OUTSIDE))
            if len(set(types)) == len(types) and all(scheme.allows(*pair) for pair in pairs):
                kept[labels] = sum(row[label] for row, label in zip(rows, labels, strict=True))
        lattice = LabelLattice.from_labels(rows)
        if not kept:
            with pytest.raises(InfeasibleError):
                decode(lattice, constraints)
            continue
        solution = decode(lattice, constraints)
        assert solution.score == pytest.approx(max(kept.values()))
        assert solution.labels in kept
    with pytest.raises(DataError, match=f'"X-A" is not a label of the scheme {scheme.name}'):
        decode(lattice_of({"X-A": 0.0}), constraints)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: lattice_of({"A": float("nan")}),
            "nan is not a score\n  a score is a number of at most 1,000,000; leave out labels that are impossible",
        ),
        (
            lambda: LabelLattice.from_arcs(2, [(1, 3, "A", 0.0)]),
            'the arc "A" goes from 1 to 3 in a sequence of 2 tokens\n'
            "  an arc has at least one token: from a position, counted from 0, to one past its last token",
        ),
        (
            lambda: LabelLattice.of_graph({1: 0.0}, [(0, 1, "A", 0.0), (1, 0, "B", 0.0)], 0),
            "the automaton has a cycle through state 0\n  labellings would have unlimited length",
        ),
        (
            lambda: decode(lattice_of({"A": 0.0}, {})),
            "the lattice has no labelling\n  give each token at least one label",
        ),
        (
            lambda: spans(3, [(2, 4)]),
            "the span 2-4 is outside a sequence of 3 tokens\n"
            "  a span goes from a position, counted from 0, to one past its last token",
        ),
        (
            lambda: fixed(3, {3: "A"}),
            "there is no token 3 in a sequence of 3 tokens\n  positions are counted from 0",
        ),
        (
            lambda: decode(lattice_of({"A": 0.0}), None, [fixed(3, {2: "A"})]),
            '"fixed" was made for 3 tokens, but the lattice has 1\n  make one for each sequence',
        ),
        (
            lambda: decode(lattice_of({"O": 0.0}), Constraints(numbat.parse_grammar(GRAMMAR))),
            "no labelling satisfies R: oblig A0 | A1\n  give it a cost, or allow more labels",
        ),
        (
            lambda: decode(
                lattice_of({"O": 0.0, "A0": -1.0}),
                Constraints(numbat.parse_grammar(GRAMMAR)),
                [fixed(1, {0: "O"}, "predicate")],
            ),
            "no labelling satisfies all of these: R: oblig A0 | A1; predicate\n"
            "  if any one of them is left out, the others can hold: give one a cost, or allow more labels",
        ),
        (
            lambda: decode(
                lattice_of(*[{"A0": 0.0, "A1": 0.0}] * 9), Constraints(numbat.parse_grammar(GRAMMAR)), limit=3
            ),
            "the search for the best labels stopped at its limit of 3 items\n"
            "  raise the limit (--max-items), make constraints soft, or leave out unlikely labels",
        ),
    ],
)
def test_what_is_said_of_what_cannot_be(make: Callable[[], object], message: str) -> None:
    with pytest.raises(DataError) as caught:
        make()
    assert str(caught.value) == message


def test_longer_sequences_when_instances_are_counted() -> None:
    grammar = numbat.parse_grammar("leaves: A, B\nroots: R\nR:\n    A < B cost 1\n    uniq A cost 1\n")
    constraints = Constraints(grammar, counting="instance")
    for length in (3, 40, 5):
        rows = [{"B": 0.0}] + [{"A": 0.0, "B": -1.5}] * (length - 1)
        found: BestLabels = decode(LabelLattice.from_labels(rows), constraints)
        assert found.score == pytest.approx(
            max(-1.5 * (length - 1), -2.0 - 1.5 * (length - 2), -1.0 - 1.5 * (length - 2))
        )
        assert found.labels.count("A") == 1


def test_what_is_too_long_for_counting_instances() -> None:
    constraints = Constraints(numbat.parse_grammar(GRAMMAR), counting="instance")
    with pytest.raises(DataError) as caught:
        decode(LabelLattice.from_labels([{"O": 0.0}] * 600), constraints)
    assert str(caught.value) == (
        "instances are counted in at most 512 labels, but this sequence has 600\n"
        "  count each property once: --counting once"
    )


def test_few_of_many_instances_are_told() -> None:
    constraints = Constraints(numbat.parse_grammar(GRAMMAR))
    labels = ["A0"] * 5 + ["A1"]
    arcs = [LabelArc(i, i + 1, label, 0.0) for i, label in enumerate(labels)]
    said = explain(arcs, constraints, (), ())
    assert len(said) == 4
    assert said[-1] == "2 more instances of <R: uniq A0 (<grammar>:5)>"
    (too_long,) = explain(arcs * 200, constraints, (), ())
    assert too_long == "instances are not listed for more than 1,000 labels"


def test_products() -> None:
    """All labellings of the first two tokens are better than any allowed one, but the search visits few of them."""
    rows = [{"A0": 0.0, "O": -1.0 - i / 100} for i in range(12)]
    found = decode(LabelLattice.from_labels(rows), Constraints(numbat.parse_grammar(GRAMMAR)))
    assert found.labels.count("A0") == 1
    assert found.added == ("R: uniq A0",)
    assert found.sizes[0] == 24
    assert found.sizes[1] < 60


def test_labels_of_every_product() -> None:
    """`product` of few labels: the score of `decode` without constraints is the sum of the best."""
    for scores in product((0.0, -1.0), repeat=3):
        rows = [{"A": score, "B": -0.5} for score in scores]
        assert decode(LabelLattice.from_labels(rows)).score == sum(max(score, -0.5) for score in scores)


@pytest.mark.skipif(native.load(native.DECODING) is None, reason="the compiled kernel is not built")
def test_the_compiled_search_for_labels_asks_the_clock() -> None:
    """Otherwise it would run for minutes, because its limit is high."""
    labels = [f"C{i}" for i in range(40)]
    every = ", ".join(labels)
    grammar = numbat.parse_grammar(f"leaves: {every}\nX:\n    {{{every}}} < {{{every}}}\n    uniq {{{every}}}\n")
    lattice = lattice_of(*[dict.fromkeys(labels, -1.0)] * 60)
    with pytest.raises(DataError) as caught, clock.limited(0.1):
        decode(lattice, Constraints(grammar), limit=2_000_000_000)
    assert str(caught.value).startswith("the time limit of 0.1 seconds was reached\n")
