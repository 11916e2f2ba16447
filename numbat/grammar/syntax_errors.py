"""Messages for syntax errors, from the terminals that the LALR parser accepts: position, expectation, hint."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from unicodedata import name as character_name

from numbat.errors import Problem, Span, close_match, shortened
from numbat.grammar.names import EVERY, FUNCTIONS, KEYWORDS, NAME

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput


PHRASES: Final = {
    "$END": "the end of the line",
    "NAME": "a name",
    "STRING": 'a text in double quotes "..."',
    "NUMBER": "a number",
    "WHOLE": "a whole number",
    "WILDCARD": "? (the wildcard)",
    "COLON": '":"',
    "COMMA": '","',
    "SEMICOLON": '";"',
    "LBRACE": "braces {A, B}",
    "RBRACE": '"}"',
    "LSQB": '"["',
    "RSQB": '"]"',
    "LPAR": '"("',
    "RPAR": '")"',
    "VBAR": '"|"',
    "AMPERSAND": '"&"',
    "BANG": '"!"',
    "DOT": '"."',
    "EVERY": '"*"',
    "VARIABLE": "a variable ($x)",
    "NO_FEATURE": '"no"',
    "EQUALS": '"="',
    "_UNEQUAL": '"!="',
    "COMPARISON": "a comparison (= != < <= > >=)",
    "OBLIGATION": '"oblig"',
    "UNIQUENESS": '"uniq"',
    "LINEARITY": '"<"',
    "ADJACENCY": '"+"',
    "REQUIREMENT": '"=>"',
    "EXCLUSION": '"x"',
    "DEPENDENCY": '"~>"',
    "TILDE": '"~"',
}
"""The phrase for each terminal of `notation.lark` in a message; the phrase for any other keyword is the keyword."""

TOGETHER: Final[tuple[tuple[set[str], set[str], str], ...]] = (
    (
        {"LINEARITY", "ADJACENCY", "REQUIREMENT", "EXCLUSION", "DEPENDENCY"},
        {"VBAR", "AMPERSAND", "LSQB", "LPAR", "BANG"},
        "a relation (< + => x ~>)",
    ),
    (
        {keyword.upper() for keyword in KEYWORDS["top"]},
        {"NAME", "STRING", "WILDCARD"},
        "a setting, a section or a construction",
    ),
    (
        {"INDEX", "COUNT", "ADJACENT", "PRESENT", "FIRST", "LAST", "DISTANCE", "NOT", "LPAR"},
        {"AGREE", "TRUE", "FALSE"},
        "a condition",
    ),
    ({"LINEARITY", "EQUALS", "COMPARISON"}, set(), "a comparison (= != < <= > >=)"),
    ({"NAME", "STRING", "PATH"}, {"WILDCARD"}, 'a name, or the name of a file in double quotes "..."'),
    ({"NAME", "STRING", "WILDCARD"}, set(), "a category"),
    ({"NAME", "STRING", "NUMBER"}, set(), 'a name, a number or a text in double quotes "..."'),
    ({"$END"}, {"VBAR", "AMPERSAND", "LSQB"}, "the end of the line"),
)
"""Sets of terminals that one phrase stands for: those that must all be expected, those it covers too, the phrase."""

EXAMPLES: Final = {
    "top": 'at the margin stands a setting ("language: en"), a section ("lexicon:") or a construction ("NP:")',
    "construction_line": 'a property is written as in "Det < N", "uniq {Det, N}" or "N => Det"',
    "types_line": 'a type is written as in "Nominal: N, PN"',
    "features_line": 'a feature is written as in "number: sg, pl"',
    "semantics_line": 'a switch is written as in "obligation: exactly-one"',
    "tokens_line": 'a token rule is written as in suffix "\'s" or rewrite "won\'t": "will", "n\'t"',
    "lexicon_line": 'an entry is written as in "saw: V[tense=past], N"; a form may stand in double quotes',
    "guess_line": 'a rule is written as in "*ing": V[form=ing] weight 2, N',
    "names_line": 'a rule is written as in "*": N[kind=proper] weight .5',
    "spelling_line": 'a rule is written as in "[aeiou]*": {N, Adj}[onset=v]',
    "relation_line": 'a relation is described by "monotonic yes", "symmetric yes" or says "..."',
    "expression": 'an expression is written as in "index(B) < index(C) and adjacent(B, C)"',
    "rule": 'a feature is set as in "number = pl", "number = pl if Conj & no N" or "number from Det, N"',
    "leaves": 'write "leaves: Det, N"',
    "roots": 'write "roots: S, NP"',
    "tree_features": 'write "tree_features: number, person"',
    "head": 'write "head N, Pro"',
    "inherit": 'write "inherit number, person" or "inherit none"',
    "const": 'write "const {Det, N}"',
    "oblig": 'write "oblig N" or "oblig {N, Pro}"',
    "uniq": 'write "uniq N" or "uniq {Det, N}"',
    "all": 'write "all linearity weight 2 cost 3"',
    "template": 'write "template transitive(case): V[obj=$case]"',
    "template_head": 'a template is written as in "transitive(case): V[obj=$case]"',
    "relation": 'write "relation before(B, C) for each B, C: index(B) < index(C)"',
    "suffix": 'write suffix "n\'t", "\'s" or suffix "lo" after {Inf, Imp}',
    "prefix": 'write prefix "l\'", "d\'" or prefix "re" before V',
    "include": 'write "include: english", "include: english/NP" or, for a file, include: "base.pg"',
    "lexicon_file": 'write lexicon_file: "words.tsv"',
    "override": 'write "override NP: Det < N cost 5"',
    "profile": 'write "profile shallow: without H4, election all" or "profile fast like paper: election beam"',
    "without": 'write "without NP: N < PP" or "without word the: Adv"',
    "query": 'a query is written as in "NP violates Det ~> N and cost > 2"',
    "rewrite": 'write rewrite "won\'t": "will", "n\'t"',
    "segment": 'write "segment" alone on its line',
}
"""An example of a correct line, by its first word or by its kind."""

WORDS: Final = {
    **dict.fromkeys(("precedes", "before", "precede"), 'order is written "A < B"'),
    **dict.fromkeys(("follows", "after", "follow"), 'order is written from left to right: "A < B"'),
    **dict.fromkeys(("obligatory", "required"), 'obligation is written "oblig A"'),
    "unique": 'uniqueness is written "uniq A"',
    **dict.fromkeys(("require", "needs", "need"), 'requirement is written "A => B" or "A requires B"'),
    **dict.fromkeys(("exclude", "forbids"), 'exclusion is written "A x B" or "A excludes B"'),
    **dict.fromkeys(("agrees", "agree"), 'agreement is written "A ~> B [number, gender]"'),
}
"""The notation for relations that people write as English words, by the word."""
CHAINED: Final = ("<", "≺", "+", "⊕", "=>", "⇒", "~>", "x", "⊗", "⇎")
"""The signs that stand between two operands."""
STRENGTHS: Final = re.compile(r"(?P<word>hard|soft|weight|cost)\b")
"""A strength that stands before a property and not behind it."""
NUMBERS: Final = re.compile(r"^\s*-?[\d.]+\s*")

_QUOTES: Final = 'texts stand in double quotes: "..."'
_BLANK: Final = "put a blank in its place"
SIGNS: Final = {
    **dict.fromkeys("'`´“”„«»‘’", _QUOTES),
    '"': 'a text ends with a double quote on the same line; inside it, write \\" for a quote and \\\\ for a backslash',
    **dict.fromkeys("→⟶", 'requirement is written "=>" or ⇒, dependency "~>" or ⇝'),
    **dict.fromkeys("$%*/@^.€£", 'names with other signs than letters, digits, _ and - stand in quotes: "PRP$"'),
    **dict.fromkeys("\u00a0\u2007\u202f\u3000\u200b", _BLANK),
}
"""The hint for a sign that the notation does not have."""


LITERATURE: Final = (
    (r"<$", r"<", 'immediate precedence is two properties: "A < B; A + B"'),
    (r"^\s*(uniq\w*|unic|oblig\w*)$", r"\(", 'alternatives stand without brackets: "uniq N | PN", "oblig N | PN"'),
    (r"^\s*(uniq\w*|unic)$", r"\d+\s", 'so many of a kind are a condition: "count(N) <= 2"'),
    (r"^\s*(no|not)$", r"\w", 'what must not be there is a condition: "count({word}) = 0"'),
    (r"\bif\b.*\w$", r"\.\s*\w+\s*=", "a condition asks for daughters, with features in brackets: N[number=sg]"),
    (
        r"\[[^\]]*=\s*\w+$",
        r"\.",
        'two operands share a value by a variable, "A[f=$x] => B[f=$x]"; with the phrase itself a daughter agrees by '
        '"A ~> mother [f]"',
    ),
    (r"\[[^\]]*\bnot$", r"\w", "of a feature that is not there one writes [no {word}]"),
    (r"~>.*\[[^\]]*\w$", r"as\b", 'features of two names are compared by a condition: "Det.number = N.gender"'),
)
"""Forms that the literature suggests: what stands before the mistake, what begins with it, and how it is written."""


def phrase(terminal: str) -> str:
    """Return the phrase for a terminal of `notation.lark`."""
    return PHRASES.get(terminal, f'"{terminal.lower()}"')


def listed(terminals: set[str]) -> str:
    """Format the expected terminals: `a name, "weight" or the end of the line`."""
    rest = {terminal for terminal in terminals if not terminal.startswith("__")}
    rest -= {"EVERY"} if "ALL" in rest else set()
    rest -= {"DOT"} if len(rest) > 1 else set()  # behind every operand a feature may be compared; few people want that
    parts: list[str] = []
    for whole, covered, words in TOGETHER:
        if rest >= whole:
            parts.append(words)
            rest -= whole | covered
    order = list(PHRASES)
    parts += map(phrase, sorted(rest, key=lambda name: (order.index(name) if name in order else len(order), name)))
    return ", ".join(parts[:-1]) + (" or " if len(parts) > 1 else "") + parts[-1] if parts else ""


def syntax_problem(error: UnexpectedInput, text: str, origin: Span, start: str) -> Problem:
    """Return the problem of one logical line that begins at `origin` and was parsed as `start`."""
    from lark.exceptions import UnexpectedToken

    accepted = {str(terminal) for terminal in error.interactive_parser.accepts()}  # type: ignore[no-untyped-call]
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        position, width, message = len(text), 1, "the end of the line comes too early"
        found, hint = "the end of the line", _unclosed(text, origin)
        heir = re.fullmatch(rf"\s*({NAME})\s*:\s*({NAME})\s*", text) if start == "top" else None
        if heir is not None and not close_match(heir[1], KEYWORDS["top"]):
            hint = f'what a construction has from another one is written "{heir[1]} like {heir[2]}:"'
    else:
        position = error.pos_in_stream or 0
        token = str(error.token) if isinstance(error, UnexpectedToken) else text[position]
        width, found = len(token), _shown(token)
        if token == '"' and (slash := _lone_backslash(text, position)) is not None:
            return _on_backslash(text, slash, _place(text, slash, 2, origin))
        message = "this text has no end" if token == '"' else f"{found} does not fit here"
        hint = _other_notation(text, position, start) or SIGNS.get(token, "")
        hint = (
            hint
            or _after_property(token, accepted, start, text, position)
            or _function(token, accepted, text[:position])
            or _unclosed(text, origin)
        )
    span = _place(text, position, width, origin)
    return Problem(message, span, expected=listed(accepted), found=found, hint=hint or _hint(text, position, start))


def _shown(token: str) -> str:
    """Quote the text found; an invisible character by number and name."""
    if token == '"':
        return "a double quote alone"
    if len(token) == 1 and not token.isprintable():
        return f"the character U+{ord(token):04X} ({character_name(token, 'a control character')})"
    return token if token.startswith('"') else f'"{token}"'


def _place(text: str, position: int, width: int, origin: Span) -> Span:
    before = text[:position]
    line = origin.line + before.count("\n")
    column = position - (before.rfind("\n") + 1) + (origin.column if "\n" not in before else 1)
    return replace(origin, line=line, column=column, end_column=column + width)


_UP_TO_MISTAKE: Final = re.compile(r'"(?:[^"\\\n]|\\["\\])*')


def _lone_backslash(text: str, position: int) -> int | None:
    """Return where in the text in quotes that begins at a place a backslash stands before another character than a
    quote or a backslash; None where none does.
    """
    match = _UP_TO_MISTAKE.match(text, position)
    return match.end() if match and text[match.end() : match.end() + 1] == "\\" else None


def _on_backslash(text: str, slash: int, span: Span) -> Problem:
    """Return the problem of a lone backslash, most often of a path as Windows writes it."""
    found = f'"{text[slash : slash + 2].rstrip()}"'
    hint = "in a text in quotes a backslash is written \\\\"
    if file := re.match(r'\s*(?:include|lexicon_file)\s*:.*?"([^"\n]*)"', text):
        hint = f'between folders stands /, on Windows too: "{_with_slashes(file[1])}"'
    return Problem("a backslash stands alone in this text", span, found=found, hint=hint)


def _with_slashes(path: str) -> str:
    return re.sub(r"\\+", "/", path)


def _unclosed(text: str, origin: Span) -> str:
    """Return a hint about the bracket still open at the end of the line; empty if none is."""
    stack: list[int] = []
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|[\[({\])}]', text):
        if match[0] in "[({":
            stack.append(match.start())
        elif match[0] in "])}" and stack:
            stack.pop()
    if not stack:
        return ""
    return f'the bracket "{text[stack[-1]]}" in column {_place(text, stack[-1], 1, origin).column} is not closed'


def _other_notation(text: str, position: int, start: str) -> str:
    """Return a hint if the line is in another notation: rewriting rules, arrows, reversed order, YAML."""
    before, signs, after = text[:position].strip(), text[position : position + 2], text[position:].lstrip(">= ").split()
    word = re.match(NAME, text[position:])
    if word and start == "construction_line" and word[0].lower() in WORDS:
        return WORDS[word[0].lower()]
    if start == "top" and (file := re.match(r"(?:include|lexicon_file)\s*:\s*([^\",]*[^\",\s])", text)):
        return f'the name of a file stands in double quotes: "{_with_slashes(file[1])}"'
    if (signs in ("//", "--") or re.match(r"%(?!\w)", signs)) and (not before or text[position - 1].isspace()):
        return 'a comment begins with "#"'
    if start == "construction_line" and (first := STRENGTHS.match(before)):
        statement = before[first.end() :].strip() + " " + text[position:].strip()
        if first["word"] == "soft":
            return f'a property may be violated unless it is hard: write "{statement.strip()}"'
        return f'what a property is worth stands behind it: "{NUMBERS.sub("", statement).strip()} {_strength(text)}"'
    if start == "construction_line" and (hint := _of_literature(before, text[position:])):
        return hint
    if start == "construction_line" and signs[:1] == ">" and before.endswith("~>"):
        return 'dependency is written "~>", as in "A ~> B [number]"'
    of_words = start in ("lexicon_line", "guess_line", "names_line")
    if of_words and signs[:1] == "(" and ":" not in before:
        return 'the words stand before their template: "see, hear: transitive(acc)"'
    with_readings = of_words or start == "readings" or text.startswith("template ")
    in_round = signs[:1] == "=" and re.search(r"\w\([\w-]+$", before)
    if (in_round and (with_readings or start == "construction_line")) or (
        of_words and (signs[:1] == "(" or (signs[:1] == ":" and "[" in before))
    ):
        return "features are written in square brackets: N[number=sg]"
    if signs == "->" and start == "top":
        return (
            f'there are no rewriting rules: a phrase has properties, as in "{before}:" and on the next line "    A < B"'
        )
    if signs in ("->", "==", "--"):
        return 'requirement is written "=>", dependency "~>"'
    if start in ("top", "expression") and before.endswith("=") and signs[:1] in ("<", ">"):
        return 'a comparison is written "<=" or ">="'
    if signs == "><" and start == "construction_line" and before:
        other = text[position + 2 :].split()
        return f'exclusion is written "x": "{before} x {other[0] if other else "B"}"'
    if signs[:1] == ">" and start == "construction_line" and before and after:
        return f'order is written from left to right: "{after[0]} < {before.rstrip("< ")}"'
    if signs[:1] == "[" and start == "top" and before.endswith(":"):
        return "without brackets; a grammar in YAML has the ending .yaml"
    return ""


def _of_literature(before: str, after: str) -> str:
    """Return the hint of `LITERATURE` for a line that goes wrong between two texts; empty if it has none."""
    word = re.match(NAME, after)
    for left, right, hint in LITERATURE:
        if re.search(left, before) and re.match(right, after):
            return hint.format(word=word[0] if word else "")
    return ""


def _strength(text: str) -> str:
    """Return the strength at the beginning of a line: `hard`, `weight 2`."""
    match = re.match(r"\s*(\w+)(\s+-?[\d.]+)?", text)
    return re.sub(r"\s+", " ", match[0]).strip() if match else ""


def _after_property(token: str, accepted: set[str], start: str, text: str, position: int) -> str:
    """Return a hint for text after a whole property: a list, decimal comma, chain, or condition."""
    if start != "construction_line" or "SEMICOLON" not in accepted:
        return ""
    if decimal := re.search(r"\d+,\d+", text[:position].rpartition(" ")[2] + text[position:].partition(" ")[0]):
        return f"a number has a point: {decimal[0].replace(',', '.')}"
    if token in ("{", "("):
        return 'features that agree stand in square brackets: "A ~> B [number, gender]"'
    if token == ",":
        return 'several operands stand in braces: {A, B}; several properties are separated by ";"'
    if chain := re.search(rf"({NAME}) (?:=>|⇒) ({NAME}) $", text[:position]):
        rest = text[position:].strip()
        return f'what holds where there is a {chain[1]} is written "{chain[2]} {rest} if {chain[1]}"'
    return 'a property has two sides; several are written one by one: "A < B; B < C"' if token in CHAINED else ""


def _function(token: str, accepted: set[str], before: str) -> str:
    """Return a hint for an unknown function name in the condition of a relation."""
    if token != "(" or accepted != {"DOT"}:
        return ""
    return close_match(re.findall(NAME, before)[-1], FUNCTIONS) or f"a condition is made of {', '.join(FUNCTIONS)}"


def _hint(text: str, position: int, start: str) -> str:
    """Return a hint by the statement at this position: a close keyword, or an example line."""
    if start == "top" and re.match(r"[\w\[\]=, {}\"]+(<|\+|=>|~>|\bx\b)", text) and ":" not in text:
        return 'a property must be indented below its construction, as in "NP:" and on the next line "    Det < N"'
    if text[position : position + 1].isdigit() and re.match(r"\d\w*[^\W\d]", text[position:]):
        return 'a name that starts with a digit stands in quotes: "1N"'
    if start == "top" and re.fullmatch(r"[^\W\d][\w-]*", text.strip()) and not text[position:].strip():
        return f'did you mean "{shortened(text.strip())}:"?'
    if start == "construction_line" and (shared := re.search(r"(?:~>|[⤳⇝↝])\s*\S+\s+$", text[:position])):
        word = re.match(NAME, text[position:])
        if word and shared:
            return f"features to share stand in brackets: [{word[0]}]"
    begin = 0 if start == "top" else text.rfind(";", 0, position) + 1
    if text[begin:].lstrip().startswith(EVERY):
        return 'the strength of all relations is written "* cost 2"; a pattern stands in double quotes: "*ing"'
    word = re.match(NAME, text[begin:].lstrip())
    name = word[0] if word else ""
    kind = "construction_line" if start == "top" and ":" in text[:position] and name not in KEYWORDS["top"] else start
    known = KEYWORDS.get(start, ())
    near = "" if name in EXAMPLES or name in known else close_match(name, known)
    if start == "construction_line" and re.match(r"\s*[\w'-]+\s*(=|from)\s", text[begin:] + " "):
        kind = "rule"
    return near or EXAMPLES.get(name, "") or EXAMPLES.get(kind, "")
