"""Reports of decoding: labellings, their violations and the statistics of a run, as text, JSON lines and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from numbat.errors import counted
from numbat.files import table_row
from numbat.labels.constraints import Daughters
from numbat.labels.label_lattice import LabelArc
from numbat.labels.labelling import Decoded
from numbat.labels.penalties import Tally, by_frequency, segments
from numbat.labels.relaxation import Violation
from numbat.labels.token_files import LabellingScore
from numbat.markup import aligned
from numbat.parsing.explanation.violations import on_one_line
from numbat.reports.report import Items, Line, Member, Members, Part, report
from numbat.words.chunk_labels import OUTSIDE, Scheme


@report("numbat.decode/1")
def decoded_report(decoded: Decoded, daughters: Daughters) -> Iterator[Part]:
    """Return a labelling: the labels, its segments, the daughters; what had to be enforced, what is violated at what
    cost.
    """
    sequence, solution = decoded.sequence, decoded.solution
    said = f"{sequence.id}  score {_number(solution.score)}"
    cost = sum(each.cost for each in solution.violated)
    yield Member(
        "id", sequence.id, said + (f", of it {_number(-cost)} for what is violated" if solution.violated else "")
    )
    yield Member("labels", list(solution.labels))
    arcs = segments(solution.arcs, daughters)
    words = " ".join(_shown(arc, sequence.lattice.tokens) for arc in arcs)
    yield Member("segments", [[arc.start, arc.end, arc.label] for arc in arcs], f"  {words}")
    if solution.added:
        yield Line(f"  enforced: {'; '.join(solution.added)}")
    yield Member("score", round(solution.score, 6))
    yield Items("violated", [tuple(_violated(each)) for each in solution.violated])
    yield Member("explanations", list(decoded.explained), [f"    {on_one_line(text)}" for text in decoded.explained])
    yield Member("enforced", list(solution.added))
    yield Members({"intersections": solution.intersections, "branches": solution.branches})


def _violated(each: Violation) -> Iterator[Part]:
    name, times, cost = each.constraint.name, each.times, each.cost
    yield Line(f"  violated: {name}  {f'{times} times ' if times > 1 else ''}cost {_number(cost)}")
    yield Members({"constraint": name, "times": times, "cost": round(cost, 6)})


def _shown(arc: LabelArc, tokens: Sequence[str]) -> str:
    words = on_one_line(" ".join(tokens[arc.start : arc.end]))
    if not words:
        return arc.label
    if arc.label == OUTSIDE:
        return words
    return f"{words}/{arc.label}" if arc.end == arc.start + 1 else f"[{arc.label} {words}]"


def column_lines(decoded: Decoded, daughters: Daughters, scheme: Scheme) -> Iterator[str]:
    """Return a token a line with its label; where one label has several tokens, they have labels of a scheme."""
    tokens, arcs = decoded.sequence.lattice.tokens, decoded.solution.arcs
    if daughters == "runs" or any(arc.end > arc.start + 1 for arc in arcs):
        units = segments(arcs, "runs") if daughters == "runs" else arcs
        labels = scheme.labels([arc[:3] for arc in units if arc.label != OUTSIDE], arcs[-1].end if arcs else 0)
    else:
        labels = [arc.label for arc in arcs]
    for at, label in enumerate(labels):
        yield f"{on_one_line(tokens[at]) if tokens else at}\t{label}"
    yield ""


def att_lines(decoded: Decoded) -> Iterator[str]:
    """Return the best labelling as an automaton in the text form of AT&T and OpenFst; weights are minus scores."""
    for state, arc in enumerate(decoded.solution.arcs):
        yield f"{state}\t{state + 1}\t{arc.label}\t{_number(-arc.score)}"
    yield f"{len(decoded.solution.arcs)}"
    yield ""


def tally_lines(tally: Tally) -> Iterator[str]:
    """Return the tally of decoding, in the tables of the paper."""
    number = tally.sequences
    if not number:
        return
    mean = tally.intersections / number
    yield f"{counted(number, 'sequence')}; {mean:.3f} intersections a sequence, {tally.branches / number:.3f} branches"
    if tally.tokens:
        local, decoded = (f"{100 * right / tally.tokens:.2f} %" for right in tally.right)
        yield f"right labels: {local} without constraints, {decoded} with them"
    yield ""
    names = [name for name, _ in by_frequency(tally.local + tally.gold + tally.final)]
    gold = [f"of {tally.with_gold} right ones", "share"] if tally.with_gold else []
    rows = [["violated by", "best without constraints", "share", "solutions", "share", *gold]]
    for name in names:
        row = [name, *_share(tally.local[name], number), *_share(tally.final[name], number)]
        rows.append([*row, *(_share(tally.gold[name], tally.with_gold) if gold else ())])
    if names:
        yield from aligned(rows)
        yield ""
    rows, before = [["violations", "sequences", "share", "cumulative"]], 0
    for violations, times in sorted(tally.violations.items()):
        before += times
        rows.append([str(violations), *_share(times, number), f"{before / number:.3f}"])
    yield from aligned(rows)
    yield ""
    rows = [["products", "sequences", "mean arcs of the lattice, then looked at in each product"]]
    for steps, times, sizes in tally.mean_sizes():
        rows.append([str(steps), str(times), " ".join(f"{size:.0f}" for size in sizes)])
    yield from aligned(rows)


def _share(times: int, of: int) -> tuple[str, str]:
    return str(times), f"{times / of:.3f}" if of else "-"


def _number(value: float) -> str:
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def tagger_lines(scores: Mapping[str, LabellingScore], chunks: bool) -> Iterator[str]:
    """Scores of a tagger as a table with a row for each inference."""
    titles = ["inference", "tokens", "unknown words", "whole sentences"]
    yield table_row([*titles, *(["precision", "recall", "F"] if chunks else [])])
    for name, one in scores.items():
        shares = [one.accuracy, one.unknown_accuracy if one.unknown else None, one.sentence_accuracy]
        shares += [one.precision, one.recall, one.f1] if chunks else []
        yield table_row([name, *("-" if share is None else f"{100 * share:.2f}" for share in shares)])


def pronunciation_lines(scores: Mapping[str, LabellingScore]) -> Iterator[str]:
    """Scores of a tagger of letters with sounds as a table with a row for each inference."""
    yield "inference\tletters\twhole words"
    for name, one in scores.items():
        yield f"{name}\t{f'{100 * one.accuracy:.2f}' if one.tokens else '-'}\t{100 * one.sentence_accuracy:.2f}"
