"""Builds a `Grammar` from statements: settings, declarations, token rules, lexicon, user-defined relations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

from numbat.errors import Problem, Span
from numbat.grammar.conditions import check_values, plain
from numbat.grammar.constructions import constructions_of, cure, only_adds, outermost, strengths_of
from numbat.grammar.declarations import MAX_DEEP, MAX_SPELT, Declarations, or_listed, stands_twice
from numbat.grammar.expressions import Agree, counted_parameters, single_parameters, walk
from numbat.grammar.marks import MAX_MARKS, NO_MARK, features_of
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
    MarkStatement,
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
    TitleStatement,
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
    """Return the grammar that the statements describe, and the problem of every mistake in them.

    The statements come from a file and all files that it includes; `includers` maps each included file to the file that
    includes it. `earlier` caches what previous readings built. With `until_first` a mistake raises FirstError.
    """
    declarations = Declarations(includers or {}, until_first=until_first)
    entries = [s for s in statements if isinstance(s, EntryStatement)]
    others = [s for s in statements if not isinstance(s, EntryStatement)]  # a tenth of them, searched many times
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
        marks=tuple(declarations.marks.items()),
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
        titles=_titles(declarations, [s for s in others if isinstance(s, TitleStatement)]),
    )
    numbers: dict[str, Any] = _numbers(declarations, settings)
    return replace(grammar, **numbers), declarations.problems


def templates_of(statements: Sequence[Statement]) -> tuple[dict[str, TemplateStatement], Sequence[EntryStatement]]:
    """Return the templates that statements declare, and the lexicon entries with their templates expanded."""
    declarations = Declarations()
    _declare_all(declarations, statements)
    words = [s for s in statements if isinstance(s, EntryStatement) and s.section == "lexicon"]
    return declarations.templates, with_readings(declarations, words)


def _declare_all(declarations: Declarations, statements: Sequence[Statement]) -> None:
    """Declare all names of the statements."""
    _declare_marks(declarations, [s for s in statements if isinstance(s, MarkStatement)])
    _declare(declarations, statements)
    declarations.features |= features_of(declarations.marks)
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
            declarations.error(
                f'"{leaf}" is a leaf, but also a construction in {where}', leaf.span, "remove one of the two"
            )
    for word in (*opened.values(), *leaves):
        if not word:
            declarations.error("a category needs a name", word.span)
        declarations.categories[str(word)] = None


def _declare_types(declarations: Declarations, statements: Sequence[TypeStatement]) -> None:
    """Declare the types with the categories of their members, which may be types."""
    stated: dict[str, TypeStatement] = {}
    for statement in statements:
        name = statement.name
        if name in declarations.categories:
            declarations.error(
                f'"{name}" is already a construction or a leaf', name.span, "choose another name for the type"
            )
        elif name in stated:
            message = f'type "{name}" is declared twice, first in {stated[name].name.span.seen_from(name.span)}'
            is_same_file = name.span.path == stated[name].name.span.path
            hint = "put all its members in one line" if is_same_file else "give yours another name, or remove it"
            declarations.error(message, name.span, hint)
        else:
            stated[str(name)] = statement

    types = _TypeMembers(declarations, stated)
    for type_name in stated:
        types.resolve(type_name)


@dataclass
class _TypeMembers:
    """State of resolving types: the statements by name, and the nesting depth of each type."""

    declarations: Declarations
    stated: Mapping[str, TypeStatement]
    depths: dict[str, int] = field(default_factory=dict)

    def resolve(self, name: str, above: tuple[str, ...] = ()) -> None:
        """Declare a type, once, with the categories of all its members; it is a member of the types `above`."""
        if name in self.depths:
            return
        declarations, path, members = self.declarations, (*above, name), dict[str, None]()
        depth = 1
        for member in self.stated[name].members:
            if member not in self.stated:
                members[declarations.category(member)] = None
            elif member in path:
                circle = " > ".join((*path[path.index(member) :], str(member)))
                message = f'type "{member}" is its own member: {circle}'
                declarations.error(message, member.span, "remove it from one of them")
            else:
                if len(path) < MAX_DEEP:
                    self.resolve(str(member), path)
                depth = max(depth, 1 + self.depths.get(member, MAX_DEEP))
                theirs = declarations.types.get(member, ())
                if depth > MAX_DEEP:
                    message = f"types are nested more than {MAX_DEEP} levels deep"
                    declarations.error(message, member.span, "name the categories themselves as members")
                    depth = 1
                elif declarations.count_members(len(theirs), member):
                    members |= dict.fromkeys(theirs)
        self.depths[name] = depth
        declarations.types[name] = tuple(members)


def _declare_feature(declarations: Declarations, statement: FeatureStatement, first: FeatureStatement) -> None:
    name, values = statement.name, statement.values
    if declarations.is_of_marks(name):
        message = f'the marks of this grammar give the feature "{name}"'
        declarations.error(message, name.span, "choose another name, or remove the section marks:")
    if first.values != values:
        message = f'feature "{name}" is declared twice, first in {first.name.span.seen_from(name.span)}'
        is_same_file = name.span.path == first.name.span.path
        hint = "put all its values in one line" if is_same_file else "give yours another name, or remove it"
        declarations.error(message, name.span, hint)
    if not name or not all(values) or not values:
        declarations.error("a feature needs a name and values", name.span, 'write it like "number: sg, pl"')
    for i, value in enumerate(values):
        if value in values[:i]:
            declarations.error(
                f'value "{value}" of feature "{name}" appears twice', value.span, "remove one of the two"
            )
    declarations.features.setdefault(str(name), tuple(dict.fromkeys(map(str, values))))


def _declare_marks(declarations: Declarations, statements: Sequence[MarkStatement]) -> None:
    """Declare the punctuation marks; their signs from several files are joined."""
    names: dict[tuple[str, str], PlacedText] = {}
    signs: dict[str, PlacedText] = {}
    for statement in statements:
        name = statement.name
        first = names.setdefault((name, name.span.path), name)
        if not name or not statement.signs:
            declarations.error("a mark needs a name and signs", name.span, 'write it like comma: ","')
        elif name == NO_MARK:
            declarations.error(f'"{NO_MARK}" stands for no mark', name.span, "give the mark another name")
        elif first is not name:
            message = f'mark "{name}" is declared twice, first in line {first.span.line}'
            declarations.error(message, name.span, "put all its signs in one line")
        for sign in statement.signs:
            _declare_sign(declarations, name, sign, signs)
    if len(declarations.marks) > MAX_MARKS:
        declarations.error(f"a grammar has at most {MAX_MARKS:,} marks", statements[-1].name.span)


def _declare_sign(declarations: Declarations, name: PlacedText, sign: PlacedText, known: dict[str, PlacedText]) -> None:
    """Declare a sign of a mark. An included file may have given the mark the same sign."""
    if not sign or any(char.isalnum() or char.isspace() for char in sign):
        hint = 'write each sign in its own quotes, like comma: ",", "،"'
        declarations.error(f'"{sign}" is not a punctuation mark', sign.span, hint)
        return
    other = known.setdefault(str(sign), name)
    if other != name:
        message = f'"{sign}" is already a sign of "{other}", in {other.span.seen_from(sign.span)}'
        declarations.error(message, sign.span, "a sign belongs to one mark: remove one of the two")
        return
    signs = declarations.marks.get(name, ())
    if sign in signs and other.span.path == sign.span.path:
        declarations.error(f'"{sign}" appears twice', sign.span, "remove one of the two")
    declarations.marks[str(name)] = tuple(dict.fromkeys((*signs, str(sign))))


def _settings(declarations: Declarations, statements: Sequence[Statement]) -> dict[str, tuple[OperandSyntax, ...]]:
    """Return the settings by key. Lists from several files are joined; any other setting of the including file wins."""
    settings: dict[str, tuple[OperandSyntax, ...]] = {}
    paths: dict[str, str] = {}
    places: dict[tuple[str, str], int] = {}
    for i, statement in enumerate(statements):
        if not isinstance(statement, SettingStatement):
            continue
        key, path = statement.key, statement.key.span.path
        for value in statement.values:
            if value.demands and key != "roots":
                hint = "features of words belong in the lexicon" if key == "leaves" else ""
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
    """Report a list setting that is stated twice, unless it is `roots` and the two lines follow each other."""
    first = places.setdefault((key, key.span.path), key.span.line)
    if key == "tree_features" and first != key.span.line:
        message, hint = stands_twice(key, first)
        declarations.error(message, key.span, hint)
    elif key == "roots" and first != key.span.line and not (isinstance(before, SettingStatement) and before.key == key):
        message = f'"roots" is set twice, first in line {first}'
        declarations.error(message, key.span, "put the two lines one below the other: they are joined")


def _tree_features(declarations: Declarations, statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the features named in `tree_features` lines of all files; a line without features is an error."""
    names: dict[str, None] = {}
    for statement in statements:
        if not isinstance(statement, SettingStatement) or statement.key != "tree_features":
            continue
        if not statement.values:
            hint = "name the features that trees show, or remove the line to show all"
            declarations.error('"tree_features" names no feature', statement.key.span, hint)
        names |= dict.fromkeys(declarations.feature(value.category) for value in statement.values)
    return tuple(names)


def _text(settings: dict[str, tuple[OperandSyntax, ...]], key: str) -> str:
    return str(settings[key][0].category) if settings.get(key) else ""


def _titles(declarations: Declarations, statements: Sequence[TitleStatement]) -> tuple[tuple[str, str, str], ...]:
    """Return the titles of leaves and values. A file overrides those that it includes; else the first title counts."""
    stated: dict[tuple[str, str], TitleStatement] = {}
    for statement in statements:
        key = str(statement.feature or ""), str(statement.name)
        first = stated.setdefault(key, statement)
        if statement.name.span.path in declarations.above(first.name.span.path):
            stated[key] = statement
    return tuple([(feature, name, statement.title) for (feature, name), statement in stated.items()])


def _numbers(declarations: Declarations, settings: dict[str, tuple[OperandSyntax, ...]]) -> dict[str, int]:
    numbers: dict[str, int] = {}
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
            numbers |= {key: units // UNIT} if key == "unary_limit" else {f"{key}_units": units}
    return numbers


def _semantics(declarations: Declarations, statements: Sequence[Statement]) -> Semantics:
    choices = {name: get_args(hint) for name, hint in get_type_hints(Semantics).items()}
    choices["profile"] = (
        *PROFILES,
        *(str(statement.name) for statement in statements if isinstance(statement, ProfileStatement)),
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
    """Return the profiles that the grammar declares, each with the parts of its parent that it does not change."""
    every: dict[str, list[ProfileStatement]] = {}
    for statement in statements:
        if not isinstance(statement, ProfileStatement):
            continue
        name = statement.name
        if name in PROFILES:
            hint = f'choose another name, as in "profile my-{name} like {name}: without H4"'
            declarations.error(f'every grammar has a profile "{name}"', name.span, hint)
        elif not is_name(name):
            hint = "choose a name of letters, digits and hyphens"
            declarations.error(f'"{name}" cannot be the name of a profile', name.span, hint)
        else:
            every.setdefault(str(name), []).append(statement)
    stated: dict[str, ProfileStatement] = {}
    for profile_name, several in every.items():
        (stated[profile_name], *others) = outermost(declarations, several, lambda one: one.name.span)
        for second in others:
            first, place = stated[profile_name].name.span, second.name.span
            message = f'profile "{profile_name}" is declared twice, first in {first.seen_from(place)}'
            declarations.error(message, place, cure(first, place, "remove one of the two"))
    made: dict[str, Profile] = {}

    def profile(statement: ProfileStatement, below: tuple[str, ...]) -> Profile:
        name, parent = str(statement.name), statement.parent
        base = Profile(name)
        if parent is not None and parent in (name, *below):
            path = (*below, name)
            circle = " like ".join((*path[path.index(parent) :], str(parent)))
            message = f"profiles inherit from each other in a circle: {circle}"
            declarations.error(message, parent.span, 'remove "like" from one of them')
        elif parent is not None and parent in stated:
            base = made.get(parent) or profile(stated[parent], (*below, name))
        elif parent is not None and parent in PROFILES:
            base = replace(PROFILES[parent], termination=semantics.termination)
        elif parent is not None and parent not in declarations.unread:
            hint = or_listed(parent, (*PROFILES, *stated), "profiles")
            declarations.error(f'"{parent}" is not a profile', parent.span, hint)
        else:
            base = replace(base, termination=semantics.termination)
        return made.setdefault(name, _profile(declarations, statement, base))

    return tuple(made.get(name) or profile(statement, ()) for name, statement in stated.items())


def _profile(declarations: Declarations, statement: ProfileStatement, base: Profile) -> Profile:
    """Return the base profile, changed by the parts of a statement."""
    heuristics, others, said = set(base.heuristics), dict[str, Any](), set[str]()
    keyword = ""
    for part in statement.parts:
        keyword, value = str(part.keyword) or keyword, part.value
        known = PARTS_OF_PROFILES.get(keyword, ())
        what = "heuristic" if known is HEURISTICS else keyword
        if not part.keyword and known is not HEURISTICS:
            hint = 'name heuristics after "without" or "with": without H3, H4'
            declarations.error(f'"{value}" does not fit here', value.span, hint)
        elif value not in known:
            declarations.error(f'"{value}" is not a valid {what}', value.span, or_listed(value, known, f"{what}s"))
        elif (value if known is HEURISTICS else keyword) in said:
            message = f'"{value}" is a second {what}; a profile has one'
            message = f'"{value}" appears twice' if known is HEURISTICS or keyword == EVERY else message
            declarations.error(message, value.span, "remove one of the two")
        elif known is HEURISTICS:
            said.add(str(value))
            (heuristics.discard if keyword == "without" else heuristics.add)(str(value))
        else:
            said.add(keyword)
            others |= {"all_hard": True} if keyword == EVERY else {keyword: str(value)}
    made = replace(base, name=str(statement.name), heuristics=in_order(heuristics), **others)
    if made.termination == "first-solution" and not made.has("H5"):
        hint = 'H5 defines what a solution is: write "termination exhausted" here, or leave H5 on'
        declarations.error("termination first-solution needs H5", statement.name.span, hint)
    return made


PARTS_OF_PROFILES: Final[dict[str, Collection[str]]] = {
    "without": HEURISTICS,
    "with": HEURISTICS,
    "election": ELECTIONS,
    "termination": TERMINATIONS,
    EVERY: ("hard",),
}
"""The values allowed after each keyword of a profile."""


def _token_rules(declarations: Declarations, statements: Sequence[Statement]) -> tuple[TokenRule, ...]:
    rules: dict[TokenRule, None] = {}
    rewritten: dict[str, tuple[PlacedText, ...]] = {}
    for statement in statements:
        if not isinstance(statement, TokenRuleStatement):
            continue
        for form in statement.forms:
            if not form or any(char.isspace() for char in form):
                hint = 'write several tokens one by one: rewrite "won\'t": "will", "n\'t"'
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
    """Return the spelling rules of a statement, one per pattern."""
    for bare in (operand for operand in statement.operands if not operand.demands):
        hint = f"write the features of such words in brackets, as in {bare.category}[number=sg]"
        declarations.error(f'"{bare.category}" has no features here', bare.category.span, hint)
    operands = tuple(map(declarations.given, statement.operands))
    for i, operand in enumerate(statement.operands):
        if operand.category in (other.category for other in statement.operands[:i]):
            hint = f"write all its features in one bracket, as in {operand.category}[number=sg, kind=common]"
            declarations.error(f'"{operand.category}" appears twice in one rule', operand.category.span, hint)
    if not declarations.fit([operand.features for operand in operands], statement.patterns[0], MAX_SPELT):
        return []
    return [SpellingRule(str(pattern), operands) for pattern in statement.patterns]


def _words(declarations: Declarations, statements: Sequence[Statement]) -> list[EntryStatement | IncludedWords]:
    """Return the entries of the lexicon; the words of an included grammar stay one item if they come first, unchanged.

    They were read with the names that grammar declares; further names do not change their meaning (`Names.keep`).
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
    included = next((item for item in words if isinstance(item, IncludedWords)), None)
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
            declarations.error("an entry needs a form", entry.form.span)
        of_form = readings.get(form)
        if of_form is None:
            of_form = readings[form] = [*included.lexicon.readings_of(form)] if included is not None else []
        if entry.readings is not shared:
            shared, made = entry.readings, [*map(declarations.reading, entry.readings)]
        elif not declarations.count_given(sum(1 + len(reading.features) for reading in made), entry.form):
            break
        met = {(reading.category, reading.features) for reading in of_form} if of_form or len(made) > 1 else None
        for reading in made:
            if met is not None and (reading.category, reading.features) in met:
                template = next(s.template for s, m in zip(entry.readings, made, strict=True) if m is reading)
                doubled.append((entry, reading, template))
            if met is not None:
                met.add((reading.category, reading.features))
            of_form.append(reading)
        declarations.fit([reading.features for reading in of_form], entry.form)
    if doubled:
        _report_doubled(declarations, included, entries, doubled)
    if included is not None:
        return included.lexicon.changed(readings)
    return tuple(Entry(form, tuple(several)) for form, several in readings.items())


def _report_doubled(
    declarations: Declarations,
    included: IncludedWords | None,
    entries: Sequence[EntryStatement],
    doubled: Sequence[tuple[EntryStatement, Reading, str]],
) -> None:
    """Report duplicate readings, with the place of the first; the text in `doubled` is the template that gives one."""
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
        declarations.error(
            f'this reading of "{_form(entry)}" appears twice{where}', place, f"{by}remove one of the two"
        )


def _form(entry: EntryStatement) -> str:
    return " ".join(entry.form.split())


def _without_words(
    declarations: Declarations, statements: Sequence[Statement], words: list[EntryStatement | IncludedWords]
) -> list[EntryStatement | IncludedWords]:
    """Return the entries without readings of other files that `without word` removes; removing nothing is an error."""
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
        declarations, [statement for statement in words if isinstance(statement, EntryStatement)]
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
        hint = "remove the line, or list the readings of the included grammar with numbat show"
        declarations.error(f'no included file gives "{form}" this reading', form.span, hint)
    return kept


def _without_included(
    declarations: Declarations,
    words: IncludedWords,
    lost: dict[str, list[WithoutWordStatement]],
    met: set[WithoutWordStatement],
) -> IncludedWords | None:
    """Return the words of an included grammar without the readings in `lost`; add statements that remove some to `met`.

    Statements in files of the included grammar are skipped: they have been applied. The result is None if a statement
    names readings by a template, which a built lexicon does not contain, or if a removal may change the order of words.
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
    """Report each category that is not declared, at the first reading with it; say how many readings have it."""
    words = [reading.operand.category for entry in entries for reading in entry.readings]
    for word, number in Counter(words).items():
        if word not in declarations.categories and word not in declarations.unread:
            several = f" ({number} readings have it)" if number > 1 else ""
            of_columns = "; if this is a header line, begin it with #" if word.span.line == 1 else ""
            hint = _in_one_column(declarations, word)
            hint = hint or declarations.category_hint(word, declarations.templates) + of_columns
            declarations.error(f'"{word}" is not a construction or a leaf{several}', word.span, hint)
            declarations.unread.add(str(word))


def _in_one_column(declarations: Declarations, word: str) -> str:
    """Return a hint if the category column of a lexicon file has more than a category, or text of another column."""
    category, *rest = word.split()
    if category in declarations.categories and rest:
        return f'spaces do not separate columns: write a TAB before "{" ".join(rest)}"'
    bracket = re.fullmatch(r"([^\[(]+)[\[(](.*)[\])]", word)
    if bracket and bracket[1] in declarations.categories:
        return f"put features in the next column, without brackets: {bracket[1]} TAB {bracket[2]}"
    if re.match(r"[^\s()]+\(", word):
        return "write a template with its arguments: transitive(acc), ditransitive(acc, dat)"
    several = re.split(r"[|;,/]\s*", word)
    if len(several) > 1 and all(name in declarations.categories for name in several):
        return "a line has one category: write one line for each"
    return "this is the category column: a TAB is missing before it" if "=" in word else ""


# User-defined relations (ruling 15)


def own_relations(declarations: Declarations, statements: Sequence[Statement], missing_unifies: bool) -> list[Relation]:
    """Return the relations that the statements define; with `missing_unifies` agree() is true for a missing feature."""
    taken = {name for row in built_in({}) for name in (row.name, row.symbol, *row.aliases)}
    relations: list[Relation] = []
    for statement in statements:
        if not isinstance(statement, RelationStatement):
            continue
        if statement.name in taken:
            declarations.error(
                f'there is already a relation "{statement.name}"', statement.name.span, "choose another name"
            )
        elif not is_name(statement.name) or statement.name in (*KEYWORDS["construction_line"], *FUNCTIONS, CONDITION):
            hint = "choose a name of letters and digits that is not a keyword"
            declarations.error(f'"{statement.name}" cannot be the name of a relation', statement.name.span, hint)
        taken.add(statement.name)
        relations.append(_own_relation(declarations, statement, missing_unifies))
    return relations


def _own_relation(declarations: Declarations, statement: RelationStatement, missing_unifies: bool) -> Relation:
    parameters = tuple(map(str, statement.parameters))
    for word in _repeated(statement.parameters):
        declarations.error(f'parameter "{word}" appears twice', word.span)
    for word in statement.parameters:
        if not is_name(word):
            declarations.error(f'"{word}" cannot be a parameter', word.span, "choose a name of letters and digits")
    for word in _repeated(statement.each):
        declarations.error(f'"{word}" appears twice after "for each"', word.span)
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
