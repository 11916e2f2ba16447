"""Messages for syntax errors: where the mistake is, what the parser would accept there, and a hint."""

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
"""The phrase that messages use for each terminal of `notation.lark`; other keywords are quoted as they are."""

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
"""If all terminals of the first set are expected, the phrase replaces them and those of the second set in a message."""

EXAMPLES: Final = {
    "top": 'an unindented line is a setting ("language: en"), a section ("lexicon:") or a construction ("NP:")',
    "construction_line": 'write a property like "Det < N", "uniq {Det, N}" or "N => Det"',
    "types_line": 'write a type like "Nominal: N, PN"',
    "features_line": 'write a feature like "number: sg, pl"',
    "marks_line": 'write a mark with its signs in double quotes, like comma: ","',
    "semantics_line": 'write a switch like "obligation: exactly-one"',
    "tokens_line": 'write a token rule like suffix "\'s" or rewrite "won\'t": "will", "n\'t"',
    "lexicon_line": 'write an entry like "saw: V[tense=past], N"; a form may be in double quotes',
    "guess_line": 'write a rule like "*ing": V[form=ing] weight 2, N',
    "names_line": 'write a rule like "*": N[kind=proper] weight .5',
    "spelling_line": 'write a rule like "[aeiou]*": {N, Adj}[onset=v]',
    "relation_line": 'describe a relation with "monotonic yes", "symmetric yes" or says "..."',
    "expression": 'write an expression like "index(B) < index(C) and adjacent(B, C)"',
    "rule": 'write a feature rule like "number = pl", "number = pl if Conj & no N" or "number from Det, N"',
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
    "template_head": 'write a template like "transitive(case): V[obj=$case]"',
    "relation": 'write "relation before(B, C) for each B, C: index(B) < index(C)"',
    "suffix": 'write suffix "n\'t", "\'s" or suffix "lo" after {Inf, Imp}',
    "prefix": 'write prefix "l\'", "d\'" or prefix "re" before V',
    "include": 'write "include: english", "include: english/NP" or, for a file, include: "base.pg"',
    "lexicon_file": 'write lexicon_file: "words.tsv"',
    "override": 'write "override NP: Det < N cost 5"',
    "profile": 'write "profile shallow: without H4, election all" or "profile fast like paper: election beam"',
    "without": 'write "without NP: N < PP" or "without word the: Adv"',
    "query": 'write a query like "NP violates Det ~> N and cost > 2"',
    "rewrite": 'write rewrite "won\'t": "will", "n\'t"',
    "segment": 'write "segment" alone on its line',
}
"""An example of a correct line, by its first word or its kind."""

WORDS: Final = {
    **dict.fromkeys(("precedes", "before", "precede"), 'order is written "A < B"'),
    **dict.fromkeys(("follows", "after", "follow"), 'order is written from left to right: "A < B"'),
    **dict.fromkeys(("obligatory", "required"), 'obligation is written "oblig A"'),
    "unique": 'uniqueness is written "uniq A"',
    **dict.fromkeys(("require", "needs", "need"), 'requirement is written "A => B" or "A requires B"'),
    **dict.fromkeys(("exclude", "forbids"), 'exclusion is written "A x B" or "A excludes B"'),
    **dict.fromkeys(("agrees", "agree"), 'agreement is written "A ~> B [number, gender]"'),
}
"""The notation for relations that people write in English words, by the word."""
CHAINED: Final = ("<", "≺", "+", "⊕", "=>", "⇒", "~>", "x", "⊗", "⇎")
"""The symbols of relations between two operands; a second one in a property, as in A < B < C, is a mistake."""
LONGEST: Final = 1_000
"""Maximum length of a line in which hints look for other notations: their patterns may take quadratic time."""
STRENGTHS: Final = re.compile(r"(?P<word>hard|soft|weight|cost)\b")
"""A strength before a property instead of after it."""
NUMBERS: Final = re.compile(r"^\s*-?[\d.]+\s*")

_QUOTES: Final = 'put texts in double quotes: "..."'
_BLANK: Final = "put an ordinary space there"
SIGNS: Final = {
    **dict.fromkeys("'`´“”„«»‘’", _QUOTES),
    '"': 'a text ends with a double quote on the same line; inside it, write \\" for a quote and \\\\ for a backslash',
    **dict.fromkeys("→⟶", 'requirement is written "=>" or ⇒, dependency "~>" or ⇝'),
    **dict.fromkeys("$%*/@^.€£", 'put names with other characters than letters, digits, _ and - in quotes: "PRP$"'),
    **dict.fromkeys("\u00a0\u2007\u202f\u3000\u200b", _BLANK),
}
"""The hint for a character that the notation does not have."""


LITERATURE: Final = (
    (r"\be\.?g\b", r"", 'examples come last, in double quotes: e.g. "the cat sleeps", *"the cat sleep"'),
    (r"<$", r"<", 'write immediate precedence as two properties: "A < B; A + B"'),
    (r"^\s*(uniq\w*|unic|oblig\w*)$", r"\(", 'write alternatives without brackets: "uniq N | PN", "oblig N | PN"'),
    (r"^\s*(uniq\w*|unic)$", r"\d+\s", 'limit a number with a condition: "count(N) <= 2"'),
    (r"^\s*(no|not)$", r"\w", 'forbid a daughter with a condition: "count({word}) = 0"'),
    (r"\bif\b.*\w$", r"\.\s*\w+\s*=", "a condition names daughters, with features in brackets: N[number=sg]"),
    (
        r"\[[^\]]*=\s*\w+$",
        r"\.",
        'two operands share a value through a variable, "A[f=$x] => B[f=$x]"; for agreement with the phrase itself '
        'write "A ~> mother [f]"',
    ),
    (r"\[[^\]]*\bnot$", r"\w", "for a missing feature write [no {word}]"),
    (r"~>.*\[[^\]]*\w$", r"as\b", 'compare two different features with a condition: "Det.number = N.gender"'),
)
"""Notations of the literature, and examples: patterns for the text before the mistake and after it, and a hint."""


def phrase(terminal: str) -> str:
    """Return the phrase for a terminal of `notation.lark`."""
    return PHRASES.get(terminal, f'"{terminal.lower()}"')


def listed(terminals: set[str]) -> str:
    """Format the expected terminals: `a name, "weight" or the end of the line`."""
    rest = {terminal for terminal in terminals if not terminal.startswith("__")}
    rest -= {"EVERY"} if "ALL" in rest else set()
    rest -= {"DOT"} if len(rest) > 1 else set()  # possible after every operand, but seldom wanted
    rest -= {"STRING"} if rest >= {"COST", "HARD"} else set()  # a gloss is seldom wanted either
    rest -= {"_FOR_EXAMPLE"} if len(rest) > 1 else set()  # and examples may stand behind every property
    parts: list[str] = []
    for whole, covered, words in TOGETHER:
        if rest >= whole:
            parts.append(words)
            rest -= whole | covered
    order = list(PHRASES)
    parts += map(phrase, sorted(rest, key=lambda name: (order.index(name) if name in order else len(order), name)))
    return ", ".join(parts[:-1]) + (" or " if len(parts) > 1 else "") + parts[-1] if parts else ""


def syntax_problem(error: UnexpectedInput, text: str, origin: Span, start: str) -> Problem:
    """Return the problem behind an error of Lark, in a line that begins at `origin`, parsed with the rule `start`."""
    from lark.exceptions import UnexpectedToken

    is_long = len(text) > LONGEST
    accepted = {str(terminal) for terminal in error.interactive_parser.accepts()}  # type: ignore[no-untyped-call]
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        position, width, message = len(text), 1, "the line ends too early"
        shown, hint = "the end of the line", _unclosed(text, origin)
        heir = re.fullmatch(rf"\s*({NAME})\s*:\s*({NAME})\s*", text) if start == "top" else None
        if heir is not None and not close_match(heir[1], KEYWORDS["top"]):
            hint = f'to take over what another construction states, write "{heir[1]} like {heir[2]}:"'
    else:
        position = error.pos_in_stream or 0
        token = str(error.token) if isinstance(error, UnexpectedToken) else text[position]
        width, shown = len(token), _shown(token)
        if token == '"' and (slash := _lone_backslash(text, position)) is not None:
            return _on_backslash(text, slash, _place(text, slash, 2, origin))
        message = "this text has no closing quote" if token == '"' else f"{shown} does not fit here"
        hint = "" if is_long else _other_notation(text, position, start)
        hint = hint or SIGNS.get(token, "")
        if not is_long:
            hint = hint or _after_property(token, accepted, start, text, position)
            hint = hint or _function(token, accepted, text[:position])
        hint = hint or _unclosed(text, origin)
    span = _place(text, position, width, origin)
    hint = hint or ("" if is_long else _hint(text, position, start))
    return Problem(message, span, expected=listed(accepted), found=shown, hint=hint)


def _shown(token: str) -> str:
    """Quote a token; show an invisible character by number and name."""
    if token == '"':
        return "an unpaired double quote"
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
    """Return the place of an invalid backslash in the quoted text that begins at a position, None if there is none."""
    match = _UP_TO_MISTAKE.match(text, position)
    return match.end() if match and text[match.end() : match.end() + 1] == "\\" else None


def _on_backslash(text: str, slash: int, span: Span) -> Problem:
    """Return the problem of an invalid backslash, usually in a Windows path."""
    shown = f'"{text[slash : slash + 2].rstrip()}"'
    hint = "in quoted text a backslash is written \\\\"
    if file := re.match(r'\s*(?:include|lexicon_file)\s*:.*?"([^"\n]*)"', text):
        hint = f'separate folders with /, on Windows too: "{_with_slashes(file[1])}"'
    return Problem("this text has a single backslash", span, found=shown, hint=hint)


def _with_slashes(path: str) -> str:
    return re.sub(r"\\+", "/", path)


def _unclosed(text: str, origin: Span) -> str:
    """Return a hint about the bracket still open at the end of the line, empty if there is none."""
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
    """Return a hint if the line is in another notation: rewriting rules, arrows, reversed order, YAML; else empty."""
    before, signs, after = text[:position].strip(), text[position : position + 2], text[position:].lstrip(">= ").split()
    word = re.match(NAME, text[position:])
    if word and start == "construction_line" and word[0].lower() in WORDS:
        return WORDS[word[0].lower()]
    if start == "top" and (file := re.match(r"(?:include|lexicon_file)\s*:\s*([^\",]*[^\",\s])", text)):
        return f'put the name of a file in double quotes: "{_with_slashes(file[1])}"'
    if (signs in ("//", "--") or re.match(r"%(?!\w)", signs)) and (not before or text[position - 1].isspace()):
        return 'a comment begins with "#"'
    if start == "construction_line" and (first := STRENGTHS.match(before)):
        statement = before[first.end() :].strip() + " " + text[position:].strip()
        if first["word"] == "soft":
            return f'a property may be violated unless it is hard: write "{statement.strip()}"'
        return f'write the strength of a property after it: "{NUMBERS.sub("", statement).strip()} {_strength(text)}"'
    if start == "construction_line" and (hint := _of_literature(before, text[position:])):
        return hint
    if start == "construction_line" and signs[:1] == ">" and before.endswith("~>"):
        return 'dependency is written "~>", as in "A ~> B [number]"'
    of_words = start in ("lexicon_line", "guess_line", "names_line")
    if of_words and signs[:1] == "(" and ":" not in before:
        return 'write the words before their template: "see, hear: transitive(acc)"'
    with_readings = of_words or start == "readings" or text.startswith("template ")
    in_round = signs[:1] == "=" and re.search(r"\w\([\w-]+$", before)
    if (in_round and (with_readings or start == "construction_line")) or (
        of_words and (signs[:1] == "(" or (signs[:1] == ":" and "[" in before))
    ):
        return "write features in square brackets: N[number=sg]"
    if signs == "->" and start == "top":
        return f'there are no rewriting rules: state properties, as in "{before}:" and on the next line "    A < B"'
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
        return "write it without brackets; the file of a grammar in YAML ends in .yaml"
    return ""


def _of_literature(before: str, after: str) -> str:
    """Return the hint of `LITERATURE` for a mistake between two texts, empty if there is none."""
    word = re.match(NAME, after)
    for left, right, hint in LITERATURE:
        if re.search(left, before) and re.match(right, after):
            return hint.format(word=word[0] if word else "")
    return ""


def _strength(text: str) -> str:
    """Return the strength at the beginning of a line, such as `hard` or `weight 2`."""
    match = re.match(r"\s*(\w+)(\s+-?[\d.]+)?", text)
    return re.sub(r"\s+", " ", match[0]).strip() if match else ""


def _after_property(token: str, accepted: set[str], start: str, text: str, position: int) -> str:
    """Return a hint for text after a complete property: a list, decimal comma, chain or condition."""
    if start != "construction_line" or "SEMICOLON" not in accepted:
        return ""
    if decimal := re.search(r"\d+,\d+", text[:position].rpartition(" ")[2] + text[position:].partition(" ")[0]):
        return f"write decimals with a point: {decimal[0].replace(',', '.')}"
    if token in ("{", "("):
        return 'put features that must agree in square brackets: "A ~> B [number, gender]"'
    if token == ",":
        return 'put several operands in braces: {A, B}; separate properties with ";"'
    if chain := re.search(rf"({NAME}) (?:=>|⇒) ({NAME}) $", text[:position]):
        rest = text[position:].strip()
        return f'to make it depend on {chain[1]}, write "{chain[2]} {rest} if {chain[1]}"'
    return 'a property has two sides; write several properties: "A < B; B < C"' if token in CHAINED else ""


def _function(token: str, accepted: set[str], before: str) -> str:
    """Return a hint for an unknown function name in the condition of a relation."""
    if token != "(" or accepted != {"DOT"}:
        return ""
    return (
        close_match(re.findall(NAME, before)[-1], FUNCTIONS)
        or f"the functions of conditions are: {', '.join(FUNCTIONS)}"
    )


def _hint(text: str, position: int, start: str) -> str:
    """Return a hint about the statement that has a mistake at a position: a similar keyword, or a correct example."""
    if start == "top" and re.match(r"[\w\[\]=, {}\"]+(<|\+|=>|~>|\bx\b)", text) and ":" not in text:
        return 'indent a property below its construction, as in "NP:" and on the next line "    Det < N"'
    if text[position : position + 1].isdigit() and re.match(r"\d\w*[^\W\d]", text[position:]):
        return 'put a name that starts with a digit in quotes: "1N"'
    if start == "top" and re.fullmatch(r"[^\W\d][\w-]*", text.strip()) and not text[position:].strip():
        return f'did you mean "{shortened(text.strip())}:"?'
    if start == "construction_line" and (shared := re.search(r"(?:~>|[⤳⇝↝])\s*\S+\s+$", text[:position])):
        word = re.match(NAME, text[position:])
        if word and shared:
            return f"put the features to compare in brackets: [{word[0]}]"
    begin = 0 if start == "top" else text.rfind(";", 0, position) + 1
    if text[begin:].lstrip().startswith(EVERY):
        return 'write the strength of all relations as "* cost 2", and a pattern in double quotes: "*ing"'
    word = re.match(NAME, text[begin:].lstrip())
    name = word[0] if word else ""
    kind = "construction_line" if start == "top" and ":" in text[:position] and name not in KEYWORDS["top"] else start
    known = KEYWORDS.get(start, ())
    near = "" if name in EXAMPLES or name in known else close_match(name, known)
    if start == "construction_line" and re.match(r"\s*[\w'-]+\s*(=|from)\s", text[begin:] + " "):
        kind = "rule"
    return near or EXAMPLES.get(name, "") or EXAMPLES.get(kind, "")
