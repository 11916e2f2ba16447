"""The tables of Tromble & Eisner (2006) for the propositions of EWT: `python -m tests.bench.roles.tables`.

Models are trained on train.props (some three minutes) and evaluated on dev.props with its trees; costs of constraints
are learned from the gold labels of a tenth of train, with the rolesets of the other nine. Options: `--train N` uses
only the first N propositions of train, `--timed N` measures time on N of dev, `--own-trees` also evaluates dev with
trees of Numbat's parser (two minutes more).
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, TypeVar
from zlib import crc32

from numbat.labels.relaxation import decode
from tests.bench.roles.candidates import candidates_of, recall
from tests.bench.roles.decoding import RoleDecoder, arguments, names_of
from tests.bench.roles.models import SpanModel, TokenModel
from tests.bench.roles.own_trees import with_own_trees
from tests.bench.roles.problems import (
    LABELS,
    NAMES,
    Record,
    Rolesets,
    Scored,
    learned_costs,
    runs,
    segments,
    token_labels,
    tokens,
    violated,
)
from tests.bench.roles.reading import OUTSIDE, ROLES, Argument, Proposition, read_propositions
from tests.bench.roles.scoring import Score, score
from tests.bench.roles.timing import compared

DATA = Path(os.environ.get("NUMBAT_DATA") or Path(__file__).parents[4] / "shared" / "data") / "srl" / "en_ewt"
HELD_OUT: Final = 10
FORMS: Final = ("segments", "tokens")
T = TypeVar("T")


@dataclass(frozen=True)
class Models:
    """Models learned from the training part: two local models, and the costs of constraints in each form."""

    spans: SpanModel
    tokens: TokenModel
    costs: dict[str, dict[str, float]]


@dataclass(frozen=True)
class Task:
    """Propositions to be labelled, as records of both forms, with the scores of candidates by the local model."""

    propositions: Sequence[Proposition]
    scored: Sequence[Scored]
    records: dict[str, list[Record]]


def train(propositions: Sequence[Proposition]) -> Models:
    """The models and the costs."""
    return Models(SpanModel(propositions), TokenModel(propositions), costs_from(propositions))


def costs_from(propositions: Sequence[Proposition]) -> dict[str, dict[str, float]]:
    """Return costs for each form, from the violations in gold labels of every tenth document."""
    held = [each for each in propositions if _document(each) % HELD_OUT == 0]
    rolesets = Rolesets(each for each in propositions if _document(each) % HELD_OUT)
    zero = [0.0] * len(LABELS)
    records: dict[str, list[Record]] = {form: [] for form in FORMS}
    for each in held:
        spans = candidates_of(each)
        needs = bool(spans) and rolesets.needs_argument(each)
        given = Scored(each, spans, [zero] * len(spans), rolesets.disallowed(each), needs)
        records["segments"].append(segments(given))
        records["tokens"].append(tokens(given, [zero] * len(each.tokens)))
    return {form: learned_costs(of_form, [each.gold for each in held]) for form, of_form in records.items()}


def _document(proposition: Proposition) -> int:
    return crc32(proposition.id.rpartition("/")[0].rpartition("-")[0].encode())


def task_of(models: Models, propositions: Sequence[Proposition]) -> Task:
    """The propositions as records."""
    scored = models.spans.score(propositions)
    by_token = models.tokens.score(propositions)
    records = {
        "segments": [segments(each) for each in scored],
        "tokens": [tokens(each, rows) for each, rows in zip(scored, by_token, strict=True)],
    }
    return Task(propositions, scored, records)


def local(task: Task, form: str) -> list[list[Argument]]:
    """Return the arguments if each candidate, or token, gets its best label independently."""
    if form == "tokens":
        return [runs([max(each, key=each.__getitem__) for each in record["labels"]]) for record in task.records[form]]
    found = []
    for each in task.scored:
        best = [max(range(len(LABELS)), key=row.__getitem__) for row in each.scores]
        spans = [candidate.node.span for candidate in each.candidates]
        found.append([(*span, LABELS[number]) for span, number in zip(spans, best, strict=True) if number])
    return found


def f_scores(models: Models, task: Task, form: str) -> dict[str, dict[str, Score]]:
    """The scores of labelled spans without constraints, with hard ones and with soft ones."""
    decoder = RoleDecoder(models.costs[form])
    said: dict[str, list[list[Argument]]] = {"local": local(task, form)}
    for way in ("hard", "soft"):
        records = task.records[form]
        said[way] = [arguments(record, decoder.decode(record, way == "soft")) for record in records]
    return {way: score([each.gold for each in task.propositions], found) for way, found in said.items()}


def f_table(models: Models, task: Task) -> Iterator[str]:
    """Table 1: F of labelled spans by role."""
    counts = Counter(role for each in task.propositions for _, _, role in each.gold)
    yield f"{'F of labelled spans':<24}{'all':>8}" + "".join(f"{f'{role} ({counts[role]})':>12}" for role in ROLES)
    for form in FORMS:
        for way, scores in f_scores(models, task, form).items():
            figures = "".join(f"{100 * scores[role].f1:>12.2f}" for role in ROLES)
            yield f"{f'{form}, {way}':<24}{100 * scores['all'].f1:>8.2f}{figures}"


def violation_tables(models: Models, task: Task, form: str) -> Iterator[str]:
    """Tables 3, 4 and 5: violations of the best labelling without constraints, and of gold labels."""
    decoder = RoleDecoder(models.costs[form])
    records = task.records[form]
    size = len(records)
    by_name: Counter[str] = Counter()
    by_number: Counter[int] = Counter()
    of_gold: Counter[str] = Counter()
    for record, proposition in zip(records, task.propositions, strict=True):
        free = _unconstrained(decoder, record)
        found = violated(record, labels_over(record, free), free)
        by_name.update(found)
        by_number[len(found)] += 1
        of_gold.update(violated(record, token_labels(proposition), proposition.gold))
    yield f"{form}: {'violations of':<28}{'best without':>14}{'fraction':>10}{'gold':>8}{'fraction':>10}"
    for name in NAMES:
        figures = f"{by_name[name]:>14}{by_name[name] / size:>10.3f}{of_gold[name]:>8}{of_gold[name] / size:>10.4f}"
        yield f"{'':<{len(form) + 2}}{name:<28}{figures}"
    shares = (f"{number}: {count} ({count / size:.3f})" for number, count in sorted(by_number.items()))
    yield f"{form}: propositions by number of violations  {', '.join(shares)}"


def _unconstrained(decoder: RoleDecoder, record: Record) -> list[Argument]:
    return arguments(record, decode(decoder.given(record)[0]))


def labels_over(record: Record, found: Sequence[Argument]) -> list[str]:
    """The label of each token."""
    labels = [OUTSIDE] * len(record["tokens"])
    for start, end, role in found:
        labels[start:end] = [role] * (end - start)
    return labels


def intersection_table(models: Models, task: Task, form: str) -> Iterator[str]:
    """Return intersections per proposition, the automata intersected, and Figure 6: arcs visited, step by step."""
    decoder = RoleDecoder(models.costs[form])
    records = task.records[form]
    for way in ("hard", "soft"):
        found = [solution for record in records if (solution := decoder.decode(record, way == "soft")) is not None]
        added = Counter(name for each in found for name in names_of(each.added))
        mean = sum(each.intersections for each in found) / len(found)
        branches = sum(each.branches for each in found) / len(found)
        yield f"{form}, {way}: {mean:.3f} intersections and {branches:.3f} branches a proposition"
        yield f"{'':<4}enforced in the end: {', '.join(f'{name} {count}' for name, count in added.most_common())}"
        for number in sorted({each.intersections for each in found}):
            chosen = [each.sizes for each in found if each.intersections == number]
            steps = [sum(sizes[i] for sizes in chosen) / len(chosen) for i in range(min(map(len, chosen)))]
            told = " ".join(f"{step:.0f}" for step in steps)
            yield f"{'':<4}{number} intersections: {len(chosen)} propositions, mean arcs step by step {told}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Tables of semantic roles decoded under constraints.")
    parser.add_argument("--train", type=int, help="propositions of train that are learned from; default: all")
    parser.add_argument("--timed", type=int, default=1000)
    parser.add_argument("--own-trees", action="store_true")
    options = parser.parse_args()
    learned = read_propositions(DATA / "train.props")[: options.train]
    judged = read_propositions(DATA / "dev.props")
    for name, part in (("train", learned), ("dev", judged)):
        hit, total, offered = recall(part)
        print(f"{name}: {len(part)} propositions, {offered} candidates; recall {hit}/{total} = {hit / total:.4f}")
    models = timed("training", lambda: train(learned))
    task = timed("dev", lambda: task_of(models, judged))
    print("\n".join(f_table(models, task)))
    for form in FORMS:
        print("\n".join(violation_tables(models, task, form)))
        print("\n".join(intersection_table(models, task, form)))
        print("\n".join(compared(form, task.records[form][: options.timed], models.costs[form])), flush=True)
    if options.own_trees:
        own = timed("parsing dev", lambda: list(with_own_trees(judged)))
        hit, total, offered = recall(own)
        print(f"Numbat's trees: {offered} candidates; recall {hit}/{total} = {hit / total:.4f}")
        print("\n".join(f_table(models, task_of(models, own))))


def timed(name: str, make: Callable[[], T]) -> T:
    """Call a function, print the seconds it took, and return its result."""
    began = perf_counter()
    made = make()
    print(f"{name}: {perf_counter() - began:.0f} s", flush=True)
    return made


if __name__ == "__main__":
    main()
