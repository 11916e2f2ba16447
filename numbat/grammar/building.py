"""Builds a `Grammar` from statements: settings, declarations, token rules, lexicon, user-defined relations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

from numbat.errors import Problem, Span
from numbat.grammar.conditions import check_values, plain
from numbat.grammar.constructions import constructions_of, cure, only_adds, outermost, strengths_of
from numbat.grammar.declarations import MAX_SPELT, Declarations, or_listed, stands_twice
from numbat.grammar.expressions import Agree, counted_parameters, single_parameters, walk
from numbat.grammar.model import MAX_UNARY, Entry, Grammar, GuessRule, Reading, Semantics, SpellingRule, TokenRule
from numbat.grammar.names import EVERY, FUNCTIONS, KEYWORDS, LISTS, NUMBERS, WILDCARD, is_name
from numbat.grammar.profiles import ELECTIONS, HEURISTICS, PROFILES, TERMINATIONS, Profile, in_order
from numbat.grammar.properties import UNIT, Demand, Operand
from numbat.grammar.relations import CONDITION, Clause, Relation, built_in
from numbat.grammar.statements import (
    ConstructionStatement,
    EntryStatement,
    FeatureStatement,
    IncludedWords,
    OperandSyntax,
    PlacedText,
    ProfileStatement,
    ReadingSyntax,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    SwitchStatement,
    TemplateStatement,
    TokenRuleStatement,
    TypeStatement,
    UnreadLine,
    WithoutWordStatement,
)
from numbat.grammar.templates import declare_templates, name_of, names_of, with_readings

if TYPE_CHECKING:
    from numbat.grammar.constructions import Rereading


def build(
    statements: Sequence[Statement],
    includers: Mapping[str, str] | None = None,
    earlier: Rereading | None = None,
    until_first: bool = False,
) -> tuple[Grammar, list[Problem]]:
    """Return the grammar that the statements of a file and its included files describe, with all mistakes.

    `includers` have, for each included file, the file that includes it. Raises FirstError for a mistake with
    `until_first`.
    """
    declarations = Declarations(includers or {}, until_first=until_first)
    entries = [s for s in statements if isinstance(s, EntryStatement)]
    others = [s for s in statements if not isinstance(s, EntryStatement)]  # a tenth of them, looked at many times
    _declare_all(declarations, others)
    settings = _settings(declarations, statements)
    semantics = _semantics(declarations, others)
    profiles = _profiles(declarations, others, semantics)
    relations = own_relations(declarations, others, missing_unifies=semantics.missing == "unifies")
    for relation in (*built_in(semantics.switches), *relations):
        for name in (relation.name, relation.symbol, *relation.aliases):
            if name:
                declarations.relations[name] = relation
    strengths = strengths_of(declarations, [s for s in others if isinstance(s, StrengthStatement) and s.everywhere])
    words = _without_words(declarations, others, _words(declarations, statements))
    lexicon = earlier.entries(declarations, words, _lexicon) if earlier else _lexicon(declarations, words)
    constructions = constructions_of(declarations, others, strengths, earlier)
    grammar = Grammar(
        name=_text(settings, "grammar"),
        language=_text(settings, "language"),
        version=_text(settings, "version"),
        source=_text(settings, "source"),
        authors=tuple(str(value.category) for value in settings.get("authors", ())),
        features=tuple(declarations.features.items()),
        leaves=tuple(dict.fromkeys(str(value.category) for value in settings.get("leaves", ()))),
        roots=tuple(dict.fromkeys(declarations.operands(settings.get("roots", ())))),
        tree_features=_tree_features(declarations, others),
        semantics=semantics,
        profiles=profiles,
        strengths=tuple(strengths.items()),
        relations=(*relations, *declarations.anonymous.values()),
        constructions=constructions,
        tokens=_token_rules(declarations, others),
        lexicon=lexicon,
        guesses=_guess_rules(declarations, [s for s in entries if s.section == "guess"]),
        names=_guess_rules(declarations, [s for s in entries if s.section == "names"]),
        spelling=tuple(rule for s in others if isinstance(s, SpellingStatement) for rule in _spelling(declarations, s)),
    )
    numbers: dict[str, Any] = _numbers(declarations, settings)
    return replace(grammar, **numbers), declarations.problems


def templates_of(statements: Sequence[Statement]) -> tuple[dict[str, TemplateStatement], Sequence[EntryStatement]]:
    """Return the templates that statements declare, and the words with the readings of templates in their places."""
    declarations = Declarations()
    _declare_all(declarations, statements)
    words = [s for s in statements if isinstance(s, EntryStatement) and s.section == "lexicon"]
    return declarations.templates, with_readings(declarations, words)


def _declare_all(declarations: Declarations, statements: Sequence[Statement]) -> None:
    """Declare all names that the statements declare."""
    _declare(declarations, statements)
    _declare_types(declarations, [s for s in statements if isinstance(s, TypeStatement)])
    declare_templates(declarations, [s for s in statements if isinstance(s, TemplateStatement)])


def _declare(declarations: Declarations, statements: Sequence[Statement]) -> None:
    """Declare the names of features and categories, so that the statements may use them in any order."""
    declarations.categories[WILDCARD] = None
    opened: dict[str, PlacedText] = {}
    leaves: list[PlacedText] = []
    features: dict[str, FeatureStatement] = {}
    for statement in statements:
        match statement:
            case FeatureStatement(name):
                _declare_feature(declarations, statement, features.setdefault(name, statement))
            case ConstructionStatement(name):
                first = opened.setdefault(name, name)
                if first is not name and first.span.path == name.span.path:
                    message = f'construction "{name}" is defined twice, first in line {first.span.line}'
                    declarations.error(message, name.span, "put all its properties in one place")
            case SettingStatement(key, values) if key in ("leaves", "roots"):
                declarations.check_doubled("leaf" if key == "leaves" else "root", values)
                leaves += [value.category for value in values if key == "leaves"]
            case UnreadLine(words):
                declarations.unread.update(words)
    for leaf in leaves:
        if leaf in opened:
            where = opened[leaf].span.seen_from(leaf.span)
            declarations.error(f'"{leaf}" is a leaf and has a form in {where}', leaf.span, "remove one of the two")
    for word in (*opened.values(), *leaves):
        if not word:
            declarations.error("a category without a name", word.span)
        declarations.categories[str(word)] = None


def _declare_types(declarations: Declarations, statements: Sequence[TypeStatement]) -> None:
    """Declare the types with the categories of their members, which may be types."""
    stated: dict[str, TypeStatement] = {}
    for statement in statements:
        name = statement.name
        if name in declarations.categories:
            declarations.error(f'"{name}" is a construction or a leaf', name.span, "choose another name for the type")
        elif name in stated:
            message = f'type "{name}" is declared twice, first in {stated[name].name.span.seen_from(name.span)}'
            own = name.span.path == stated[name].name.span.path
            hint = "put all its members in one line" if own else "give yours another name, or remove it"
            declarations.error(message, name.span, hint)
        else:
            stated[str(name)] = statement

    def members(statement: TypeStatement, above: tuple[str, ...]) -> Iterator[str]:
        for member in statement.members:
            if member in above:
                circle = " > ".join((*above[above.index(member) :], str(member)))
                declarations.error(f'type "{member}" is its own member: {circle}', member.span, "remove it from one")
            elif member in stated:
                yield from members(stated[member], (*above, str(member)))
            else:
                yield declarations.category(member)

    for each, statement in stated.items():
        declarations.types[each] = tuple(dict.fromkeys(members(statement, (each,))))


def _declare_feature(declarations: Declarations, statement: FeatureStatement, first: FeatureStatement) -> None:
    name, values = statement.name, statement.values
    if first.values != values:
        message = f'feature "{name}" is declared twice, first in {first.name.span.seen_from(name.span)}'
        own = name.span.path == first.name.span.path
        hint = "put all its values in one line" if own else "give yours another name, or remove it"
        declarations.error(message, name.span, hint)
    if not name or not all(values) or not values:
        declarations.error("a feature needs a name and values", name.span, 'write it as in "number: sg, pl"')
    for i, value in enumerate(values):
        if value in values[:i]:
            declarations.error(f'value "{value}" of feature "{name}" stands twice', value.span, "remove one of the two")
    declarations.features.setdefault(str(name), tuple(dict.fromkeys(map(str, values))))


def _settings(declarations: Declarations, statements: Sequence[Statement]) -> dict[str, tuple[OperandSyntax, ...]]:
    """Return the settings by key. Lists of included files are joined; otherwise the including file decides."""
    settings: dict[str, tuple[OperandSyntax, ...]] = {}
    paths: dict[str, str] = {}
    places: dict[tuple[str, str], int] = {}
    for i, statement in enumerate(statements):
        if not isinstance(statement, SettingStatement):
            continue
        key, path = statement.key, statement.key.span.path
        for value in statement.values:
            if value.demands and key != "roots":
                hint = "the features of a word stand in the lexicon" if key == "leaves" else ""
                declarations.error(f'"{key}" takes no features', value.category.span, hint)
        if key in LISTS:
            _check_once(declarations, statements[i - 1] if i else None, key, places)
            settings[key] = (*settings.get(key, ()), *statement.values)
            continue
        if (key, path) in places:
            first = places[key, path]
            declarations.error(f'"{key}" is set twice, first in line {first}', key.span, "remove one of the two")
        elif len(statement.values) > 1:
            declarations.error(
                f'"{key}" takes one value, found {len(statement.values)}', key.span, 'put a text with commas in "..."'
            )
        elif key not in settings or path in declarations.above(paths[key]):
            settings[key], paths[key] = statement.values, path
        places.setdefault((key, path), key.span.line)
    return settings


def _check_once(
    declarations: Declarations, before: Statement | None, key: PlacedText, places: dict[tuple[str, str], int]
) -> None:
    """Report a second list that a reader would take to replace the first; `roots` may take several lines together."""
    first = places.setdefault((key, key.span.path), key.span.line)
    if key == "tree_features" and first != key.span.line:
        message, hint = stands_twice(key, first)
        declarations.error(message, key.span, hint)
    elif key == "roots" and first != key.span.line and not (isinstance(before, SettingStatement) and before.key == key):
        message = f'"roots" is set twice, first in line {first}'
        declarations.error(message, key.span, "put the two lines together: what they list is added up")


def _tree_features(declarations: Declarations, statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the features shown in trees, joined over all files; a line that names none is an error."""
    names: dict[str, None] = {}
    for statement in statements:
        if not isinstance(statement, SettingStatement) or statement.key != "tree_features":
            continue
        if not statement.values:
            hint = "name those that trees show, or remove the line: then they show all"
            declarations.error('"tree_features" names no feature', statement.key.span, hint)
        names |= dict.fromkeys(declarations.feature(value.category) for value in statement.values)
    return tuple(names)


def _text(settings: dict[str, tuple[OperandSyntax, ...]], key: str) -> str:
    return str(settings[key][0].category) if settings.get(key) else ""


def _numbers(declarations: Declarations, settings: dict[str, tuple[OperandSyntax, ...]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key in NUMBERS:
        for value in settings.get(key, ()):
            units = declarations.units(value.category, smallest=0)
            if units is None:
                continue
            if key == "unary_limit" and (units % UNIT or not 0 < units <= MAX_UNARY * UNIT):
                declarations.error(
                    f'"{value.category}" is not a whole number from 1 to {MAX_UNARY:,}', value.category.span
                )
                continue
            found[key] = units // UNIT if key == "unary_limit" else units
    return found


def _semantics(declarations: Declarations, statements: Sequence[Statement]) -> Semantics:
    choices = {name: get_args(hint) for name, hint in get_type_hints(Semantics).items()}
    choices["profile"] = (
        *PROFILES,
        *(
            str(profile_statement.name)
            for profile_statement in statements
            if isinstance(profile_statement, ProfileStatement)
        ),
    )
    chosen: dict[str, PlacedText] = {}
    for statement in statements:
        if not isinstance(statement, SwitchStatement):
            continue
        name, value = statement.name, statement.value
        if name not in choices:
            declarations.error(
                f'"{name}" is not a switch of the semantics', name.span, or_listed(name, choices, "switches")
            )
        elif value not in choices[name] and value not in declarations.unread:
            hint = or_listed(value, choices[name], "choices")
            declarations.error(f'"{value}" is not a choice for {name}', value.span, hint)
        elif (first := chosen.setdefault(str(name), value)) != value:
            message = f'"{name}" is set twice, first in {first.span.seen_from(name.span)}'
            declarations.error(message, name.span, "remove one of the two")
    return Semantics(**{name: str(value) for name, value in chosen.items()})  # type: ignore[arg-type]


def _profiles(declarations: Declarations, statements: Sequence[Statement], semantics: Semantics) -> tuple[Profile, ...]:
    """Return the profiles of the grammar, each with what it has from the one that it is like; a file counts before
    those that it includes.
    """
    every: dict[str, list[ProfileStatement]] = {}
    for statement in statements:
        if not isinstance(statement, ProfileStatement):
            continue
        name = statement.name
        if name in PROFILES:
            hint = f'choose another name, as in "profile my-{name} like {name}: without H4"'
            declarations.error(f'there is a profile "{name}" in every grammar', name.span, hint)
        elif not is_name(name):
            hint = "a profile has a name of letters, digits and hyphens"
            declarations.error(f'"{name}" cannot be the name of a profile', name.span, hint)
        else:
            every.setdefault(str(name), []).append(statement)
    stated: dict[str, ProfileStatement] = {}
    for each, several in every.items():
        (stated[each], *others) = outermost(declarations, several, lambda one: one.name.span)
        for second in others:
            first, place = stated[each].name.span, second.name.span
            message = f'profile "{each}" is stated twice, first in {first.seen_from(place)}'
            declarations.error(message, place, cure(first, place, "remove one of the two"))
    made: dict[str, Profile] = {}

    def profile(statement: ProfileStatement, below: tuple[str, ...]) -> Profile:
        name, parent = str(statement.name), statement.parent
        base = Profile(name)
        if parent is not None and parent in (name, *below):
            path = (*below, name)
            circle = " like ".join((*path[path.index(parent) :], str(parent)))
            declarations.error(f"this goes in a circle: {circle}", parent.span, "remove one of the two")
        elif parent is not None and parent in stated:
            base = made.get(parent) or profile(stated[parent], (*below, name))
        elif parent is not None and parent in PROFILES:
            base = replace(PROFILES[parent], termination=semantics.termination)
        elif parent is not None and parent not in declarations.unread:
            hint = or_listed(parent, (*PROFILES, *stated), "profiles")
            declarations.error(f'"{parent}" is no profile to be like', parent.span, hint)
        else:
            base = replace(base, termination=semantics.termination)
        return made.setdefault(name, _profile(declarations, statement, base))

    return tuple(made.get(name) or profile(statement, ()) for name, statement in stated.items())


def _profile(declarations: Declarations, statement: ProfileStatement, base: Profile) -> Profile:
    """Return the profile that differs from its base in the parts of a statement."""
    heuristics, others, said = set(base.heuristics), dict[str, Any](), set[str]()
    keyword = ""
    for part in statement.parts:
        keyword, value = str(part.keyword) or keyword, part.value
        known = PARTS_OF_PROFILES.get(keyword, ())
        what = "heuristic" if known is HEURISTICS else keyword
        if not part.keyword and known is not HEURISTICS:
            hint = 'heuristics stand behind "without" or "with": without H3, H4'
            declarations.error(f'"{value}" does not fit here', value.span, hint)
        elif value not in known:
            declarations.error(f'"{value}" is no {what}', value.span, or_listed(value, known, f"{what}s"))
        elif (value if known is HEURISTICS else keyword) in said:
            declarations.error(f'"{value}" is one {what} too many', value.span, "remove one of the two")
        elif known is HEURISTICS:
            said.add(str(value))
            (heuristics.discard if keyword == "without" else heuristics.add)(str(value))
        else:
            said.add(keyword)
            others |= {"all_hard": True} if keyword == EVERY else {keyword: str(value)}
    made = replace(base, name=str(statement.name), heuristics=in_order(heuristics), **others)
    if made.termination == "first-solution" and not made.has("H5"):
        hint = 'it is H5 that says what a solution is: write "termination exhausted" here, or leave H5 on'
        declarations.error("termination first-solution without H5", statement.name.span, hint)
    return made


PARTS_OF_PROFILES: Final[dict[str, Collection[str]]] = {
    "without": HEURISTICS,
    "with": HEURISTICS,
    "election": ELECTIONS,
    "termination": TERMINATIONS,
    EVERY: ("hard",),
}
"""What may stand behind each word of a profile."""


def _token_rules(declarations: Declarations, statements: Sequence[Statement]) -> tuple[TokenRule, ...]:
    rules: dict[TokenRule, None] = {}
    rewritten: dict[str, tuple[PlacedText, ...]] = {}
    for statement in statements:
        if not isinstance(statement, TokenRuleStatement):
            continue
        for form in statement.forms:
            if not form or any(char.isspace() for char in form):
                hint = 'several tokens are written one by one: rewrite "won\'t": "will", "n\'t"'
                hint = hint if form else "write its letters between the quotes"
                declarations.error(f'"{form}" is not a token', form.span, hint)
        forms, beside = tuple(map(str, statement.forms)), declarations.operands(statement.beside)
        first = rewritten.setdefault(forms[0], statement.forms) if statement.kind == "rewrite" else statement.forms
        if first != statement.forms:
            place = statement.forms[0].span
            message = f'"{forms[0]}" is rewritten twice, first in {first[0].span.seen_from(place)}'
            declarations.error(message, place, "remove one of the two")
        rules[TokenRule(statement.kind, forms, beside)] = None
    return tuple(rules)


def _guess_rules(declarations: Declarations, entries: Sequence[EntryStatement]) -> tuple[GuessRule, ...]:
    rules = []
    for entry in with_readings(declarations, entries):
        readings = tuple(map(declarations.reading, entry.readings))
        if declarations.fit([reading.features for reading in readings], entry.form):
            rules.append(GuessRule(str(entry.form), readings))
    return tuple(rules)


def _spelling(declarations: Declarations, statement: SpellingStatement) -> list[SpellingRule]:
    """Return the spelling rules of one statement, one per pattern."""
    for bare in (operand for operand in statement.operands if not operand.demands):
        hint = f"write what such words have in brackets, as in {bare.category}[number=sg]"
        declarations.error(f'"{bare.category}" has no features here', bare.category.span, hint)
    operands = tuple(map(declarations.given, statement.operands))
    for i, operand in enumerate(statement.operands):
        if operand.category in (other.category for other in statement.operands[:i]):
            hint = f"write all its features in one bracket, as in {operand.category}[number=sg, kind=common]"
            declarations.error(f'"{operand.category}" stands twice in one rule', operand.category.span, hint)
    if not declarations.fit([operand.features for operand in operands], statement.patterns[0], MAX_SPELT):
        return []
    return [SpellingRule(str(pattern), operands) for pattern in statement.patterns]


def _words(declarations: Declarations, statements: Sequence[Statement]) -> list[EntryStatement | IncludedWords]:
    """Return the entries of the lexicon; those of an included grammar as a whole if they come first and stay the same.

    Each of its words was read under the names of that grammar; further names change nothing (`Names.keep`).
    """
    words: list[EntryStatement | IncludedWords] = []
    for statement in statements:
        if isinstance(statement, EntryStatement) and statement.section == "lexicon":
            words.append(statement)
        elif isinstance(statement, IncludedWords):
            whole = not words and not declarations.problems and only_adds(declarations.features, statement.features)
            words += (statement,) if whole else statement.read()
    return words


def _lexicon(declarations: Declarations, words: Sequence[EntryStatement | IncludedWords]) -> Sequence[Entry]:
    entries: Sequence[EntryStatement] = [statement for statement in words if isinstance(statement, EntryStatement)]
    included = next((included_words for included_words in words if isinstance(included_words, IncludedWords)), None)
    doubled: list[tuple[EntryStatement, Reading, str]] = []
    if (given := with_readings(declarations, entries)) is not entries:
        entries = given
        _check_categories(declarations, entries)
    readings: dict[str, list[Reading]] = {}
    shared: tuple[ReadingSyntax, ...] = ()
    made: list[Reading] = []
    for entry in entries:
        form = _form(entry)
        if not form:
            declarations.error("an entry without a form", entry.form.span)
        of_form = readings.get(form)
        if of_form is None:
            of_form = readings[form] = [*included.lexicon.readings_of(form)] if included is not None else []
        if entry.readings is not shared:
            shared, made = entry.readings, [*map(declarations.reading, entry.readings)]
        elif not declarations.count_given(sum(1 + len(each.features) for each in made), entry.form):
            break
        met = {(each.category, each.features) for each in of_form} if of_form or len(made) > 1 else None
        for reading in made:
            if met is not None and (reading.category, reading.features) in met:
                template = next(s.template for s, m in zip(entry.readings, made, strict=True) if m is reading)
                doubled.append((entry, reading, template))
            if met is not None:
                met.add((reading.category, reading.features))
            of_form.append(reading)
        declarations.fit([each.features for each in of_form], entry.form)
    if doubled:
        _report_doubled(declarations, included, entries, doubled)
    if included is not None:
        return included.lexicon.changed(readings)
    return tuple(Entry(form, tuple(found)) for form, found in readings.items())


def _report_doubled(
    declarations: Declarations,
    included: IncludedWords | None,
    entries: Sequence[EntryStatement],
    doubled: Sequence[tuple[EntryStatement, Reading, str]],
) -> None:
    """Report readings that stand twice, each with where it stands first; the text is the template that gives it."""
    forms = {_form(entry) for entry, _, _ in doubled}
    first: dict[tuple[str, str, Demand], Span] = {}
    for words in ([] if included is None else included.read(), entries):
        for entry in with_readings(declarations, [statement for statement in words if _form(statement) in forms]):
            form = _form(entry)
            for reading in map(declarations.reading, entry.readings):
                if included is None or words is entries or reading in included.lexicon.readings_of(form):
                    first.setdefault((form, reading.category, reading.features), entry.form.span)
    for entry, reading, template in doubled:
        place = entry.form.span
        before = first.get((_form(entry), reading.category, reading.features), place)
        where = f", first in {before.seen_from(place)}" if before != place else ""
        by = f"{template} gives {Operand(reading.category, reading.features)}; " if template else ""
        declarations.error(f'this reading of "{_form(entry)}" stands twice{where}', place, f"{by}remove one of the two")


def _form(entry: EntryStatement) -> str:
    return " ".join(entry.form.split())


def _without_words(
    declarations: Declarations, statements: Sequence[Statement], words: list[EntryStatement | IncludedWords]
) -> list[EntryStatement | IncludedWords]:
    """Return the entries without those of other files that a `without word` names; one that names none is an error."""
    lost: dict[str, list[WithoutWordStatement]] = {}
    for statement in statements:
        if isinstance(statement, WithoutWordStatement):
            lost.setdefault(" ".join(statement.form.split()), []).append(statement)
    if not lost:
        return words
    kept: list[EntryStatement | IncludedWords] = []
    met: set[WithoutWordStatement] = set()
    if words and isinstance(words[0], IncludedWords):
        included = _without_included(declarations, words[0], lost, met)
        if included is None:
            return _without_words(declarations, statements, [*words[0].read(), *words[1:]])
        kept, words = [included], words[1:]
    for entry in with_readings(
        declarations, [entry_statement for entry_statement in words if isinstance(entry_statement, EntryStatement)]
    ):
        form = _form(entry)
        readings = list(entry.readings)
        for statement in lost.get(form, ()):
            if entry.form.span.path == statement.form.span.path:
                continue
            named = set(map(name_of, statement.readings))
            staying = [syntax for syntax in readings if named and named.isdisjoint(names_of(syntax))]
            if len(staying) < len(readings):
                met.add(statement)
            readings = staying
        if readings:
            kept.append(entry if len(readings) == len(entry.readings) else replace(entry, readings=tuple(readings)))
    for statement in (one for several in lost.values() for one in several if one not in met):
        form = statement.form
        hint = "remove the line, or see numbat show for the readings of the grammar that is included"
        declarations.error(f'no included file gives "{form}" such a reading', form.span, hint)
    return kept


def _without_included(
    declarations: Declarations,
    words: IncludedWords,
    lost: dict[str, list[WithoutWordStatement]],
    met: set[WithoutWordStatement],
) -> IncludedWords | None:
    """Return the words of an included grammar without readings that other files take away; `met` gets what takes one.

    What its own files take away is gone already. None where readings are named by templates, which a lexicon does not
    have, or a word may get another place in it, for its first reading is gone.
    """
    changes: dict[str, list[Reading]] = {}
    for form, statements in lost.items():
        readings = before = list(words.lexicon.readings_of(form))
        for statement in statements:
            if statement.form.span.path in words.files:
                met.add(statement)
                continue
            named = set(map(name_of, statement.readings))
            if not named <= declarations.categories.keys():
                return None
            staying = [reading for reading in readings if named and reading.category not in named]
            if len(staying) < len(readings):
                met.add(statement)
            readings = staying
        if readings and readings[0] != before[0] and form in words.parted:
            return None
        if readings != before:
            changes[form] = readings
    return words.changed(changes) if changes else words


def _check_categories(declarations: Declarations, entries: Sequence[EntryStatement]) -> None:
    """Report each undeclared category once, at its first reading: a lexicon may have thousands of them."""
    words = [reading.operand.category for entry in entries for reading in entry.readings]
    for word, number in Counter(words).items():
        if word not in declarations.categories and word not in declarations.unread:
            several = f" ({number} readings have it)" if number > 1 else ""
            of_columns = "; if this line names the columns, begin it with #" if word.span.line == 1 else ""
            hint = _in_one_column(declarations, word)
            hint = hint or declarations.category_hint(word, declarations.templates) + of_columns
            declarations.error(f'"{word}" is not a construction or a leaf{several}', word.span, hint)
            declarations.unread.add(str(word))


def _in_one_column(declarations: Declarations, word: str) -> str:
    """Return a hint if the category column of a lexicon file holds more or another column; empty for a name."""
    category, *rest = word.split()
    if category in declarations.categories and rest:
        return f'blanks do not separate columns: write a TAB before "{" ".join(rest)}"'
    bracket = re.fullmatch(r"([^\[(]+)[\[(](.*)[\])]", word)
    if bracket and bracket[1] in declarations.categories:
        return f"features stand in the next column, without brackets: {bracket[1]} TAB {bracket[2]}"
    if re.match(r"[^\s()]+\(", word):
        return "a template is written with its arguments: transitive(acc), ditransitive(acc, dat)"
    several = re.split(r"[|;,/]\s*", word)
    if len(several) > 1 and all(each in declarations.categories for each in several):
        return "a line has one category: write a line for each"
    return "this is the column of the category: a TAB is missing before it" if "=" in word else ""


# User-defined relations (ruling 15)


def own_relations(declarations: Declarations, statements: Sequence[Statement], missing_unifies: bool) -> list[Relation]:
    """Return the relations that the statements define; `missing_unifies` is the grammar's choice for agree()."""
    taken = {name for row in built_in({}) for name in (row.name, row.symbol, *row.aliases)}
    relations: list[Relation] = []
    for statement in statements:
        if not isinstance(statement, RelationStatement):
            continue
        if statement.name in taken:
            declarations.error(
                f'there is a relation "{statement.name}" already', statement.name.span, "choose another name"
            )
        elif not is_name(statement.name) or statement.name in (*KEYWORDS["construction_line"], *FUNCTIONS, CONDITION):
            hint = "choose a name of letters and digits that is no word of the notation"
            declarations.error(f'"{statement.name}" cannot be the name of a relation', statement.name.span, hint)
        taken.add(statement.name)
        relations.append(_own_relation(declarations, statement, missing_unifies))
    return relations


def _own_relation(declarations: Declarations, statement: RelationStatement, missing_unifies: bool) -> Relation:
    parameters = tuple(map(str, statement.parameters))
    for word in _repeated(statement.parameters):
        declarations.error(f'parameter "{word}" stands twice', word.span)
    for word in statement.parameters:
        if not is_name(word):
            declarations.error(
                f'"{word}" cannot be a parameter', word.span, "a parameter is a name of letters and digits"
            )
    for word in _repeated(statement.each):
        declarations.error(f'"{word}" stands twice after "for each"', word.span)
    for word in statement.each:
        if word not in parameters:
            declarations.error(f'"{word}" is not a parameter', word.span, or_listed(word, parameters, "parameters"))
    for node in walk(statement.holds):
        for name in (*single_parameters(node), *counted_parameters(node)):
            span = name.span if isinstance(name, PlacedText) else statement.name.span
            if name not in parameters:
                declarations.error(f'"{name}" is not a parameter', span, or_listed(name, parameters, "parameters"))
            elif name in single_parameters(node) and name not in statement.each:
                hint = f'write "for each {", ".join((*statement.each, name))}"'
                declarations.error(f'"{name}" must be matched by one daughter here', span, hint)
        check_values(declarations, node)
    return Relation(
        str(statement.name),
        parameters,
        (Clause(tuple(map(str, statement.each))),),
        plain(statement.holds, missing_unifies),
        monotonic=statement.monotonic,
        symmetric=statement.symmetric,
        shares_features=any(isinstance(node, Agree) for node in walk(statement.holds)),
        says=statement.says,
        but=statement.but,
    )


def _repeated(words: Sequence[PlacedText]) -> list[PlacedText]:
    return [word for i, word in enumerate(words) if word in words[:i]]
