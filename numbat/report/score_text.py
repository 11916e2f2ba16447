"""Scores of predicted trees, as text and as JSON, and of a tagger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numbat.errors import counted
from numbat.parsing.explanation.violations import aligned
from numbat.sequence.token_files import LabellingScore
from numbat.treebank.scores import Measure, TreebankScores, intervals


def score_lines(scores: TreebankScores, longest: int, seed: int = 0, samples: int = 1_000) -> Iterator[str]:
    """The scores as a person reads them."""
    wrong = [each for each in scores.sentences if each.error]
    yield f"{counted(len(scores.sentences), 'sentence')}, {len(scores.scored)} compared, {len(wrong)} not"
    yield ""
    near = intervals(scores, seed, samples)
    rows = [["", "precision", "recall", "F1"]]
    rows.append(["labelled", *_percent(scores.labelled)])
    if near:
        rows.append(["  95 % interval", *(f"{_p(low)}-{_p(high)}" for low, high in list(near.values())[:3])])
    rows.append(["unlabelled", *_percent(scores.unlabelled)])
    short = scores.up_to(longest)
    rows.append([f"labelled, up to {longest} words", *_percent(short.labelled)])
    yield from aligned(rows)
    yield ""
    exact = f" (95 % interval {_p(near['exact'][0])}-{_p(near['exact'][1])})" if near else ""
    yield f"exact match {_p(scores.exact)}{exact}"
    yield f"coverage {_p(scores.coverage)}; tagging accuracy {_p(scores.tagging)}"
    yield f"crossing brackets {scores.crossing:.2f} a sentence; none in {_p(scores.uncrossed)}"
    yield ""
    rows = [["label", "gold", "predicted", "precision", "recall", "F1"]]
    rows += [[label, str(m.gold), str(m.predicted), *_percent(m)] for label, m in scores.by_label().items()]
    yield from aligned(rows)
    yield ""
    rows = [["words", "sentences", "precision", "recall", "F1", "exact", "coverage"]]
    for (low, high), each in scores.by_length().items():
        cells = [str(len(each.sentences)), *_percent(each.labelled), _p(each.exact), _p(each.coverage)]
        rows.append([f"{low}-{high}", *cells])
    yield from aligned(rows)
    for lost in wrong[:10]:
        yield f"{lost.id}: not compared: {lost.error}"
    if len(wrong) > 10:
        yield f"and {len(wrong) - 10} more"


def score_json(scores: TreebankScores, longest: int, seed: int, samples: int) -> dict[str, Any]:
    """The scores as a value for `json.dumps`; shares lie between 0 and 1."""
    return {
        "schema": "numbat.score/1",
        "sentences": len(scores.sentences),
        "compared": len(scores.scored),
        **_summary(scores),
        "intervals": {name: list(pair) for name, pair in intervals(scores, seed, samples).items()},
        f"up_to_{longest}": _summary(scores.up_to(longest)),
        "labels": {label: _measure(measure) for label, measure in scores.by_label().items()},
        "lengths": {
            f"{low}-{high}": {"sentences": len(each.sentences), **_summary(each)}
            for (low, high), each in scores.by_length().items()
        },
        "not_compared": {each.id: each.error for each in scores.sentences if each.error},
    }


def _summary(scores: TreebankScores) -> dict[str, Any]:
    return {
        "labelled": _measure(scores.labelled),
        "unlabelled": _measure(scores.unlabelled),
        "exact": scores.exact,
        "crossing": scores.crossing,
        "uncrossed": scores.uncrossed,
        "coverage": scores.coverage,
        "tagging": scores.tagging,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "gold": measure.gold,
        "predicted": measure.predicted,
        "matched": measure.matched,
        "precision": measure.precision,
        "recall": measure.recall,
        "f1": measure.f1,
    }


def _percent(measure: Measure) -> list[str]:
    return [_p(measure.precision), _p(measure.recall), _p(measure.f1)]


def _p(share: float) -> str:
    return f"{100 * share:.2f}"


def tagger_lines(scores: Mapping[str, LabellingScore], chunks: bool) -> Iterator[str]:
    """Scores of a tagger as a table with a row for each inference."""
    titles = ["inference", "tokens", "unknown words", "whole sentences"]
    yield "\t".join([*titles, *(["precision", "recall", "F"] if chunks else [])])
    for name, one in scores.items():
        shares = [one.accuracy, one.unknown_accuracy if one.unknown else None, one.sentence_accuracy]
        shares += [one.precision, one.recall, one.f1] if chunks else []
        yield "\t".join([name, *("-" if share is None else f"{100 * share:.2f}" for share in shares)])


def pronunciation_lines(scores: Mapping[str, LabellingScore]) -> Iterator[str]:
    """Scores of a tagger of letters with sounds as a table with a row for each inference."""
    yield "inference\tletters\twhole words"
    for name, one in scores.items():
        yield f"{name}\t{f'{100 * one.accuracy:.2f}' if one.tokens else '-'}\t{100 * one.sentence_accuracy:.2f}"
