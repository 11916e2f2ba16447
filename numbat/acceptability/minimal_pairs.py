"""Minimal pairs built from a property: a phrase that violates it alone, a good one one change away, a root around both.

Where phrases put together at random violate a property by chance, this search begins with the operands that the
property is about. Rows of daughters that hold them are changed, one daughter at a time, until the property is the only
one that is violated: what a violated property lacks is added; its daughters are left out, moved, doubled, or replaced
by others with nearly the same features. The rows with the fewest other violations are changed first. From a bad phrase
one more change leads to a good one, and phrases around it, which violate nothing, lead to a root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, islice, permutations, product
from random import Random
from typing import Final

from numbat.acceptability.random_phrases import SearchCounts
from numbat.evaluation.constituents import Constituent, Instance
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle, Demand, Operand, Property, value_of
from numbat.parsing.parser import Parser
from numbat.parsing.phases.phases import is_legal_chain
from numbat.parsing.policies import Overdue, never
from numbat.records import frozen
from numbat.words.example_words import ExampleWords, Kind, difference, shared_beginning

FORMS: Final = 8
"""At most so many words of a kind are used."""
KINDS: Final = 8
"""At most so many kinds of daughters are tried for an operand."""
REPLACEMENTS: Final = 8
"""At most so many kinds of daughters are tried in the place of another one."""
PHRASE_STEPS: Final = 80
"""Steps of the search for one phrase that violates nothing."""
BAD_STEPS: Final = 5_000
"""Steps of the search for phrases that violate the property alone."""
FRAME_STEPS: Final = 150
"""Steps of the search for one phrase around another."""
MAX_STARTS: Final = 40
MAX_FRAMES: Final = 3
"""So many phrases of a construction are built around one of a kind."""
MAX_FORMS_ABOVE: Final = 8
MAX_ROOTS: Final = 3
"""So many roots are built around a bad phrase."""
MAX_HEIGHT: Final = 6
MAX_GOOD: Final = 4
DRAWS: Final = 2
"""So many times the words of a pair are chosen before it is known whether its sentences parse as wanted."""
REDRAWS: Final = 10

Row = tuple[Constituent, ...]


@frozen
class Frame:
    """A phrase around another one: its construction, and the daughters to the left and to the right."""

    form: Construction
    left: Row
    right: Row


@frozen
class RowPair:
    """Rows of daughters, bad and good, with the frames around them, the innermost first."""

    bad: Row
    good: Row | None
    frames: tuple[Frame, ...]


@frozen
class PairOfSentences:
    """Words of a sentence that should violate the property alone, and of its twin."""

    bad: list[str]
    good: list[str] | None


class PhraseBuilder:
    """Builds phrases of a grammar that violate nothing, or certain properties alone, by search.

    Constituents begin at position 0, and are put in a row where they are evaluated. `known` are phrases that violate
    nothing.
    """

    def __init__(
        self,
        parser: Parser,
        random: Random,
        examples: ExampleWords,
        longest: int,
        tried: SearchCounts,
        overdue: Overdue = never,
        known: Sequence[Constituent] = (),
    ) -> None:
        self._parser, self._random, self._tried, self._overdue = parser, random, tried, overdue
        self._table, self._longest = parser.evaluator.table, longest
        self.forms: dict[str, dict[Bundle, list[str]]] = {}
        self._words: dict[str, list[Constituent]] = {}
        for category in sorted(examples.categories):
            kinds = examples.by_bundle(category)
            self.forms[category] = {bundle: forms[:FORMS] for bundle, forms in kinds.items()}
            self._words[category] = [_word(category, bundle, forms[0]) for bundle, forms in kinds.items()]
        self._known: dict[str, dict[Bundle, Constituent]] = {}
        self._matching: dict[Operand, list[Constituent]] = {}
        self._building: set[Operand] = set()
        self._inflected: dict[int, tuple[Constituent, list[Constituent]]] = {}
        self._others: dict[tuple[int, int], tuple[Constituent, list[Constituent]]] = {}
        for phrase in sorted(known, key=lambda constituent: constituent.cover.bit_count()):
            self._keep(_at_start(phrase))
        self._fill()

    def _keep(self, phrase: Constituent) -> None:
        self._known.setdefault(phrase.construction, {}).setdefault(phrase.features, phrase)

    def _fill(self) -> None:
        """Build a few phrases of each construction of which none is known, those that need no other phrases first."""
        empty = [form for form in self._table.constructions.values() if form.name not in self._known]
        for _ in range(3):
            for form in empty:
                for head in form.heads or form.daughters:
                    for daughter in self._some(head, 4):
                        for _, phrase in self.search(form, [(daughter,)], PHRASE_STEPS, most=1):
                            self._keep(phrase)
        self._matching.clear()

    def _some(self, operand: Operand, number: int) -> list[Constituent]:
        return self.matching(operand)[:number]

    def matching(self, operand: Operand) -> list[Constituent]:
        """Return constituents of different kinds that match an operand and violate nothing."""
        constituents = self._matching.get(operand)
        if constituents is None:
            every = [*self._words.get(operand.category, ()), *self._known.get(operand.category, {}).values()]
            every = [each for each in every if operand.matches(each.construction, each.features)]
            if len(every) > KINDS:
                every = every[: KINDS // 2] + self._random.sample(every[KINDS // 2 :], KINDS // 2)
            if not every and operand.features and operand.category in self._table.constructions:
                every = self._with_features(operand)
            constituents = every
            if not self._building:
                self._matching[operand] = constituents
        return constituents

    def _with_features(self, operand: Operand) -> list[Constituent]:
        """Build phrases that have the features that an operand demands, from what such features come from."""
        if operand in self._building or len(self._building) > 2:
            return []
        self._building.add(operand)
        form = self._table.constructions[operand.category]
        found: dict[Bundle, Constituent] = {}
        for start in self._starts_with(form, operand.features):
            for _, phrase in self.search(form, [start], PHRASE_STEPS, most=2):
                self._keep(phrase)
                if operand.matches(phrase.construction, phrase.features):
                    found.setdefault(phrase.features, phrase)
            if len(found) >= KINDS // 2:
                break
        self._building.discard(operand)
        return list(found.values())

    def _starts_with(self, form: Construction, demand: Demand) -> Iterator[Row]:
        """Return rows of one or two daughters from which a phrase may have features."""
        plain = [daughter for head in form.heads for daughter in self._some(head, 2)]
        inherited = [pair for pair in demand if form.inherit is None or pair[0] in form.inherit]
        for head in form.heads:
            for daughter in self._some(_demanding(head, inherited), 4):
                yield (daughter,)
        wanted = dict(demand)
        for rule in form.feature_rules:
            if rule.feature not in wanted:
                continue
            asked: list[tuple[Operand, ...]] = [
                (_demanding(source, [(rule.feature, wanted[rule.feature])]),) for source in rule.sources
            ]
            if rule.value in wanted[rule.feature]:
                asked.append(tuple(occurrence.operand for occurrence in rule.conditions if not occurrence.absent))
            for operands in filter(None, asked):
                for together in product(*(self._some(operand, 3) for operand in operands)):
                    yield together
                    yield from ((head, *together) for head in plain)

    # Search

    def evaluated(self, form: Construction, row: Row) -> Constituent | None:
        """Return the phrase over a row of daughters; None where it is too long, or has a daughter that it may not
        have.
        """
        self._tried.steps += 1
        placed, start = [], 0
        for each in row:
            size = each.cover.bit_count()
            placed.append(each._replace(cover=((1 << size) - 1) << start))
            start += size
        if not row or start > self._longest:
            return None
        if not all(self._table.covers(form, constituent.construction, constituent.features) for constituent in row):
            return None
        return evaluated_phrase(form, tuple(placed), self._parser.evaluator)

    def is_phrase(self, phrase: Constituent) -> bool:
        """True if a parse may have the phrase: some property holds of it, and it is no endless chain."""
        return is_legal_chain(
            phrase.construction, phrase.daughters, self._parser.grammar.unary_limit
        ) and self._parser.evaluator.counts_for_h4(phrase.characterization.satisfied)

    def is_good(self, phrase: Constituent | None) -> bool:
        """True if there is a phrase, and it violates nothing."""
        return phrase is not None and not phrase.characterization.violated and self.is_phrase(phrase)

    def search(
        self,
        form: Construction,
        starts: Sequence[Row],
        steps: int,
        wanted: Property | None = None,
        fixed: Constituent | None = None,
        most: int | None = None,
    ) -> Iterator[tuple[Row, Constituent]]:
        """Return rows whose phrase violates just the wanted property, or nothing, as they are found.

        Rows grow from `starts` by single changes, those with the fewest other violations first; none loses the `fixed`
        daughter. A row that is found grows on, later, if something is wanted or fixed.
        """
        alone = set() if wanted is None else {wanted}
        end, found, number = self._tried.steps + steps, 0, count()
        seen: set[tuple[tuple[str, Bundle, int], ...]] = set()
        waiting: list[tuple[float, int, Row, Constituent]] = []
        rows: Iterator[Row] = iter(starts)
        while True:
            for row in rows:
                key = tuple(
                    [(constituent.construction, constituent.features, constituent.cover) for constituent in row]
                )
                if key in seen:
                    continue
                if self._tried.steps >= end or self._overdue():
                    return
                seen.add(key)
                phrase = self.evaluated(form, row)
                if phrase is None:
                    continue
                violated = {instance.property for instance in phrase.characterization.violated}
                legal = self.is_phrase(phrase)
                if wanted is not None and legal:
                    self._tried.phrase(violated, alone)
                if violated == alone and legal:
                    yield row, phrase
                    found += 1
                    if found == most:
                        return
                    if wanted is None and fixed is None:
                        continue
                is_found = violated == alone and legal
                far = 3 * len(violated - alone) + 2 * len(alone - violated) + len(row) + (not legal) + 4 * is_found
                heappush(waiting, (far + self._random.random(), next(number), row, phrase))
            if not waiting:
                return
            _, _, row, phrase = heappop(waiting)
            rows = self.changed(form, row, phrase, wanted, fixed)

    # Changes of a row

    def changed(
        self,
        form: Construction,
        row: Row,
        phrase: Constituent,
        wanted: Property | None = None,
        fixed: Constituent | None = None,
    ) -> Iterator[Row]:
        """Return rows one change away that may violate less, or, where it is not violated, the wanted property."""
        both = phrase.characterization
        others = {id(each.property): each for each in both.violated if each.property != wanted}
        for instance in islice(others.values(), 4):
            yield from self._completed(row, instance.property)
        for instance in islice((each for each in both.violated if each.property != wanted), 6):
            yield from self._touched(row, instance, fixed)
        if wanted is not None and not any(each.property == wanted for each in both.violated):
            yield from self._disturbed(row, [each for each in both.satisfied if each.property == wanted], wanted)
        if not others:
            yield from self._grown(row, form)

    def _completed(self, row: Row, prop: Property) -> Iterator[Row]:
        """Return rows with one more of what a violated property lacks."""
        relation = self._table.relations[prop.relation]
        if relation.lacking:
            for joint in prop.operands[relation.parameters.index(relation.lacking)]:
                for operand in joint:
                    for daughter in self._some(operand, 4):
                        yield from _inserted(row, daughter)

    def _touched(self, row: Row, instance: Instance, fixed: Constituent | None = None) -> Iterator[Row]:
        """Return rows in which one of the daughters of an instance is left out, moved or replaced."""
        for place in instance.elements:
            daughter, rest = row[place], row[:place] + row[place + 1 :]
            if daughter is not fixed:
                for other in self.others(daughter, instance.property):
                    yield (*row[:place], other, *row[place + 1 :])
                yield rest
            yield from _inserted(rest, daughter)

    def _disturbed(self, row: Row, satisfied: Sequence[Instance], prop: Property) -> Iterator[Row]:
        """Return rows that may violate a property that this one satisfies, or says nothing of."""
        for instance in satisfied[:4]:
            yield from self._touched(row, instance)
            for place in instance.elements:
                yield from _inserted(row, row[place])
        for operand in dict.fromkeys(prop.all_operands()):
            places = [
                i
                for i, constituent in enumerate(row)
                if operand.matches(constituent.construction, constituent.features)
            ]
            for place in places:
                yield (*row[:place], *row[place + 1 :])
            for daughter in self._some(operand, 4):
                yield from _inserted(row, daughter)

    def _grown(self, row: Row, form: Construction) -> Iterator[Row]:
        """Return rows with one more daughter of any category."""
        for operand in form.daughters:
            for daughter in self._some(operand, 2):
                yield from _inserted(row, daughter)

    # Others of a category

    def others(self, constituent: Constituent, prop: Property) -> list[Constituent]:
        """Return constituents of the same category and other features, first those that a property takes for others.

        Of these the nearest in features come first.
        """
        key = id(constituent), id(prop)
        if key not in self._others:
            if constituent.is_word:
                every = self._words.get(constituent.construction, [])
            else:
                every = [*self.inflected(constituent), *self._known.get(constituent.construction, {}).values()]
            mine = self._seen_by(prop, constituent)
            constituents = sorted(
                (each for each in every if each.features != constituent.features),
                key=lambda each: (
                    self._seen_by(prop, each) == mine,
                    difference(each.features, constituent.features),
                    not constituent.is_word and _apart(each, constituent),
                ),
            )
            self._others[key] = constituent, constituents[:REPLACEMENTS]
        return self._others[key][1]

    def _seen_by(self, prop: Property, constituent: Constituent) -> tuple[object, ...]:
        """Return what a property asks of a constituent: which of its operands it matches, and what is compared."""
        kind = constituent.construction, constituent.features
        matched = [operand.matches(*kind) for operand in prop.all_operands()]
        return (*matched, *(value_of(constituent.features, feature) for feature in prop.features))

    def inflected(self, phrase: Constituent, depth: int = 2) -> list[Constituent]:
        """Return phrases with other features that differ from one in a single word, and violate nothing."""
        if id(phrase) in self._inflected:
            return self._inflected[id(phrase)][1]
        form, found = self._table.constructions[phrase.construction], dict[Bundle, Constituent]()
        row = tuple(_at_start(constituent) for constituent in phrase.daughters)
        for place, daughter in enumerate(row):
            if daughter.is_word:
                near = sorted(
                    self._words.get(daughter.construction, ()), key=lambda o: difference(o.features, daughter.features)
                )[: 2 * REPLACEMENTS]
            else:
                near = self.inflected(daughter, depth - 1) if depth else []
            for other in near:
                if other.features != daughter.features:
                    new = self.evaluated(form, (*row[:place], other, *row[place + 1 :]))
                    if new is not None and self.is_good(new) and new.features != phrase.features:
                        found.setdefault(new.features, new)
        self._inflected[id(phrase)] = phrase, list(found.values())
        return self._inflected[id(phrase)][1]


def _word(category: str, bundle: Bundle, form: str) -> Constituent:
    return Constituent(category, 1, bundle, form=form)


def _at_start(constituent: Constituent) -> Constituent:
    """Return the constituent at position 0; its daughters stay where they are."""
    return constituent._replace(cover=(1 << constituent.cover.bit_count()) - 1)


def _demanding(operand: Operand, more: Sequence[tuple[str, tuple[str, ...]]]) -> Operand:
    """Return an operand that demands more features."""
    return Operand(operand.category, tuple(sorted({**dict(more), **dict(operand.features)}.items())))


def _inserted(row: Row, daughter: Constituent) -> Iterator[Row]:
    """Return the rows that have one more daughter, at each place."""
    return ((*row[:place], daughter, *row[place:]) for place in range(len(row) + 1))


def _apart(one: Constituent, other: Constituent) -> int:
    """Return the number of words in which two phrases differ, a greater one where they differ in length."""
    mine, theirs = ([(word.construction, word.form) for word in constituent.words()] for constituent in (one, other))
    return sum(a != b for a, b in zip(mine, theirs, strict=False)) + 9 * abs(len(mine) - len(theirs))


class MinimalPairs:
    """Searches for sentences that violate a property alone, each with a good one that differs from it in one change."""

    def __init__(
        self,
        parser: Parser,
        violated: Property,
        random: Random,
        examples: ExampleWords,
        longest: int,
        tried: SearchCounts,
        overdue: Overdue = never,
        known: Sequence[Constituent] = (),
    ) -> None:
        self._parser, self._violated, self._random, self._overdue = parser, violated, random, overdue
        self._table, self._tried = parser.evaluator.table, tried
        self._build = PhraseBuilder(parser, random, examples, longest, tried, overdue, known)
        self._form = self._table.constructions[violated.construction]
        self._attested = [
            _at_start(constituent) for constituent in known if constituent.construction == violated.construction
        ]
        self._frames: dict[tuple[Kind, int], list[Frame]] = {}
        self._accepted: list[RowPair] = []
        self._last: RowPair | None = None

    def accept(self) -> None:
        """Say that the sentences that were given last parse as wanted: go on with another phrase.

        Their words are chosen anew later.
        """
        if self._last is not None and not self._is_accepted(self._last):
            self._accepted.append(self._last)

    def _is_accepted(self, pair: RowPair) -> bool:
        return any(pair is row_pair for row_pair in self._accepted)

    def sentences(self, roots: frozenset[str]) -> Iterator[PairOfSentences]:
        """Return pairs of sentences, first of different phrases, then of the accepted ones with other words."""
        for pair in self._pairs(roots):
            for _ in range(DRAWS):
                self._last = pair
                yield self._drawn(pair)
                if self._overdue():
                    return
                if self._is_accepted(pair):
                    break
        for _ in range(REDRAWS):
            for pair in list(self._accepted):
                self._last = pair
                yield self._drawn(pair)
                if self._overdue():
                    return

    # Bad phrases and good ones

    def _pairs(self, roots: frozenset[str]) -> Iterator[RowPair]:
        above = self._distances(roots)
        bad_rows = self._build.search(self._form, list(self._starts()), BAD_STEPS, self._violated)
        for row, phrase in bad_rows:
            good = self._mended(row, phrase)
            for frames in islice(self._around(phrase, roots, above), MAX_ROOTS):
                fitting = (mended for mended in good if self._fits(mended, frames))
                pair = RowPair(row, next(fitting, None), frames)
                yield pair
                if self._is_accepted(pair):
                    break

    def _starts(self) -> Iterator[Row]:
        """Return rows to begin with: phrases that are known, the operands of the property, and phrases around these."""
        attested = [tuple(map(_at_start, constituent.daughters)) for constituent in self._attested]
        operands = list(dict.fromkeys(self._violated.all_operands()))
        speaks = [row for row in attested if self._number_matched(row, operands)]
        speaks.sort(key=lambda row: (-self._number_matched(row, operands), len(row)))
        yield from speaks[:MAX_STARTS]
        bare = list(self._bare(operands))
        yield from bare
        for row in self._random.sample(bare, min(len(bare), 6)):
            yield from (found for found, _ in self._build.search(self._form, [row], PHRASE_STEPS, most=2))

    def _bare(self, operands: Sequence[Operand]) -> Iterator[Row]:
        """Return rows of daughters that match operands of the property, and of nothing else."""
        every = {operand: self._build.matching(operand) for operand in operands}
        for clause in self._table.relations[self._violated.relation].clauses:
            places = dict(
                zip(self._table.relations[self._violated.relation].parameters, self._violated.operands, strict=True)
            )
            matched = [operand for name in clause.matched for operand in places[name][0]]
            for _ in range(4):
                if matched and all(every[operand] for operand in matched):
                    chosen = [self._random.choice(every[operand]) for operand in matched]
                    yield from islice(permutations(chosen), 6)
        for operand in operands:
            yield from ((constituent,) for constituent in every[operand][:4])
        for operand in self._form.daughters:
            yield from ((each,) for each in self._build.matching(operand)[:1])

    def _number_matched(self, row: Row, operands: Sequence[Operand]) -> int:
        return sum(
            any(operand.matches(constituent.construction, constituent.features) for constituent in row)
            for operand in operands
        )

    def _mended(self, row: Row, phrase: Constituent) -> list[Row]:
        """Return rows one change away that violate nothing: first those that keep the daughters, then those whose
        phrase has the same features.
        """
        found: list[tuple[bool, bool, int, Row]] = []
        mine = sorted(map(id, row))
        for number, other in enumerate(self._build.changed(self._form, row, phrase)):
            if self._overdue():
                break
            new = self._build.evaluated(self._form, other)
            if new is not None and self._build.is_good(new) and _is_one_change(row, other):
                found.append((sorted(map(id, other)) != mine, new.features != phrase.features, number, other))
        return [other for *_, other in sorted(found, key=lambda each: each[:3])[:MAX_GOOD]]

    # Roots

    def _distances(self, roots: frozenset[str]) -> dict[str, int]:
        """Return for each category the number of phrases from it up to a root."""
        found = dict.fromkeys(sorted(roots), 0)
        waiting = list(found)
        for name in waiting:
            form = self._table.constructions.get(name)
            for operand in form.daughters if form else ():
                if operand.category not in found:
                    found[operand.category] = found[name] + 1
                    waiting.append(operand.category)
        return found

    def _around(
        self, phrase: Constituent, roots: frozenset[str], above: Mapping[str, int]
    ) -> Iterator[tuple[Frame, ...]]:
        """Return frames around a phrase up to a root that violate nothing more, the fewest first."""
        waiting: list[tuple[tuple[Frame, ...], Constituent]] = [((), phrase)]
        seen: set[Kind] = set()
        for frames, top in waiting:
            if top.construction in roots and self._parser.grammar.is_root(top.construction, top.features):
                yield frames
            kind = top.construction, top.features
            if kind in seen or len(frames) == MAX_HEIGHT:
                continue
            seen.add(kind)
            for frame in self._frames_of(top, above):
                larger = self._build.evaluated(frame.form, (*frame.left, top, *frame.right))
                if larger is not None:
                    waiting.append(((*frames, frame), larger))

    def _frames_of(self, phrase: Constituent, above: Mapping[str, int]) -> list[Frame]:
        """Return frames of constructions that may have the phrase, the nearest to a root first."""
        key = (phrase.construction, phrase.features), phrase.depth
        if key not in self._frames:
            frames = self._frames[key] = []
            start = _at_start(phrase)
            forms = [
                form
                for form in self._table.constructions.values()
                if form.name in above and self._table.covers(form, *key[0])
            ]
            for form in sorted(forms, key=lambda form: above[form.name])[:MAX_FORMS_ABOVE]:
                grown = self._build.search(form, [(start,)], FRAME_STEPS, fixed=start, most=MAX_FRAMES)
                for row, _ in grown:
                    place = next(i for i, constituent in enumerate(row) if constituent is start)
                    frames.append(Frame(form, row[:place], row[place + 1 :]))
        return self._frames[key]

    def _fits(self, row: Row, frames: Sequence[Frame]) -> bool:
        """True if the phrase over a row violates nothing, and nothing is violated in the frames around it."""
        phrase = self._build.evaluated(self._form, row)
        for frame in frames:
            if phrase is None or not self._build.is_good(phrase):
                return False
            phrase = self._build.evaluated(frame.form, (*frame.left, phrase, *frame.right))
        return phrase is not None and self._build.is_good(phrase)

    # Words

    def _drawn(self, pair: RowPair) -> PairOfSentences:
        """Choose the words of a pair; what is in both sentences has the same words in both."""
        chosen: dict[int, list[str]] = {}
        bad = [self._row_words(pair.bad, chosen, ())]
        good = [] if pair.good is None else [self._row_words(pair.good, chosen, _left_out(pair.bad, pair.good))]
        for frame in pair.frames:
            left, right = (
                [word for constituent in side for word in self._chosen(constituent)]
                for side in (frame.left, frame.right)
            )
            bad, good = ([left, *side, right] for side in (bad, good))
        joined = [[word for part in side for word in part] for side in (bad, good)]
        return PairOfSentences(joined[0], None if pair.good is None else joined[1])

    def _row_words(self, row: Row, chosen: dict[int, list[str]], model: Row) -> list[str]:
        found = []
        for constituent in row:
            if id(constituent) not in chosen:
                like = [word for one in model for word in one.words()]
                forms = [form for one in model for form in chosen[id(one)]]
                chosen[id(constituent)] = self._chosen(constituent, list(zip(like, forms, strict=True)))
            found += chosen[id(constituent)]
        return found

    def _chosen(self, constituent: Constituent, model: Sequence[tuple[Constituent, str]] = ()) -> list[str]:
        """Choose words for a constituent: those of the model where it has the same, and the likest of other forms."""
        words = list(constituent.words())
        found = []
        for i, word in enumerate(words):
            forms = self._build.forms.get(word.construction, {}).get(word.features) or [word.form]
            if len(model) == len(words) and model[i][0].construction == word.construction:
                like, form = model[i]
                same = like.features == word.features
                found.append(form if same else max(forms, key=lambda each: shared_beginning(each, form)))
            else:
                found.append(self._random.choice(forms))
        return found


def _is_one_change(one: Row, other: Row) -> bool:
    """True if two rows differ in the order of their words, or in one word, which may be replaced."""
    mine, theirs = (
        Counter((word.construction, word.form) for constituent in row for word in constituent.words())
        for row in (one, other)
    )
    return (mine - theirs).total() < 2 and (theirs - mine).total() < 2


def _left_out(bad: Row, good: Row) -> Row:
    """Return the daughters of a bad row that a good one has no more."""
    return tuple([constituent for constituent in bad if not any(constituent is other for other in good)])
