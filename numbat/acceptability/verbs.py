"""The functions of test, compare, coverage and ablate.

Functions on a suite take an executor and may take `LostItems`, to which they add items that could not be parsed; these
are left out of all figures.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from numbat.acceptability.ablation import (
    Ablation,
    ablation,
    violated_properties,
    weakened_parsers,
    weakenings,
    without_each,
)
from numbat.acceptability.attribution import Attribution, attributions
from numbat.acceptability.comparison import GrammarComparison, ScoreChange, compare
from numbat.acceptability.coverage import Coverage, coverage
from numbat.acceptability.exercises import parser_of_trees
from numbat.acceptability.models import Scorer
from numbat.acceptability.runs import LostItems, run_suite
from numbat.acceptability.suite import Suite
from numbat.acceptability.summary import on_ablated
from numbat.acceptability.verdicts import (
    ItemOutcome,
    LostItem,
    OutcomeChange,
    ScoredItem,
    TestedItem,
    check_relations,
    expectation_path,
    is_bad_in_fragments,
    is_undecided,
    judge_items,
    named_properties,
    outcome_changes,
    read_expected,
)
from numbat.errors import UsageError, close_match, counted, first_of, require_statistics
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, format_named
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs.loop import Executor, in_this_process
from numbat.runs.sentences import Reader, plain


def judge_suite(
    suite: Suite,
    parser: SentenceParser,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    count_undecided: bool = False,
) -> list[TestedItem]:
    """Return every item with its outcome; `count_undecided` as in `judge_items`.

    Raises DataError if no item has a judgement, and for relations and properties that the grammar lacks.
    """
    check_relations(suite, parser.grammar)
    named = named_properties(suite, parser.grammar)
    scored = list(run_suite(suite, parser, None, read, executor, lost))
    wholes: dict[str, ScoredItem] = {}
    if suite.is_exercise and (broken := tuple(item.item for item in scored if is_bad_in_fragments(item))):
        if not isinstance(parser, Parser):
            raise UsageError("an exercise needs properties\n  name the grammar file of the language, not its folder")
        part = replace(suite, items=broken)
        again = run_suite(part, parser_of_trees(parser), None, read, executor, lost, "as one tree")
        wholes = {item.id: item for item in again}
    return judge_items(suite, scored, count_undecided, named, wholes)


def judge_parsed(suite: Suite, grammar: Grammar, parse_of: Callable[[str], Parse]) -> list[TestedItem]:
    """Return every item with its outcome; `parse_of` returns the best parse of a sentence. Raises as `judge_suite`."""
    check_relations(suite, grammar)
    scored = [ScoredItem(item, parse_of(item.sentence), None) for item in suite.items]
    return judge_items(suite, scored, named=named_properties(suite, grammar))


def tolerated(tested: Sequence[TestedItem], most: float) -> list[TestedItem]:
    """Return the outcomes, with good sentences passing if violations and fragments cost at most `most`."""
    return [
        replace(item, outcome=replace(item.outcome, verdict="pass"), reason="")
        if item.outcome.verdict == "fail" and item.scored.item.is_good and item.scored.cost <= most * UNIT
        else item
        for item in tested
    ]


def changed_since_accepted(
    suite: Suite, tested: Sequence[TestedItem], lost: Sequence[LostItem] = ()
) -> list[OutcomeChange] | None:
    """Return the outcomes that differ from the accepted ones, without lost items; None if none were accepted.

    Raises DataError for an unreadable file of outcomes.
    """
    path = expectation_path(suite.path)
    if not path.exists():
        return None
    unknown = {item.item.id for item in lost}
    expected = [outcome for outcome in read_expected(path) if outcome.id not in unknown]
    return outcome_changes(expected, [item.outcome for item in tested])


def accepted_only(suite: Suite, tested: Sequence[TestedItem], ids: str) -> list[ItemOutcome]:
    """Return the accepted outcomes of a suite, with current ones for the items with these comma-separated `ids`.

    An item with one of the ids is dropped if it is no longer in the suite. Raises UsageError for an unknown id, and if
    nothing was accepted yet; DataError for an unreadable file of outcomes.
    """
    path = expectation_path(suite.path)
    if not path.exists():
        raise UsageError(f"{path} does not exist: nothing was accepted yet\n  --accept saves all outcomes")
    old = {outcome.id: outcome for outcome in read_expected(path)}
    new = {item.outcome.id: item.outcome for item in tested}
    known = old | new
    wanted = [ids] if ids in known else [id.strip() for id in ids.split(",") if id.strip()]
    for id in wanted:
        if id not in known:
            hint = close_match(id, known) or f"the ids are: {first_of([*known], 5)}"
            raise UsageError(f'--accept-only: no sentence has the id "{id}"\n  {hint}')
    kept = [new[name] if name in wanted else old[name] for name in new if name in wanted or name in old]
    return [*kept, *(outcome for name, outcome in old.items() if name not in new and name not in wanted)]


def compare_grammars(
    suite: Suite,
    old: SentenceParser,
    new: SentenceParser,
    score: Scorer,
    read: tuple[Reader, Reader] = (plain, plain),
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> GrammarComparison:
    """Return the comparison of a suite under two grammars, with a reader for each."""
    runs = (("before", old, read[0]), ("after", new, read[1]))
    before, after = (list(run_suite(suite, parser, score, how, executor, lost, where)) for where, parser, how in runs)
    compared = compare(*in_both(before, after))
    return compared if lost is None else replace(compared, lost=tuple(lost.items))


def attribute(
    compared: GrammarComparison,
    old: Grammar,
    new: Grammar,
    parser_by: Callable[[Grammar], Parser],
    score: Scorer,
    read: Reader = plain,
    advance: Callable[[], object] = tuple,
) -> Iterator[Attribution]:
    """Yield for each change of a comparison the edits between the grammars that explain it."""

    def judge_by(grammar: Grammar) -> Callable[[ScoreChange], object]:
        parser = parser_by(grammar)

        def judge(change: ScoreChange) -> object:
            parse = parser.parse(read(change.item.sentence, parser))
            names = sorted(format_named(evaluated.property) for evaluated in parse.violated)
            return score(parse).value, tuple(names), parse.is_full

        return judge

    return attributions(compared.changes, old, new, judge_by, advance)


def in_both(
    one: Sequence[ScoredItem], other: Sequence[ScoredItem]
) -> tuple[Sequence[ScoredItem], Sequence[ScoredItem]]:
    """Return the items of each of two runs over a suite, without those that either run lost."""
    if len(one) == len(other) and all(mine.item is theirs.item for mine, theirs in zip(one, other, strict=True)):
        return one, other
    both = {id(item.item) for item in one} & {id(item.item) for item in other}
    left, right = ([item for item in items if id(item.item) in both] for items in (one, other))
    return left, right


def cover(
    suite: Suite,
    parser: SentenceParser,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    count_undecided: bool = False,
) -> Coverage:
    """Return the coverage of the grammar's properties by the suite; `count_undecided` is as in `coverage`."""
    items = list(run_suite(suite, parser, None, read, executor, lost))
    return Coverage(tuple(coverage(items, parser.grammar, count_undecided)), tuple(items))


def ablate(
    suite: Suite,
    parser: Parser,
    score: Scorer,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    undecided: list[ScoredItem] | None = None,
    notes: list[str] | None = None,
    by_property: bool = False,
    telling: Callable[[str, int, int], None] = lambda name, number, of: None,
) -> Iterator[Ablation]:
    """Yield the main statistic of a suite with the whole grammar, then without each heuristic and relation.

    With `by_property` each property that the parses violate is left out instead. `telling` is called with the name of
    what is left out, its number, and the total.
    The whole grammar is compared with each weaker one on the items that neither lost. Bad sentences that the whole
    grammar leaves undecided are left out and added to `undecided`, if given, and cautions are added to `notes`. Raises
    MissingExtraError without numpy or scipy.
    """
    require_statistics("an ablation")
    whole = list(run_suite(suite, parser, score, read, executor, lost))
    if undecided is not None:
        undecided += (item for item in whole if is_undecided(item))
        whole = [item for item in whole if not is_undecided(item)]
    if notes is not None:
        notes += on_ablated(suite, whole)
    yield ablation("nothing", whole, whole, suite, seed)
    properties = violated_properties(whole) if by_property else ()
    if by_property and notes is not None:
        left = len(parser.grammar.properties) - len(properties)
        notes.append(f"{counted(left, 'property', 'properties')} not tried, as no best parse here violates them")
    number = len(properties) if by_property else len(weakenings(parser))
    weaker_ones = without_each(parser, properties) if by_property else weakened_parsers(parser)
    for place, (name, weaker) in enumerate(weaker_ones, start=1):
        telling(name, place, number)
        items = list(run_suite(suite, weaker, score, read, executor, lost, f"without {name}"))
        yield ablation(name, *in_both(whole, items), suite, seed)
        del weaker, items
        gc.collect()  # the tables of a parser are large, and refer to it in cycles
