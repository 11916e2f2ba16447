"""Reports of decoding: labellings, their violations and the statistics of a run, as text, JSON lines and columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from numbat.errors import counted
from numbat.files import table_row
from numbat.labels.constraints import Daughters
from numbat.labels.label_lattice import LabelArc
from numbat.labels.labelling import Decoded
from numbat.labels.penalties import Tally, by_frequency, segments
from numbat.labels.token_files import LabellingScore
from numbat.markup import aligned
from numbat.parsing.explanation.violations import on_one_line
from numbat.words.chunk_labels import OUTSIDE, Scheme

DECODED: Final = "numbat.decode/1"


def text_lines(decoded: Decoded, daughters: Daughters) -> Iterator[str]:
    """Return a labelling as a person reads it: the labels, what had to be enforced, what is violated at what cost."""
    sequence, solution = decoded.sequence, decoded.solution
    said = f"{sequence.id}  score {_number(solution.score)}"
    cost = sum(each.cost for each in solution.violated)
    yield said + (f", of it {_number(-cost)} for what is violated" if solution.violated else "")
    yield "  " + " ".join(_shown(arc, sequence.lattice.tokens) for arc in segments(solution.arcs, daughters))
    if solution.added:
        yield f"  enforced: {'; '.join(solution.added)}"
    for each in solution.violated:
        times = f"{each.times} times " if each.times > 1 else ""
        yield f"  violated: {each.constraint.name}  {times}cost {_number(each.cost)}"
    yield from (f"    {on_one_line(text)}" for text in decoded.explained)


def _shown(arc: LabelArc, tokens: Sequence[str]) -> str:
    words = on_one_line(" ".join(tokens[arc.start : arc.end]))
    if not words:
        return arc.label
    if arc.label == OUTSIDE:
        return words
    return f"{words}/{arc.label}" if arc.end == arc.start + 1 else f"[{arc.label} {words}]"


def json_line(decoded: Decoded, daughters: Daughters) -> str:
    """Return a labelling as one line of JSON, by the schema `numbat.decode/1`; its segments are the daughters."""
    solution = decoded.solution
    return json.dumps(
        {
            "schema": DECODED,
            "id": decoded.sequence.id,
            "labels": list(solution.labels),
            "segments": [[arc.start, arc.end, arc.label] for arc in segments(solution.arcs, daughters)],
            "score": round(solution.score, 6),
            "violated": [
                {"constraint": each.constraint.name, "times": each.times, "cost": round(each.cost, 6)}
                for each in solution.violated
            ],
            "explanations": list(decoded.explained),
            "enforced": list(solution.added),
            "intersections": solution.intersections,
            "branches": solution.branches,
        },
        ensure_ascii=False,
    )


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
