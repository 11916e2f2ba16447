"""`numbat explain`, `contrast`, `judge`, `why-not` and `repair`: reasons for the score of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from numbat.errors import DataError, UsageError, data_error
from numbat.files import shown
from numbat.gradience.models.contrasts import Contrast, contrast, losses
from numbat.gradience.models.scores import MODELS, Score, Scorer, figure
from numbat.gradience.repair.repair import Repairs
from numbat.grammar.model import Property
from numbat.grammar.printing import format_named
from numbat.parsing.explanation.labels import aligned
from numbat.parsing.explanation.summary import told_of_guesses
from numbat.parsing.explanation.wording import decimal as cost_of
from numbat.parsing.explanation.wording import quoted, span_of, visible
from numbat.parsing.parser import Parser
from numbat.parsing.queries.parse_with import Forced, Wanted, parse_with
from numbat.parsing.result import Parse
from numbat.source import Problem, close_match, counted
from numbat.words.lattice import Lattice
from numbat.words.plain_text import read_text
from numbat.words.tagged import read_tagged
from numbat.words.tokens import spelled

if TYPE_CHECKING:
    from numbat.treebank.reading import Sentence

MOST_PARTS = 8
PLACES = re.compile(r"(\d+)-(\d+):(.+)")


def lattice_of(sentence: str, parser: Parser, tagged: bool) -> Lattice:
    """A sentence as it is to be parsed. Raises DataError for tags that are none."""
    return read_tagged(sentence, parser.words) if tagged else read_text(sentence, parser.words)


def explain_lines(parse: Parse, score: Scorer, terms: bool) -> Iterator[str]:
    """The score with what it is made of, and what each violated property takes from it."""
    found = score(parse)
    yield score_line(found)
    yield from _guesses(parse)
    lost = losses(parse, score)
    if not lost:
        yield "nothing is violated"
    for loss in lost:
        yield f"{loss.share:4.0%}  {figure(loss.value):>6}  {loss.sentences[0]}"
        yield from (f"{'':14}{sentence}" for sentence in loss.sentences[1:])
    if terms:
        yield ""
        yield from term_lines(found)


def _guesses(parse: Parse, whose: str = "") -> Iterator[str]:
    """A line on the words that are not in the lexicon, for scores rest on what was made of them."""
    for said in told_of_guesses(parse):
        yield whose + said


def score_line(found: Score) -> str:
    """A score with its formula and the numbers that it is made of."""
    parts = "; ".join(f"{name} {figure(value)}" for name, value in found.parts[:MOST_PARTS])
    if len(found.parts) > MOST_PARTS:
        parts += f"; others {figure(sum(value for _, value in found.parts[MOST_PARTS:]))}"
    factor = f"; times {figure(found.factor)}, not full" if found.factor != 1 else ""
    stopped = f"; stopped by the limit on {found.stopped_by}" if found.stopped_by else ""
    formula = f" = {MODELS[found.model].formula}" if found.model in MODELS else ""
    return f"{found.model} {figure(found.value)}{formula}: {parts}{factor}{stopped}"


def term_lines(found: Score) -> Iterator[str]:
    """The table of terms: the counts of each phrase, its own index, and the index with all below it."""
    rows = [["phrase", "words", "N+", "N-", "T", "W+", "W-", "own", "value"]]
    for term in found.terms:
        counts = term.counts
        numbers = (counts.satisfied, counts.violated, counts.total)
        weights = (counts.weight_satisfied, counts.weight_violated, term.local, term.value)
        place = f"{term.constituent.construction} {span_of(term.constituent)}"
        rows.append([place, quoted([term.constituent]), *map(str, numbers), *map(figure, weights)])
    return aligned(rows)


def contrast_lines(one: Parse, other: Parse, score: Scorer) -> Iterator[str]:
    """The two scores, then what only one of the parses violates, then what it satisfies more often."""
    found = contrast(one, other, score)
    yield f"A  {figure(found.one.value):>8}  {' '.join(one.lattice.tokens)}"
    yield f"B  {figure(found.other.value):>8}  {' '.join(other.lattice.tokens)}"
    yield f"   {figure(found.one.value - found.other.value):>8}  A - B under {found.one.model}"
    yield from _guesses(one, "A: ")
    yield from _guesses(other, "B: ")
    yield ""
    yield from _sides(found)


def _sides(found: Contrast) -> Iterator[str]:
    if not found.violated:
        yield "A and B violate the same properties"
    for prop, number in sorted(found.violated, key=lambda pair: pair[1] < 0):
        yield f"{'A' if number > 0 else 'B'} violates {_named(prop)}" + _times(number)
    for prop, number in sorted(found.satisfied, key=lambda pair: pair[1] < 0):
        yield f"{'A' if number > 0 else 'B'} satisfies {_named(prop)}" + _times(number)


def _times(number: int) -> str:
    return "" if abs(number) == 1 else f", {abs(number)} times more"


def _named(prop: Property) -> str:
    return f"{format_named(prop)}  [{', '.join(filter(None, (prop.relation, prop.place)))}]"


def drawn(tree: str | None, path: str | None) -> tuple[str, Iterator[Sentence | Problem]]:
    """A bracketed tree, or those of a file, under the name that messages give to where they stand."""
    from numbat.treebank.reading import read_treebank, sentences_of

    if path is not None:
        return shown(path), read_treebank(path, "ptb")
    return "<tree>", sentences_of((tree or "").split("\n"), "<tree>", "ptb")


def judged(trees: Iterable[Sentence | Problem], name: str, parser: Parser) -> Iterator[tuple[str, Parse] | DataError]:
    """The trees as parses, each with its place; a bad one comes as an error in its place.

    Raises DataError where there is no tree, and for the tags of a treebank, which all trees of a file will have.
    """
    from numbat.parsing.queries.judge_tree import check_labels, judge_tree
    from numbat.treebank.converting import to_constituents
    from numbat.words.tag_maps import origin_of

    each: Sentence | Problem | None = None
    for each in trees:
        if isinstance(each, Problem):
            yield data_error(each)
            continue
        tree, place = to_constituents(each), f"{name}:{each.tree.line}"
        if origin := origin_of([tag for _, tag in tree.words()], parser.grammar):
            raise DataError(
                f"{place}: the tags are those of {origin[0]}, no categories of the grammar\n"
                f"  numbat check-trees judges such trees with --tag-map {origin[1]}"
            )
        try:
            check_labels(tree, parser.grammar)
        except DataError as error:
            yield DataError(f"{place}: {error}")
        else:
            yield place, judge_tree(tree, parser)
    if each is None:
        raise DataError(f'{name}: no tree\n  write one in brackets: "(S (NP (Det the) (N cat)) (VP (V sleeps)))"')


def judged_notes(parse: Parse, parser: Parser) -> Iterator[str]:
    """What the lexicon says of the words to which the tree gives a category that they do not have there."""
    for word in parse.guessed:
        known = dict.fromkeys(reading.category for reading in parser.words.known(spelled(word.form)))
        if known:
            yield f'"{visible(word.form)}" is {_or(known)} in the lexicon, not {word.construction} as in the tree'


def _or(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def judged_text(parse: Parse, score: Scorer) -> str:
    """The tree as `numbat parse` prints it, and its score."""
    return f"{parse.tree()}\n{score_line(score(parse))}"


def wanted(text: str, parser: Parser, sentence: str = "") -> Wanted:
    """`0-3:NP`. Raises UsageError, which knows whether the `sentence` beside it is a constituent."""
    match = PLACES.fullmatch(text)
    if match is None and PLACES.fullmatch(sentence):
        raise UsageError(
            f'"{text}" is no constituent, but "{sentence}" is\n  the constituent comes first: {sentence} "{text}"'
        )
    if match is None:
        raise UsageError(
            f'"{text}" is no constituent\n  write it as 0-3:NP: token positions, the end exclusive, category'
        )
    names = parser.grammar.categories
    if match[3] not in names:
        bare = match[3].partition("[")[0]
        hint = f'leave the features out: "{bare}"' if bare in names else close_match(match[3], names)
        hint = hint or f"the categories are: {', '.join(names)}"
        raise UsageError(f'"{match[3]}" is no category of the grammar\n  {hint}')
    return Wanted(int(match[1]), int(match[2]), match[3])


def why_not(parser: Parser, lattice: Lattice, what: Wanted) -> tuple[Parse, Parse | None, str]:
    """The best parse, the best with the constituent, and what that costs more in words."""
    forced = parse_with(parser, lattice, what)
    place = f'{what.category} over "{" ".join(lattice.tokens[what.start : what.end])}"'
    limits, best = _met(forced), forced.best
    if forced.parse is None and limits:
        return best, None, f"no analysis that has {place} was found before the limit on {limits}"
    if forced.parse is None:
        return best, None, f"no analysis has {place}: {_why(parser, what)}"
    if limits:
        cost = cost_of(forced.parse.cost)
        unknown = f"how far that is from the best is not known, for the limit on {limits} was met"
        return best, forced.parse, f"{place} is in a parse that costs {cost}; {unknown}"
    return best, forced.parse, f"{place} {_dearer(best, forced.parse)}"


def _met(forced: Forced) -> str:
    """The limits that were met in either search."""
    return ", ".join(dict.fromkeys(limit for limit in (forced.best.stopped_by, forced.stopped_by) if limit))


def _dearer(best: Parse, forced: Parse) -> str:
    """What the parse with the constituent costs more than the best one."""
    more = forced.cost - best.cost
    less = _gain(best) - _gain(forced)
    if best.valuation == "net" and more + less:
        return f"is worth {cost_of(more + less)} less than the best parse"
    if more:
        return f"costs {cost_of(more)} more than the best parse ({cost_of(best.cost)})"
    return f"costs no more, but satisfies {cost_of(less)} less" if less else "is in a best parse"


def _gain(parse: Parse) -> int:
    """What a parse satisfies, minus what its phrases cost."""
    return parse.weight - parse.nodes * parse.grammar.node_cost


def _why(parser: Parser, what: Wanted) -> str:
    table = parser.evaluator.table
    construction = table.constructions.get(what.category)
    if construction is None:
        return f"it is a part of speech, and no word from {what.start} to {what.end} is one"
    names = ", ".join(dict.fromkeys(operand.category for operand in construction.daughters))
    return f"{what.category} is made of {names}, and not all of this can be put into those"


def repair_lines(parse: Parse, found: Repairs, score: Scorer) -> Iterator[str]:
    """The repairs that gain most per edit, with the sentence that each makes and what stays violated there."""
    own = score(parse)
    yield f"{own.model} {figure(own.value)}: {visible(parse.lattice.text)}"
    yield from _guesses(parse)
    if not found and found.stopped_by:
        yield f"no edit that betters the score was found before the limit on {found.stopped_by}"
    elif not found:
        yield "no edit betters the score" if parse.violated or not parse.is_full else "nothing to repair"
    for repair in found:
        done = ", then ".join(edit.says for edit in repair.edits)
        yield f"{figure(repair.gain_per_edit):>7} an edit: {done}"
        left = "well formed" if repair.parse.is_well_formed else f"{len(repair.parse.violated)} violated"
        if not repair.parse.is_full:
            left = f"{counted(len(repair.parse.constituents), 'fragment')}, {left}"
        yield f"{'':9}{visible(repair.sentence)}  ({left})"
    if found and found.stopped_by:
        yield f"stopped by the limit on {found.stopped_by}: other edits may gain more"
