"""`numbat score`: predicted trees against gold trees, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from numbat.errors import DataError, data_error
from numbat.evaluation.constituents import Constituent
from numbat.files import lines_of, shown
from numbat.parsing.explanation.labels import aligned
from numbat.parsing.result import Parse
from numbat.source import Problem, counted
from numbat.treebank.converting import to_constituents
from numbat.treebank.reading import read_treebank
from numbat.treebank.score import DEFAULT, Measure, Parameters, Scores, intervals, pairs, read_parameters, score
from numbat.treebank.trees import Tree


def parameters(path: str | None, deleted: tuple[str, ...], equal: tuple[str, ...]) -> Parameters:
    """Those of an evalb parameter file or the default ones, and what is added to them. Raises DataError."""
    found = DEFAULT
    if path is not None:
        found = read_parameters(lines_of(path), shown(path))
    both = dict(found.equal)
    for pair in equal:
        one, sign, other = pair.partition("=")
        if not (one and sign and other):
            raise DataError(f'"{pair}" is not a pair of labels\n  write --equal ADVP=PRT')
        both[other] = one
    return replace(found, deleted=found.deleted | set(deleted), equal=both)


def score_files(gold: str, predicted: str, form: str, chosen: Parameters, problems: list[DataError]) -> Scores:
    """Two files of trees compared in their order; what cannot be read is put among the problems.

    Trees of the prediction that stand on one line are the fragments of one sentence, as `numbat parse -f bracket`
    writes them.
    """
    left = _trees(gold, form, problems)
    right = _merged(_trees(predicted, form, problems))
    compared = pairs(left, right)
    scores = Scores(tuple(score(name, tree, other, chosen) for name, tree, other in compared))
    if not scores.sentences and not problems:
        raise DataError(f"{shown(gold)}: no tree\n  trees are compared one by one with those of {shown(predicted)}")
    return scores


def _trees(path: str, form: str, problems: list[DataError]) -> Iterator[tuple[str, Tree] | None]:
    for each in read_treebank(path, form):
        try:
            if isinstance(each, Problem):
                raise data_error(each)
            yield each.id, to_constituents(each)
        except DataError as error:
            problems.append(error)
            yield None


def _merged(trees: Iterator[tuple[str, Tree] | None]) -> Iterator[tuple[str, Tree] | None]:
    """Those that begin on one line as one tree."""
    waiting: list[tuple[str, Tree]] = []
    for each in trees:
        if waiting and (each is None or each[1].line != waiting[0][1].line):
            yield _whole(waiting)
            waiting = []
        if each is None:
            yield None
        else:
            waiting.append(each)
    if waiting:
        yield _whole(waiting)


def _whole(found: list[tuple[str, Tree]]) -> tuple[str, Tree]:
    name, tree = found[0]
    return (name, tree) if len(found) == 1 else (name, Tree("", tuple(each for _, each in found), None, tree.line))


def tree_of(parse: Parse) -> Tree:
    """The constituents of a parse as a tree; below a bracket without label if it is partial."""
    built: list[list[Tree]] = [[]]
    waiting: list[Constituent | None] = list(reversed(parse.constituents))
    open_phrases: list[Constituent] = []
    while waiting:
        node = waiting.pop()
        if node is None:
            built[-2].append(Tree(open_phrases.pop().construction, tuple(built.pop())))
        elif node.is_word:
            built[-1].append(Tree(node.construction, (), node.form))
        else:
            open_phrases.append(node)
            built.append([])
            waiting += (None, *reversed(node.daughters))
    (tops,) = built
    return tops[0] if len(tops) == 1 else Tree("", tuple(tops))


def lines(scores: Scores, longest: int, seed: int = 0, samples: int = 1_000) -> Iterator[str]:
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


def to_json(scores: Scores, longest: int, seed: int, samples: int) -> dict[str, Any]:
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


def _summary(scores: Scores) -> dict[str, Any]:
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
