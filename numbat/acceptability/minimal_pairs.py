"""Minimal pairs for a property: a phrase that violates only this property, a good phrase one change away, and roots.

Random phrases violate a property only by chance; this search begins with the property's operands. Rows of daughters
with such operands are changed, one daughter at a time, until they violate only this property: a daughter that another
property misses is added; daughters that violate it are deleted, moved, doubled, or replaced by others with nearly the
same features. The rows with the fewest other violations are changed first. One more change turns a bad phrase into a
good one, and larger phrases that violate nothing are built around both, up to a root.
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
"""Maximum number of word forms used for each category with its features."""
KINDS: Final = 8
"""Maximum number of kinds of daughters tried for an operand."""
REPLACEMENTS: Final = 8
"""Maximum number of kinds of daughters tried as replacements of one daughter."""
PHRASE_STEPS: Final = 80
"""Maximum number of steps in the search for one phrase that violates nothing."""
BAD_STEPS: Final = 5_000
"""Maximum number of steps in the search for phrases that violate only the property."""
FRAME_STEPS: Final = 150
"""Maximum number of steps in the search for one phrase around another."""
MAX_STARTS: Final = 40
MAX_FRAMES: Final = 3
"""Maximum number of phrases of a construction built around a phrase of one kind."""
MAX_FORMS_ABOVE: Final = 8
MAX_ROOTS: Final = 3
"""Maximum number of roots built around a bad phrase."""
MAX_HEIGHT: Final = 6
MAX_GOOD: Final = 4
DRAWS: Final = 2
"""Number of times that words are chosen for a pair whose sentences have not yet parsed as wanted."""
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
    """A bad row of daughters and a good one (None if not found), with the frames around both, innermost first."""

    bad: Row
    good: Row | None
    frames: tuple[Frame, ...]


@frozen
class PairOfSentences:
    """The words of a sentence that should violate only the property, and of its well-formed twin (None without one)."""

    bad: list[str]
    good: list[str] | None


class PhraseBuilder:
    """Search for phrases of a grammar that violate nothing, or only certain properties.

    Constituents begin at position 0 and are shifted when a row is evaluated. `known` are phrases that violate nothing.
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
        """Build a few phrases of each construction for which no phrases are known."""
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
            every = [
                constituent for constituent in every if operand.matches(constituent.construction, constituent.features)
            ]
            if len(every) > KINDS:
                every = every[: KINDS // 2] + self._random.sample(every[KINDS // 2 :], KINDS // 2)
            if not every and operand.features and operand.category in self._table.constructions:
                every = self._with_features(operand)
            constituents = every
            if not self._building:
                self._matching[operand] = constituents
        return constituents

    def _with_features(self, operand: Operand) -> list[Constituent]:
        """Build phrases with the features that an operand demands, from daughters that may pass them on."""
        if operand in self._building or len(self._building) > 2:
            return []
        self._building.add(operand)
        form = self._table.constructions[operand.category]
        by_features: dict[Bundle, Constituent] = {}
        for start in self._starts_with(form, operand.features):
            for _, phrase in self.search(form, [start], PHRASE_STEPS, most=2):
                self._keep(phrase)
                if operand.matches(phrase.construction, phrase.features):
                    by_features.setdefault(phrase.features, phrase)
            if len(by_features) >= KINDS // 2:
                break
        self._building.discard(operand)
        return list(by_features.values())

    def _starts_with(self, form: Construction, demand: Demand) -> Iterator[Row]:
        """Yield rows of one or two daughters that may give a phrase the demanded features."""
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
        """Return the phrase over a row of daughters; None if it is too long or a daughter is not allowed in it."""
        self._tried.steps += 1
        placed, start = [], 0
        for daughter in row:
            size = daughter.cover.bit_count()
            placed.append(daughter._replace(cover=((1 << size) - 1) << start))
            start += size
        if not row or start > self._longest:
            return None
        if not all(self._table.covers(form, constituent.construction, constituent.features) for constituent in row):
            return None
        return evaluated_phrase(form, tuple(placed), self._parser.evaluator)

    def is_phrase(self, phrase: Constituent) -> bool:
        """True if a parse may contain the phrase: a property is satisfied, and no unary chain is too long."""
        return is_legal_chain(
            phrase.construction, phrase.daughters, self._parser.grammar.unary_limit
        ) and self._parser.evaluator.counts_for_h4(phrase.characterization.satisfied)

    def is_good(self, phrase: Constituent | None) -> bool:
        """True if the phrase exists and violates nothing."""
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
        """Yield rows, each with its phrase, that violate just the wanted property (nothing if None), as they are found.

        Rows develop from `starts` by single changes, those with the fewest other violations first; none loses the
        `fixed` daughter. Rows that were yielded are changed further, with lower priority, if `wanted` or `fixed` is
        given.
        """
        alone = set() if wanted is None else {wanted}
        end, yielded, number = self._tried.steps + steps, 0, count()
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
                    yielded += 1
                    if yielded == most:
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
        """Yield rows one change away that may have fewer violations, or violate the wanted property."""
        both = phrase.characterization
        others = {id(instance.property): instance for instance in both.violated if instance.property != wanted}
        for instance in islice(others.values(), 4):
            yield from self._completed(row, instance.property)
        for instance in islice((instance for instance in both.violated if instance.property != wanted), 6):
            yield from self._touched(row, instance, fixed)
        if wanted is not None and not any(instance.property == wanted for instance in both.violated):
            yield from self._disturbed(
                row, [instance for instance in both.satisfied if instance.property == wanted], wanted
            )
        if not others:
            yield from self._grown(row, form)

    def _completed(self, row: Row, prop: Property) -> Iterator[Row]:
        """Yield rows with one more daughter, of a category that a violated property lacks."""
        relation = self._table.relations[prop.relation]
        if relation.lacking:
            for joint in prop.operands[relation.parameters.index(relation.lacking)]:
                for operand in joint:
                    for daughter in self._some(operand, 4):
                        yield from _inserted(row, daughter)

    def _touched(self, row: Row, instance: Instance, fixed: Constituent | None = None) -> Iterator[Row]:
        """Yield rows in which one of the daughters that a property instance is about is deleted, moved or replaced."""
        for place in instance.elements:
            daughter, rest = row[place], row[:place] + row[place + 1 :]
            if daughter is not fixed:
                for other in self.others(daughter, instance.property):
                    yield (*row[:place], other, *row[place + 1 :])
                yield rest
            yield from _inserted(rest, daughter)

    def _disturbed(self, row: Row, satisfied: Sequence[Instance], prop: Property) -> Iterator[Row]:
        """Yield rows that may violate a property which this row satisfies or to which it does not apply."""
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
        """Yield rows with one more daughter of any category."""
        for operand in form.daughters:
            for daughter in self._some(operand, 2):
                yield from _inserted(row, daughter)

    # Replacements of the same category

    def others(self, constituent: Constituent, prop: Property) -> list[Constituent]:
        """Return constituents with the same category and other features: those that `prop` tells apart first."""
        key = id(constituent), id(prop)
        if key not in self._others:
            if constituent.is_word:
                every = self._words.get(constituent.construction, [])
            else:
                every = [*self.inflected(constituent), *self._known.get(constituent.construction, {}).values()]
            mine = self._seen_by(prop, constituent)
            constituents = sorted(
                (other for other in every if other.features != constituent.features),
                key=lambda other: (
                    self._seen_by(prop, other) == mine,
                    difference(other.features, constituent.features),
                    not constituent.is_word and _apart(other, constituent),
                ),
            )
            self._others[key] = constituent, constituents[:REPLACEMENTS]
        return self._others[key][1]

    def _seen_by(self, prop: Property, constituent: Constituent) -> tuple[object, ...]:
        """Return what a property can see in a constituent: the operands that it matches, and the features compared."""
        kind = constituent.construction, constituent.features
        matched = [operand.matches(*kind) for operand in prop.all_operands()]
        return (*matched, *(value_of(constituent.features, feature) for feature in prop.features))

    def inflected(self, phrase: Constituent, depth: int = 2) -> list[Constituent]:
        """Return phrases that differ from this one in a single word and in features, and violate nothing."""
        if id(phrase) in self._inflected:
            return self._inflected[id(phrase)][1]
        form, by_features = self._table.constructions[phrase.construction], dict[Bundle, Constituent]()
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
                        by_features.setdefault(new.features, new)
        self._inflected[id(phrase)] = phrase, list(by_features.values())
        return self._inflected[id(phrase)][1]


def _word(category: str, bundle: Bundle, form: str) -> Constituent:
    return Constituent(category, 1, bundle, form=form)


def _at_start(constituent: Constituent) -> Constituent:
    """Return the constituent moved to position 0; its daughters keep their positions."""
    return constituent._replace(cover=(1 << constituent.cover.bit_count()) - 1)


def _demanding(operand: Operand, more: Sequence[tuple[str, tuple[str, ...]]]) -> Operand:
    """Return the operand with further features demanded."""
    return Operand(operand.category, tuple(sorted({**dict(more), **dict(operand.features)}.items())))


def _inserted(row: Row, daughter: Constituent) -> Iterator[Row]:
    """Yield the row with a daughter inserted at each position."""
    return ((*row[:place], daughter, *row[place:]) for place in range(len(row) + 1))


def _apart(one: Constituent, other: Constituent) -> int:
    """Return the number of words in which two phrases differ, plus 9 for each word of difference in length."""
    mine, theirs = ([(word.construction, word.form) for word in constituent.words()] for constituent in (one, other))
    return sum(a != b for a, b in zip(mine, theirs, strict=False)) + 9 * abs(len(mine) - len(theirs))


class MinimalPairs:
    """Search for sentences that violate only one property, each with a good sentence that is one change away."""

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
        """Accept the last pair yielded, because it parses as wanted; the search continues with another phrase.

        Accepted pairs are yielded again, with other words, at the end.
        """
        if self._last is not None and not self._is_accepted(self._last):
            self._accepted.append(self._last)

    def _is_accepted(self, pair: RowPair) -> bool:
        return any(pair is accepted for accepted in self._accepted)

    def sentences(self, roots: frozenset[str]) -> Iterator[PairOfSentences]:
        """Yield pairs of sentences: first with different phrases, then the accepted ones with other words."""
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
        """Yield rows to begin with: known phrases, operands of the property, and phrases that contain these."""
        attested = [tuple(map(_at_start, constituent.daughters)) for constituent in self._attested]
        operands = list(dict.fromkeys(self._violated.all_operands()))
        speaks = [row for row in attested if self._number_matched(row, operands)]
        speaks.sort(key=lambda row: (-self._number_matched(row, operands), len(row)))
        yield from speaks[:MAX_STARTS]
        bare = list(self._bare(operands))
        yield from bare
        for row in self._random.sample(bare, min(len(bare), 6)):
            yield from (rows for rows, _ in self._build.search(self._form, [row], PHRASE_STEPS, most=2))

    def _bare(self, operands: Sequence[Operand]) -> Iterator[Row]:
        """Yield rows of daughters that match operands of the property, and single other daughters."""
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
            yield from ((constituent,) for constituent in self._build.matching(operand)[:1])

    def _number_matched(self, row: Row, operands: Sequence[Operand]) -> int:
        return sum(
            any(operand.matches(constituent.construction, constituent.features) for constituent in row)
            for operand in operands
        )

    def _mended(self, row: Row, phrase: Constituent) -> list[Row]:
        """Return rows one change away that violate nothing, first those with the same daughters, then features."""
        ranked: list[tuple[bool, bool, int, Row]] = []
        mine = sorted(map(id, row))
        for number, other in enumerate(self._build.changed(self._form, row, phrase)):
            if self._overdue():
                break
            new = self._build.evaluated(self._form, other)
            if new is not None and self._build.is_good(new) and _is_one_change(row, other):
                ranked.append((sorted(map(id, other)) != mine, new.features != phrase.features, number, other))
        return [other for *_, other in sorted(ranked, key=lambda entry: entry[:3])[:MAX_GOOD]]

    # Roots

    def _distances(self, roots: frozenset[str]) -> dict[str, int]:
        """Return for each category how many levels below the nearest root it can occur."""
        distances = dict.fromkeys(sorted(roots), 0)
        waiting = list(distances)
        for name in waiting:
            form = self._table.constructions.get(name)
            for operand in form.daughters if form else ():
                if operand.category not in distances:
                    distances[operand.category] = distances[name] + 1
                    waiting.append(operand.category)
        return distances

    def _around(
        self, phrase: Constituent, roots: frozenset[str], above: Mapping[str, int]
    ) -> Iterator[tuple[Frame, ...]]:
        """Yield sequences of frames that lead from a phrase to a root and violate nothing more, the shortest first."""
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
        """Return frames of constructions that may contain the phrase, the nearest to a root first."""
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
        """True if neither the phrase over a row nor the frames around it violate anything."""
        phrase = self._build.evaluated(self._form, row)
        for frame in frames:
            if phrase is None or not self._build.is_good(phrase):
                return False
            phrase = self._build.evaluated(frame.form, (*frame.left, phrase, *frame.right))
        return phrase is not None and self._build.is_good(phrase)

    # Words

    def _drawn(self, pair: RowPair) -> PairOfSentences:
        """Choose the words of a pair; constituents in both sentences get the same words."""
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
        words = []
        for constituent in row:
            if id(constituent) not in chosen:
                like = [word for one in model for word in one.words()]
                forms = [form for one in model for form in chosen[id(one)]]
                chosen[id(constituent)] = self._chosen(constituent, list(zip(like, forms, strict=True)))
            words += chosen[id(constituent)]
        return words

    def _chosen(self, constituent: Constituent, model: Sequence[tuple[Constituent, str]] = ()) -> list[str]:
        """Choose words for a constituent: those of `model` if their features agree, else the most similar forms."""
        words = list(constituent.words())
        texts = []
        for i, word in enumerate(words):
            forms = self._build.forms.get(word.construction, {}).get(word.features) or [word.form]
            if len(model) == len(words) and model[i][0].construction == word.construction:
                like, form = model[i]
                same = like.features == word.features
                texts.append(form if same else max(forms, key=lambda candidate: shared_beginning(candidate, form)))
            else:
                texts.append(self._random.choice(forms))
        return texts


def _is_one_change(one: Row, other: Row) -> bool:
    """True if two rows differ only in word order, or in one word that is added, deleted or replaced."""
    mine, theirs = (
        Counter((word.construction, word.form) for constituent in row for word in constituent.words())
        for row in (one, other)
    )
    return (mine - theirs).total() < 2 and (theirs - mine).total() < 2


def _left_out(bad: Row, good: Row) -> Row:
    """Return the daughters of a bad row that the good row lacks."""
    return tuple([constituent for constituent in bad if not any(constituent is other for other in good)])
