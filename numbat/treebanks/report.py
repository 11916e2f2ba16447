"""Reports on treebanks: trees in several formats, induced grammars, scores against gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from numbat.errors import DataError, counted
from numbat.markup import aligned
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.records import frozen
from numbat.reports.answers import json_text
from numbat.reports.report import Line, Lines, Member, Members, Part, report
from numbat.reports.run_notes import named_as_lost
from numbat.runs.loop import Failure
from numbat.treebanks.arcs import section
from numbat.treebanks.brackets import format_brackets, format_discbracket
from numbat.treebanks.conllu import DependencyTree, format_conllu
from numbat.treebanks.converting import to_constituents, to_dependencies, to_phrases, tree_to_json
from numbat.treebanks.induced import InducedGrammar, format_induced, format_lexicon, format_rules
from numbat.treebanks.link_scores import (
    LinkCounts,
    Measure,
    RelationCount,
    RelationScore,
    by_relation,
    confusions,
    link_intervals,
)
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.scores import TreebankScores, intervals


def as_brackets(sentence: TreebankSentence) -> str:
    """Return a tree in brackets on one line."""
    return format_brackets(to_constituents(sentence)) + "\n"


def as_conllu(sentence: TreebankSentence) -> str:
    """Return a tree in CoNLL-U."""
    return format_conllu(to_dependencies(sentence))


def as_jsonl(sentence: TreebankSentence) -> str:
    """Return a tree in JSON on one line. Raises DataError if it is too deep."""
    return json_text(tree_to_json(sentence), sentence.id, "-f ptb") + "\n"


def as_discbracket(sentence: TreebankSentence) -> str:
    """Return a tree in brackets with numbered words on one line."""
    return format_discbracket(to_phrases(sentence)) + "\n"


def as_html(sentence: TreebankSentence) -> str:
    """Return a drawing of dependencies as a part of a page. Raises DataError for a tree without dependencies."""
    if isinstance(sentence.tree, DependencyTree) and sentence.tree.has_heads:
        return section(sentence.tree, sentence.id)
    raise DataError(f"{sentence.id}: no dependencies to draw\n  -f html needs CoNLL-U with heads")


TREE_FORMATS: Final = {
    "ptb": as_brackets,
    "discbracket": as_discbracket,
    "conllu": as_conllu,
    "jsonl": as_jsonl,
    "html": as_html,
}
"""Functions that format a tree; NEGRA's export format, whose sentences are numbered, is separate."""


@frozen
class InducedTexts:
    """The files of an induced grammar as texts: the grammar, its lexicon and its rules."""

    grammar: str
    lexicon: str
    rules: str


def induced_texts(induced: InducedGrammar, source: str, notes: Sequence[str] = (), lexicon: str = "") -> InducedTexts:
    """Return the files of an induced grammar; `notes` are comments at the top, `lexicon` is the lexicon's file name."""
    return InducedTexts(
        format_induced(induced, [*_opening(source, induced), *notes], lexicon),
        format_lexicon(induced.grammar.lexicon),
        format_rules(count for c in induced.constructions for count in c.rules),
    )


def _opening(source: str, induced: InducedGrammar) -> Iterator[str]:
    yield f"Induced by numbat from {source}: {counted(induced.sentences, 'sentence')}; {induced_sizes(induced)}."
    yield "After each property: occurrences of its construction that satisfy it and that violate it, w0 = satisfying /"
    yield "both, w1 = w0 * satisfying / all occurrences, gain = the natural logarithm of its likelihood ratio against"
    yield "chance, and the first sentences that violate it. The most informative properties come first, each with a"
    yield "phrase that satisfies it and one that does not."
    if said := left_out_of(induced):
        yield f"Not counted: {said}."


def induced_sizes(induced: InducedGrammar) -> str:
    """Return the numbers of constructions and of properties by relation in one line."""
    sizes = ", ".join(f"{count} {name}" for name, count in induced.sizes().items())
    return f"{counted(len(induced.constructions), 'construction')}, {sizes}"


def left_out_of(induced: InducedGrammar) -> str:
    """Return what was not counted in the trees, or "" if everything was."""
    left_out = induced.left_out
    kinds = (
        (left_out.sentences, "sentence without a word that counts", "sentences without a word that counts"),
        (left_out.words, "mark or empty element", "marks and empty elements"),
        (
            left_out.phrases,
            "phrase over a single phrase with the same label",
            "phrases over a single phrase with the same label",
        ),
    )
    return "; ".join(counted(number, one, several) for number, one, several in kinds if number)


def expansion_sizes(expansions: Expansions) -> str:
    """Return the numbers of expansions, phrases, words and occurrences in one line."""
    phrases, words = len(expansions.phrases), len(expansions.leaves)
    occurrences = sum(count for _, count in expansions.counts)
    return (
        f"{len(expansions.counts)} expansions of {phrases} refined phrases and {words} words, {occurrences} occurrences"
    )


def lost_trees(lost: Sequence[Failure]) -> Member:
    """Return the trees that no figure includes, each with the reason."""
    lines = list(named_as_lost("tree", [f"{failure.id}: {failure.reason}" for failure in lost]))
    return Member("lost", [{"id": failure.id, "lost": failure.reason} for failure in lost], lines)


# Scores of predicted trees and of a tagger


@report("numbat.score/1")
def score_report(
    scores: TreebankScores, longest: int, seed: int = 0, samples: int = 1_000, lost: Sequence[Failure] = ()
) -> Iterator[Part]:
    """Yield the scores; in JSON shares lie between 0 and 1, and intervals are those of F1 by name."""
    total, compared = len(scores.sentences), len(scores.compared)
    yield Member("sentences", total, f"{counted(total, 'sentence')}, {compared:,} compared, {total - compared:,} not")
    yield Member("compared", compared, "")
    near, of_links = intervals(scores, seed, samples), link_intervals(scores.link_rows, seed, samples)
    if scores.links is not None:
        measures = {name.lower(): _measure(measure) for name, measure in scores.links.measures.items()}
        yield Member("dependencies", measures, list(_links(scores.links, of_links)))
        relations, mistakes = by_relation(scores.relations), confusions(scores.relations)
        by_name = {name: {"uas": _uas(score), **_measure(score.links)} for name, score in relations.items()}
        yield Member("relations", by_name, list(_by_relation(relations)))
        yield Member("confusions", [one._asdict() for one in mistakes], list(_mistakes(mistakes)))
        yield Lines(["", f"phrases made of the dependencies: {len(scores.scored):,} compared"])
    yield Members(_summary(scores))
    yield Member("intervals", {name.lower(): list(pair) for name, pair in (near | of_links).items()})
    yield Member(f"up_to_{longest}", _summary(scores.up_to(longest)))
    labels, lengths = scores.by_label(), {f"{low}-{high}": part for (low, high), part in scores.by_length().items()}
    yield Member("labels", {label: _measure(measure) for label, measure in labels.items()})
    by_length = {span: {"sentences": len(part.sentences), **_summary(part)} for span, part in lengths.items()}
    yield Member("lengths", by_length)
    if scores.scored:
        yield Lines([*_brackets(scores, longest, near), *_by_label(labels), *_by_length(lengths)])
    wrong = [(score.id, score.error) for score in scores.sentences if score.error]
    yield Member("not_compared", dict(wrong), [f"{id}: not compared: {error}" for id, error in wrong[:10]])
    if len(wrong) > 10:
        yield Line(f"and {len(wrong) - 10} more")
    if lost:
        yield lost_trees(lost)


def _links(links: LinkCounts, near: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """Yield the scores of dependencies by the rules of CoNLL 2018."""
    yield f"dependencies: {links.aligned:,} of {links.gold:,} words aligned with one of {links.predicted:,}"
    rows = [["", "precision", "recall", "F1", "95 % interval"]]
    for name, measure in links.measures.items():
        low, high = near[name]
        rows.append([name, *_percent(measure), f"{_p(low)}-{_p(high)}"])
    yield from aligned(rows)


def _by_relation(relations: Mapping[str, RelationScore]) -> Iterator[str]:
    """Yield a row for each relation: right heads, and right heads with that relation, as precision, recall and F1."""
    rows = [["relation", "gold", "predicted", "UAS", "precision", "recall", "F1"]]
    for name, score in relations.items():
        links = score.links
        rows.append([name, str(links.gold), str(links.predicted), _p(_uas(score)), *_percent(links)])
    yield from ("", *aligned(rows))


def _uas(score: RelationScore) -> float:
    return score.heads / score.links.gold if score.links.gold else 0.0


MOST_MISTAKES: Final = 10
"""Number of confusions that the text shows; JSON has all."""


def _mistakes(mistakes: Sequence[RelationCount]) -> Iterator[str]:
    """Yield the most frequent confusions of relations; words with the right relation have another head."""
    if not mistakes:
        return
    rows = [["most mistakes", "parsed as", "words", "with the right head"]]
    for one in mistakes[:MOST_MISTAKES]:
        heads = one.heads if one.gold != one.predicted else 0
        rows.append([one.gold, one.predicted, str(one.wrong), str(heads)])
    yield from ("", *aligned(rows))


def _brackets(scores: TreebankScores, longest: int, near: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    rows = [["", "precision", "recall", "F1"]]
    rows.append(["labelled", *_percent(scores.labelled)])
    if near:
        rows.append(["  95 % interval", *(f"{_p(low)}-{_p(high)}" for low, high in list(near.values())[:3])])
    rows.append(["  of two words or more", *_percent(scores.of_several)])
    rows.append(["unlabelled", *_percent(scores.unlabelled)])
    if scores.discontinuous.gold or scores.discontinuous.predicted:
        rows.append(["labelled, with gaps", *_percent(scores.discontinuous)])
    rows.append([f"labelled, up to {longest} words", *_percent(scores.up_to(longest).labelled)])
    yield from aligned(rows)
    yield ""
    exact = f" (95 % interval {_p(near['exact'][0])}-{_p(near['exact'][1])})" if near else ""
    yield f"exact match {_p(scores.exact)}{exact}"
    yield f"coverage {_p(scores.coverage)}; tagging accuracy {_p(scores.tagging)}"
    yield f"crossing brackets {scores.crossing:.2f} a sentence; none in {_p(scores.uncrossed)}"
    yield ""


def _by_label(labels: Mapping[str, Measure]) -> Iterator[str]:
    rows = [["label", "gold", "predicted", "precision", "recall", "F1"]]
    rows += [[label, str(m.gold), str(m.predicted), *_percent(m)] for label, m in labels.items()]
    yield from aligned(rows)
    yield ""


def _by_length(lengths: Mapping[str, TreebankScores]) -> Iterator[str]:
    rows = [["words", "sentences", "precision", "recall", "F1", "exact", "coverage"]]
    for span, scores in lengths.items():
        rows.append(
            [span, str(len(scores.sentences)), *_percent(scores.labelled), _p(scores.exact), _p(scores.coverage)]
        )
    yield from aligned(rows)


def nothing_to_score(scores: TreebankScores) -> str:
    """Return the message if nothing could be scored, with the first reasons."""
    if not scores.sentences:
        return "nothing to score: no sentence could be read"
    reasons = "".join(f"\n  {score.id}: {score.error}" for score in scores.sentences[:3])
    more = f"\n  and {len(scores.sentences) - 3} more" if len(scores.sentences) > 3 else ""
    return f"nothing to score: none of {counted(len(scores.sentences), 'sentence')} could be compared{reasons}{more}"


def _summary(scores: TreebankScores) -> dict[str, Any]:
    return {
        "labelled": _measure(scores.labelled),
        "of_several": _measure(scores.of_several),
        "unlabelled": _measure(scores.unlabelled),
        "discontinuous": _measure(scores.discontinuous),
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
    """Return precision, recall and F1, or `none` three times if there are neither gold nor predicted items."""
    if not measure.gold and not measure.predicted:
        return ["none"] * 3
    return [_p(measure.precision), _p(measure.recall), _p(measure.f1)]


def _p(share: float) -> str:
    return f"{100 * share:.2f}"
