"""Verdicts on the trees of a treebank: the properties of a grammar that each tree satisfies and violates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numbat.errors import Span, counted
from numbat.files import shown
from numbat.grammar.model import Grammar
from numbat.parsing.explanation.violations import explain_violations
from numbat.parsing.parser import Parser
from numbat.parsing.queries import judge_tree, uncovered, unknown_labels
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.reports.report import Line, Member, Members, Part, report
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.wire import Local, Transferable, WireParse
from numbat.treebanks.converting import relabelled_crossing, to_phrases
from numbat.treebanks.crossing import cleaned_crossing, inner, positions_of
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.tree_reader import TreeReader
from numbat.words.lattice import Lattice
from numbat.words.tag_maps import CODES, PUNCTUATION, TagMap, origin_of, read_tag_map, tagged_lattice


@frozen
class TreeVerdict:
    """A treebank tree judged by a grammar: its parse, and what the grammar does not cover.

    `uncovered`: daughters that the constituency of their construction lacks; `unknown`: labels that are not categories.
    """

    id: str
    parse: Parse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: worse trees are greater."""
        return self.parse.violation_cost_units, len(self.parse.violated), len(self.uncovered) + len(self.unknown)


@frozen
class CheckJob:
    """Judge a tree of the file `path` by the grammar of a parser, with tags `mapped` to its categories.

    Returns None if the tree has only empty elements and punctuation.
    """

    parser: Parser
    mapped: TagMap | None
    path: str

    def __call__(self, sentence: TreebankSentence) -> TreeVerdict | None:
        parser, mapped = self.parser, self.mapped
        dropped = CODES | {tag for tag in PUNCTUATION if tag not in parser.grammar.leaves and mapped is None}
        tree = cleaned_crossing(to_phrases(sentence), dropped=dropped)
        lattice: Lattice | None = None
        if tree is not None and mapped is not None:
            place = Span(shown(self.path), sentence.tree.line)
            lattice = tagged_lattice(list(tree.words()), mapped, parser.words, place=place)
            tree = relabelled_crossing(tree, mapped)
        if tree is None:
            return None
        parse = judge_tree(inner(tree), parser, lattice, positions_of(tree))
        lacking = (f"{phrase.construction}: {daughter.construction}" for phrase, daughter in uncovered(parse, parser))
        return TreeVerdict(sentence.id, parse, tuple(lacking), unknown_labels(inner(tree), parser.grammar))


@frozen
class SendVerdictJob:
    """Run the job `check`, and return its verdict in a form that can be sent to another process."""

    check: CheckJob

    def __call__(self, sentence: TreebankSentence) -> Transferable[TreeVerdict] | None:
        verdict = self.check(sentence)
        return None if verdict is None else Local(verdict, WireVerdict)


def check_trees(
    parser: Parser,
    path: str,
    reader: TreeReader,
    form: str = "auto",
    tag_map: str | None = None,
    executor: Executor = in_this_process,
) -> list[TreeVerdict]:
    """Return the verdicts on all trees of a file, the worst first, ties in the order of the file.

    The reader reports trees that cannot be read, and keeps those that are lost.
    """
    mapped = read_tag_map(tag_map, parser.grammar) if tag_map else None
    reader.wanted = "phrases"
    verdicts = []
    run = BatchRun(SendVerdictJob(CheckJob(parser, mapped, path)), reader.every(path, form), executor=executor)
    for record in run:
        if isinstance(record, Failure):
            reader.fail(record)
        elif record.value is not None:
            verdicts.append(record.value.by(parser.grammar))
    run.check_whole()
    return sorted(verdicts, key=lambda verdict: verdict.rank, reverse=True)


@frozen
class WireVerdict:
    """A verdict in the form in which it is sent between processes."""

    id: str
    parse: WireParse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    @classmethod
    def from_value(cls, value: TreeVerdict) -> WireVerdict:
        """Convert a verdict to the form that is sent."""
        return cls(value.id, WireParse.from_value(value.parse), value.uncovered, value.unknown)

    def by(self, grammar: Grammar) -> TreeVerdict:
        """Restore the verdict, given the grammar of the parser."""
        return TreeVerdict(self.id, self.parse.by(grammar), self.uncovered, self.unknown)


def tag_hint(verdicts: Sequence[TreeVerdict], grammar: Grammar) -> str:
    """Suggest a packaged tag map that has the tags of the trees, if these are not categories of the grammar."""
    origin = origin_of({arc.category for verdict in verdicts for arc in verdict.parse.lattice.arcs}, grammar)
    return "" if origin is None else f"the tags are those of {origin[0]}: --tag-map {origin[1]}"


@report("numbat.judge-summary/1")
def verdict_report(verdict: TreeVerdict) -> Iterator[Part]:
    """Yield a tree and its violations."""
    parse = verdict.parse
    cost, satisfied, violated = parse.violation_cost, len(parse.satisfied), len(parse.violated)
    yield Member("id", verdict.id, f"{verdict.id}: cost {cost:g}; {satisfied} satisfied, {violated} violated")
    yield Members({"cost": cost, "satisfied": satisfied, "violated": violated})
    yield Members({"uncovered": list(verdict.uncovered), "unknown": list(verdict.unknown)})
    yield Member("tree", parse.to_brackets(), f"    {parse.to_brackets()}")
    yield Member("explanations", list(parse.explain()), list(_explained(parse)))
    if verdict.uncovered:
        yield Line(f"    the grammar does not allow: {', '.join(dict.fromkeys(verdict.uncovered))}")
    if verdict.unknown:
        yield Line(f"    not categories of the grammar: {', '.join(verdict.unknown)}")
    yield Line()


def summary_of(verdicts: Sequence[TreeVerdict], shown: int) -> Iterator[str]:
    """Yield the worst trees and their violations, then the totals."""
    for verdict in verdicts[:shown]:
        if not any(verdict.rank):
            break
        yield from verdict_report(verdict).lines()
    satisfied = sum(len(verdict.parse.satisfied) for verdict in verdicts)
    violated = sum(len(verdict.parse.violated) for verdict in verdicts)
    good = sum(verdict.parse.is_evaluated and not any(verdict.rank) for verdict in verdicts)
    idle = sum(not verdict.parse.is_evaluated for verdict in verdicts)
    without = f", {idle} without a property to evaluate" if idle else ""
    share = f" ({violated / (satisfied + violated):.2%})" if satisfied + violated else ""
    yield (
        f"{counted(len(verdicts), 'tree')}, {good} of them without violation{without}: "
        f"{satisfied} instances satisfied, {violated} violated{share}"
    )


def _explained(parse: Parse) -> Iterator[str]:
    """Yield the first violation of each property, with the number of further ones."""
    first: dict[int, str] = {}
    times: dict[int, int] = {}
    explanations = explain_violations(parse.grammar, parse.violated, parse.lattice)
    for evaluated, explanation in zip(parse.violated, explanations, strict=True):
        key = id(evaluated.property)
        first.setdefault(key, explanation)
        times[key] = times.get(key, 0) + 1
    for key, explanation in first.items():
        more = f", and {times[key] - 1} more" if times[key] > 1 else ""
        yield f"    ✗ {explanation}{more}"
