"""Bad grammars in the notation: the whole message for each.

Each message has a place, the mistake, what was expected and found, and a remedy; one run reports all mistakes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import GrammarError, errors, load_grammar, parse_grammar
from tests.growth import growth


def messages(text: str, path: str) -> str:
    """The whole message for a bad grammar."""
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, path)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return str(caught.value)


COMMENT_EXPECTED = (
    'a condition, a category, a number, braces {A, B}, "oblig", "uniq", "all", "const", "head", "inherit", "price" '
    'or "without"'
)

MISTAKES = {
    "rewriting rules": (
        """\
leaves: Det, N
NP -> Det N
""",
        """\
g.pg:2:4: "-" does not fit here
    NP -> Det N
       ^
  expected: a text in double quotes "...", ":" or "like"
  found: "-"
  there are no rewriting rules: state properties, as in "NP:" and on the next line "    A < B\"""",
    ),
    "an order the other way round": (
        """\
leaves: Det, N
NP:
    N > Det
""",
        """\
g.pg:3:7: ">" does not fit here
        N > Det
          ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: ">"
  order is written from left to right: "Det < N\"""",
    ),
    "exclusion with two signs": (
        """\
leaves: Det, N
NP:
    N >< Det
""",
        """\
g.pg:3:7: ">" does not fit here
        N >< Det
          ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: ">"
  exclusion is written "x": "N x Det\"""",
    ),
    "paths with backslashes": (
        """\
include: "C:\\foo\\bar.pg"
lexicon_file: sub\\w.tsv
""",
        """\
g.pg:1:13: this text has a single backslash
    include: "C:\\foo\\bar.pg"
                ^^
  found: "\\f"
  separate folders with /, on Windows too: "C:/foo/bar.pg"
g.pg:2:18: "\\" does not fit here
    lexicon_file: sub\\w.tsv
                     ^
  expected: the end of the line or ","
  found: "\\"
  put the name of a file in double quotes: "sub/w.tsv\"""",
    ),
    "a backslash in a form": (
        """\
leaves: N
lexicon:
    "a\\b": N
""",
        """\
g.pg:3:7: this text has a single backslash
        "a\\b": N
          ^^
  found: "\\b"
  in quoted text a backslash is written \\\\""",
    ),
    "an operand in quotes": (
        """\
leaves: N
features:
    case: nom
NP:
    const {"N[case=nom]"}
""",
        """\
g.pg:5:12: "N[case=nom]" is not a construction or a leaf
        const {"N[case=nom]"}
               ^^^^^^^^^^^^^
  quotes turn it into one name: write N[case=nom] without quotes""",
    ),
    "order with two signs": (
        """\
leaves: Det, N
NP:
    N >> Det
    N <> Det
""",
        """\
g.pg:3:7: ">" does not fit here
        N >> Det
          ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: ">"
  order is written from left to right: "Det < N"
g.pg:4:8: ">" does not fit here
        N <> Det
           ^
  expected: a category or braces {A, B}
  found: ">"
  order is written from left to right: "Det < N\"""",
    ),
    "other brackets": (
        """\
leaves: Det, N
features: number: sg, pl
NP:
    Det ~> N {number}
    N(number=sg) => Det
    N[number=sg => Det
""",
        """\
g.pg:4:14: "{" does not fit here
        Det ~> N {number}
                 ^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: "{"
  put features that must agree in square brackets: "A ~> B [number, gender]"
g.pg:5:13: "=" does not fit here
        N(number=sg) => Det
                ^
  expected: ",", "[", ")", "|" or "&"
  found: "="
  write features in square brackets: N[number=sg]
g.pg:6:17: "=" does not fit here
        N[number=sg => Det
                    ^
  expected: ",", "]" or "|"
  found: "="
  the bracket "[" in column 6 is not closed""",
    ),
    "lists of YAML": (
        """\
leaves: [Det, N]
""",
        """\
g.pg:1:9: "[" does not fit here
    leaves: [Det, N]
            ^
  expected: a category or a number
  found: "["
  write it without brackets; the file of a grammar in YAML ends in .yaml""",
    ),
    "a setting misspelt": (
        """\
leavs: Det, N
NP:
    Det < N
""",
        """\
g.pg:1:11: "," does not fit here
    leavs: Det, N
              ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: ","
  did you mean "leaves"?""",
    ),
    "a section misspelt": (
        """\
feature:
    number: sg, pl
leaves: N
lexcon:
    the: N
NP:
    uniq N[number=sg]
""",
        """\
g.pg:1:1: "feature" opens a construction, but the lines below it belong to "features"
    feature:
    ^^^^^^^
  did you mean "features:"?
g.pg:4:1: "lexcon" opens a construction, but the lines below it belong to "lexicon"
    lexcon:
    ^^^^^^
  did you mean "lexicon:"?""",
    ),
    "a property without its right operand": (
        """\
leaves: Det, N
NP:
    Det <
    uniq N
""",
        """\
g.pg:3:10: the line ends too early
        Det <
             ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "a property without its left operand": (
        """\
leaves: Det, N
NP:
    < N
""",
        """\
g.pg:3:5: "<" does not fit here
        < N
        ^
  expected: a condition, a category, a number, braces {A, B}, "oblig", "uniq", "all", "const", "head", "inherit", "price" or "without"
  found: "<"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",  # noqa: E501
    ),
    "a property without a relation": (
        """\
leaves: Det, N
NP:
    Det N
""",
        """\
g.pg:3:9: "N" does not fit here
        Det N
            ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "N"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "a feature for trees that is none": (
        """\
leaves: N
tree_features: numbr, number
features: number: sg, pl
NP:
    oblig N
""",
        """\
g.pg:2:16: "numbr" is not a feature
    tree_features: numbr, number
                   ^^^^^
  did you mean "number"? else declare it under "features:", as in "numbr: value, value\"""",
    ),
    "roots in two lines": (
        """\
leaves: N, N
roots: NP, S, NP[number=sg], NP
roots: VP
NP:
    oblig N
roots: S
S: oblig NP
VP: oblig N
features: number: sg, pl
""",
        """\
g.pg:1:12: leaf "N" appears twice
    leaves: N, N
               ^
  remove one of the two
g.pg:2:30: root "NP" appears twice
    roots: NP, S, NP[number=sg], NP
                                 ^^
  remove one of the two
g.pg:6:1: "roots" is set twice, first in line 2
    roots: S
    ^^^^^
  put the two lines one below the other: they are joined""",
    ),
    "features for trees without a comma": (
        """\
leaves: N
tree_features: number person
features: number: sg, pl
NP:
    oblig N
""",
        """\
g.pg:2:23: "person" does not fit here
    tree_features: number person
                          ^^^^^^
  expected: the end of the line or ","
  found: "person"
  write "tree_features: number, person\"""",
    ),
    **{
        f"other notations: {line}": (
            f"leaves: Det, N\nNP:\n    {line}\n",
            f"g.pg:3:{column}: {found} does not fit here\n        {line}\n        {' ' * (column - 5)}{'^' * width}\n"
            f"  expected: {expected}\n  found: {found}\n  {hint}",
        )
        for line, column, width, found, expected, hint in (
            (
                "hard Det < N",
                10,
                3,
                '"Det"',
                'a relation (< + => x ~>), "=" or "from"',
                'write the strength of a property after it: "Det < N hard"',
            ),
            (
                "weight 2 Det < N",
                12,
                1,
                '"2"',
                'a relation (< + => x ~>), "=" or "from"',
                'write the strength of a property after it: "Det < N weight 2"',
            ),
            (
                "soft Det < N",
                10,
                3,
                '"Det"',
                'a relation (< + => x ~>), "=" or "from"',
                'a property may be violated unless it is hard: write "Det < N"',
            ),
            (
                "Det ~>> N",
                11,
                1,
                '">"',
                "a category or braces {A, B}",
                'dependency is written "~>", as in "A ~> B [number]"',
            ),
            ("% a comment", 5, 1, '"%"', COMMENT_EXPECTED, 'a comment begins with "#"'),
        )
    },
    "a value where features are shared": (
        "leaves: N, V\nfeatures: number: sg, pl\nX:\n    N ~> V [sg]\n    N[pl] ~> V [number]\n",
        """\
g.pg:4:13: "sg" is a value, but ~> compares features
        N ~> V [sg]
                ^^
  write [number] to compare it, or V[number=sg] to demand the value""",
    ),
    "shared features without brackets": (
        """\
leaves: Det, N
features: number: sg, pl
NP:
    uniq N
    Det ~> N number
""",
        """\
g.pg:5:14: "number" does not fit here
        Det ~> N number
                 ^^^^^^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: "number"
  put the features to compare in brackets: [number]""",
    ),
    "a property without any operand": (
        """\
leaves: Det, N
NP:
    oblig
    uniq
    N =>
    Det ~>
    near(
""",
        """\
g.pg:3:10: the line ends too early
        oblig
             ^
  expected: a category or braces {A, B}
  found: the end of the line
  write "oblig N" or "oblig {N, Pro}"
g.pg:4:9: the line ends too early
        uniq
            ^
  expected: a category or braces {A, B}
  found: the end of the line
  write "uniq N" or "uniq {Det, N}"
g.pg:5:9: the line ends too early
        N =>
            ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.pg:6:11: the line ends too early
        Det ~>
              ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.pg:7:10: the line ends too early
        near(
             ^
  expected: a category or braces {A, B}
  found: the end of the line
  the bracket "(" in column 9 is not closed""",
    ),
    "a bracket that is not closed": (
        """\
leaves: Det, N
NP:
    uniq {Det, N
    N =>
VP:
    uniq N[number
""",
        """\
g.pg:3:17: the line ends too early
        uniq {Det, N
                    ^
  expected: "," or "}"
  found: the end of the line
  the bracket "{" in column 10 is not closed
g.pg:4:9: the line ends too early
        N =>
            ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.pg:6:18: the line ends too early
        uniq N[number
                     ^
  expected: ",", "]", "|", "=" or "!="
  found: the end of the line
  the bracket "[" in column 11 is not closed""",
    ),
    "a bracket too many": (
        """\
leaves: Det, N
NP:
    Det < N }
    Det + N ]
""",
        """\
g.pg:3:13: "}" does not fit here
        Det < N }
                ^
  expected: the end of the line, ";", "and", "cost", "hard", "if", "or" or "weight"
  found: "}"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.pg:4:13: "]" does not fit here
        Det + N ]
                ^
  expected: the end of the line, ";", "and", "cost", "hard", "if", "or" or "weight"
  found: "]"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "signs that the notation does not have": (
        """\
leaves: Det, N
NP:
    Det -> N
    Det → N
    Det ⊂ N
    Det << N
""",
        """\
g.pg:3:9: "-" does not fit here
        Det -> N
            ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "-"
  requirement is written "=>", dependency "~>"
g.pg:4:9: "→" does not fit here
        Det → N
            ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "→"
  requirement is written "=>" or ⇒, dependency "~>" or ⇝
g.pg:5:9: "⊂" does not fit here
        Det ⊂ N
            ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "⊂"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.pg:6:10: "<" does not fit here
        Det << N
             ^
  expected: a category or braces {A, B}
  found: "<"
  write immediate precedence as two properties: "A < B; A + B\"""",
    ),
    "a section misspelt, with a mistake in its first line": (
        """\
leaves: Det
lexikon:
    the Det
    a: Det
""",
        """\
g.pg:2:1: "lexikon" opens a construction, but the lines below it belong to "lexicon"
    lexikon:
    ^^^^^^^
  did you mean "lexicon:"?
g.pg:3:9: "Det" does not fit here
        the Det
            ^^^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "Det"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "keywords misspelt": (
        """\
leaves: Det, N
NP:
    obligg N
    unique N
    haed N
    cnst {N}
    inherits number
""",
        """\
g.pg:3:12: "N" does not fit here
        obligg N
               ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "N"
  did you mean "oblig"?
g.pg:4:12: "N" does not fit here
        unique N
               ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "N"
  did you mean "uniq"?
g.pg:5:10: "N" does not fit here
        haed N
             ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "N"
  did you mean "head"?
g.pg:6:10: "{" does not fit here
        cnst {N}
             ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "{"
  did you mean "const"?
g.pg:7:14: "number" does not fit here
        inherits number
                 ^^^^^^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "number"
  did you mean "inherit"?""",
    ),
    "a construction without colon": (
        """\
leaves: Det, N
NP
    Det < N
""",
        """\
g.pg:2:3: the line ends too early
    NP
      ^
  expected: a text in double quotes "...", ":" or "like"
  found: the end of the line
  did you mean "NP:"?""",
    ),
    "a property at the margin": (
        """\
leaves: A, B
A < B
""",
        """\
g.pg:2:3: "<" does not fit here
    A < B
      ^
  expected: a text in double quotes "...", ":" or "like"
  found: "<"
  indent a property below its construction, as in "NP:" and on the next line "    Det < N\"""",
    ),
    "a property at the margin below its construction": (
        """\
leaves: A, B
S:
    oblig A
A < B
    A => C
""",
        """\
g.pg:4:3: "<" does not fit here
    A < B
      ^
  expected: a text in double quotes "...", ":" or "like"
  found: "<"
  indent a property below its construction, as in "NP:" and on the next line "    Det < N"
g.pg:5:10: "C" is not a construction or a leaf
        A => C
             ^
  declare it with 'leaves: C' or give it a form with 'C:'""",
    ),
    "a line without a construction": (
        """\
    Det < N
""",
        """\
g.pg:1:5: an indented line must belong to a section or a construction
        Det < N
        ^
  begin one first, such as "NP:\"""",
    ),
    "a text without end": (
        """\
leaves: Det, N
NP "title:
    Det < N
    uniq "N
""",
        """\
g.pg:2:4: this text has no closing quote
    NP "title:
       ^
  expected: a text in double quotes "...", ":" or "like"
  found: an unpaired double quote
  a text ends with a double quote on the same line; inside it, write \\" for a quote and \\\\ for a backslash
g.pg:4:10: this text has no closing quote
        uniq "N
             ^
  expected: a category or braces {A, B}
  found: an unpaired double quote
  a text ends with a double quote on the same line; inside it, write \\" for a quote and \\\\ for a backslash""",
    ),
    "quotes of other kinds": (
        """\
leaves: Det, N
NP:
    Det < “N”
    Det < 'N'
""",
        """\
g.pg:3:11: "“" does not fit here
        Det < “N”
              ^
  expected: a category or braces {A, B}
  found: "“"
  put texts in double quotes: "..."
g.pg:4:11: "'" does not fit here
        Det < 'N'
              ^
  expected: a category or braces {A, B}
  found: "'"
  put texts in double quotes: "...\"""",
    ),
    "a no-break space": (
        """\
leaves: Det, N
NP:
    Det\xa0< N
""",
        """\
g.pg:3:8: the character U+00A0 (NO-BREAK SPACE) does not fit here
        Det�< N
           ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: the character U+00A0 (NO-BREAK SPACE)
  put an ordinary space there""",
    ),
    "a control character": (
        """\
leaves: Det, N
NP:
    Det\x1b< N
""",
        """\
g.pg:3:8: the character U+001B (a control character) does not fit here
        Det�< N
           ^
  expected: a relation (< + => x ~>), "=" or "from"
  found: the character U+001B (a control character)
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "not text at all": (
        "\x00\x01\x02",
        """\
g.pg:1:1: the character U+0000 (a control character) does not fit here
    ���
    ^
  expected: a setting, a section or a construction
  found: the character U+0000 (a control character)
  an unindented line is a setting ("language: en"), a section ("lexicon:") or a construction ("NP:")""",
    ),
    "a text where none is expected": (
        """\
leaves: Det, N
NP:
    Det < "N" "gloss" "x"
""",
        """\
g.pg:3:23: "x" does not fit here
        Det < "N" "gloss" "x"
                          ^^^
  expected: the end of the line or ";"
  found: "x"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "names that need quotes": (
        """\
leaves: Det, N
NP:
    uniq PRP$
    uniq 1N
    uniq ,
""",
        """\
g.pg:3:13: "$" does not fit here
        uniq PRP$
                ^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: "$"
  put names with other characters than letters, digits, _ and - in quotes: "PRP$"
g.pg:4:10: "1" does not fit here
        uniq 1N
             ^
  expected: a category or braces {A, B}
  found: "1"
  put a name that starts with a digit in quotes: "1N"
g.pg:5:10: "," does not fit here
        uniq ,
             ^
  expected: a category or braces {A, B}
  found: ","
  write "uniq N" or "uniq {Det, N}\"""",
    ),
    "a comma between properties": (
        """\
leaves: Det, N
NP:
    Det < N, Det + N
""",
        """\
g.pg:3:12: "," does not fit here
        Det < N, Det + N
               ^
  expected: the end of the line, ";", "and", "cost", "hard", "if", "or" or "weight"
  found: ","
  put several operands in braces: {A, B}; separate properties with ";\"""",
    ),
    "words behind a property": (
        """\
leaves: Det, N
NP: uniq N cost 2 hard soft
""",
        """\
g.pg:2:24: "soft" does not fit here
    NP: uniq N cost 2 hard soft
                           ^^^^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: "soft"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "tabs keep the caret in its place": (
        """\
leaves: Det, N
NP:
\tDet <\t< N
""",
        """\
g.pg:3:8: "<" does not fit here
    \tDet <\t< N
    \t     \t^
  expected: a category or braces {A, B}
  found: "<"
  write immediate precedence as two properties: "A < B; A + B\"""",
    ),
    "the carriage return is no part of the line": (
        """\
leaves: Det, N\r
NP:\r
    Det <\r
""",
        """\
g.pg:3:10: the line ends too early
        Det <
             ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "numbers": (
        """\
leaves: N
NP:
    uniq N weight NaN
    oblig N cost -1
    N => N weight 1e10
    N + N weight -1
    N < N cost inf
    N x N weight -1 cost 1
""",
        """\
g.pg:3:19: "NaN" does not fit here
        uniq N weight NaN
                      ^^^
  expected: a number
  found: "NaN"
  write "uniq N" or "uniq {Det, N}"
g.pg:4:18: "-1" is not a number between 0 and 1000000000
        oblig N cost -1
                     ^^
g.pg:5:19: "1e10" is not a number between -1000000000 and 1000000000
        N => N weight 1e10
                      ^^^^
g.pg:6:18: a cost must not be negative
        N + N weight -1
                     ^^
  a negative weight needs a stated cost: "weight -1 cost 1"
g.pg:7:16: "inf" does not fit here
        N < N cost inf
                   ^^^
  expected: a number
  found: "inf"
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "strengths": (
        """\
leaves: N
NP:
    uniq N weight 1 weight 2
    all linearity
    all linerity weight 2
    all < cost 2
    all linearity cost 3
""",
        """\
g.pg:3:21: "weight" appears twice
        uniq N weight 1 weight 2
                        ^^^^^^
  remove one of the two
g.pg:4:18: the line ends too early
        all linearity
                     ^
  expected: "cost", "hard" or "weight"
  found: the end of the line
  write "all linearity weight 2 cost 3"
g.pg:5:9: "linerity" is not a relation
        all linerity weight 2
            ^^^^^^^^
  did you mean "linearity"?
g.pg:7:9: "all linearity" is set twice, first in line 6
        all linearity cost 3
            ^^^^^^^^^
  put them in one line""",
    ),
    "names that are not declared": (
        """\
leaves: Det, N
roots: S
NP:
    Determiner < N
    Nn < N
    head Noun
    const {Dett, N}
""",
        """\
g.pg:2:8: "S" is not a construction or a leaf
    roots: S
           ^
  declare it with 'leaves: S' or give it a form with 'S:'
g.pg:4:5: "Determiner" is not a construction or a leaf
        Determiner < N
        ^^^^^^^^^^
  declare it with 'leaves: Determiner' or give it a form with 'Determiner:'
g.pg:5:5: "Nn" is not a construction or a leaf
        Nn < N
        ^^
  did you mean "N"? else declare it with 'leaves: Nn' or give it a form with 'Nn:'
g.pg:6:10: "Noun" is not a construction or a leaf
        head Noun
             ^^^^
  declare it with 'leaves: Noun' or give it a form with 'Noun:'
g.pg:7:12: "Dett" is not a construction or a leaf
        const {Dett, N}
               ^^^^
  did you mean "Det"? else declare it with 'leaves: Dett' or give it a form with 'Dett:'""",
    ),
    "a construction twice": (
        """\
leaves: Det, N
leaves: PP[x=y]
NP:
    uniq N
NP:
    uniq N
Det: uniq N
""",
        """\
g.pg:1:9: "Det" is a leaf, but also a construction in line 7
    leaves: Det, N
            ^^^
  remove one of the two
g.pg:2:9: "leaves" takes no features
    leaves: PP[x=y]
            ^^
  features of words belong in the lexicon
g.pg:5:1: construction "NP" is defined twice, first in line 3
    NP:
    ^^
  put all its properties in one place
g.pg:6:5: this property is already stated in line 4
        uniq N
        ^^^^^^
  remove one of the two""",
    ),
    "features": (
        """\
leaves: Det, N
features:
    number sg, pl
    gender: m, m
    gender: m, f
    person:
NP:
    uniq N[gendr=m]
    N + N[gender=mm]
    N < N[gender]
    N => N[foo]
    N x N[gender=m, gender=f]
    case = nom
    inherit number, case
""",
        """\
g.pg:3:12: "sg" does not fit here
        number sg, pl
               ^^
  expected: ":"
  found: "sg"
  write a feature like "number: sg, pl"
g.pg:4:16: value "m" of feature "gender" appears twice
        gender: m, m
                   ^
  remove one of the two
g.pg:5:5: feature "gender" is declared twice, first in line 4
        gender: m, f
        ^^^^^^
  put all its values in one line
g.pg:6:12: the line ends too early
        person:
               ^
  expected: a name, a number or a text in double quotes "..."
  found: the end of the line
  write a feature like "number: sg, pl"
g.pg:8:12: "gendr" is not a feature
        uniq N[gendr=m]
               ^^^^^
  did you mean "gender"? else declare it under "features:", as in "gendr: value, value"
g.pg:9:18: "mm" is not a value of gender
        N + N[gender=mm]
                     ^^
  did you mean "m"?
g.pg:10:11: feature "gender" has no value here
        N < N[gender]
              ^^^^^^
  write gender=m; only ~> and relations with agree() take features without values
g.pg:11:12: "foo" is not a value of any feature
        N => N[foo]
               ^^^
  declare it under "features:", as in "number: sg, pl"
g.pg:12:21: feature "gender" appears twice
        N x N[gender=m, gender=f]
                        ^^^^^^
  write alternatives as gender=m|f
g.pg:12:28: "f" is not a value of gender
        N x N[gender=m, gender=f]
                               ^
  the values of gender are: m
g.pg:13:5: "case" is not a feature
        case = nom
        ^^^^
  declare it under "features:", as in "case: value, value"
g.pg:14:21: "case" is not a feature
        inherit number, case
                        ^^^^
  declare it under "features:", as in "case: value, value\"""",
    ),
    "features to share": (
        """\
leaves: Det, N
features: number: sg, pl; size: sg, big
NP:
    Det ~> N [numbr]
    Det < N [number]
    Det < N[sg]
    Det ~> N[number]
    Det ~> N[size]
    {Det, N} ~> N [number]
    Det ~> N [big] [number=sg]
""",
        """\
g.pg:4:15: "numbr" is not a feature
        Det ~> N [numbr]
                  ^^^^^
  did you mean "number"? else declare it under "features:", as in "numbr: value, value"
g.pg:5:14: feature "number" has no value here
        Det < N [number]
                 ^^^^^^
  write number=sg|pl; only ~> and relations with agree() take features without values
g.pg:6:13: "sg" is a value of several features
        Det < N[sg]
                ^^
  write number=sg or size=sg
g.pg:9:6: this property is already stated in line 7
        {Det, N} ~> N [number]
         ^^^^^^^^^^^^
  remove one of the two
g.pg:10:21: features to compare are written without values
        Det ~> N [big] [number=sg]
                        ^^^^^^
  write [number]""",
    ),
    "a property twice": (
        """\
leaves: Det, N
NP:
    Det < N
    Det < N weight 2
    {Det, Det} + N
""",
        """\
g.pg:4:5: this property is already stated in line 3
        Det < N weight 2
        ^^^^^^^
  remove one of the two
g.pg:5:6: this property is already stated in line 5
        {Det, Det} + N
         ^^^^^^^^^^^^^
  remove one of the two""",
    ),
    "operands that a relation does not take": (
        """\
leaves: Det, N
NP:
    Det & N < N
    Det | N => N
    foo(Det, N)
    linearity(Det)
    uniq(Det, N)
""",
        """\
g.pg:3:11: "linearity" takes no joint operand "&"
        Det & N < N
              ^
  write two properties, or use braces: {A, B}
g.pg:4:11: "requirement" takes no alternatives "|" on this side
        Det | N => N
              ^
  write two properties, or use braces: {A, B}
g.pg:5:5: "foo" is not a relation
        foo(Det, N)
        ^^^
  the relations are: obligation, uniqueness, linearity, adjacency, near, requirement, exclusion, dependency, \
wildcard
g.pg:6:5: "linearity" takes 2 operands, found 1
        linearity(Det)
        ^^^^^^^^^
  write it like "B < C"
g.pg:7:9: "(" does not fit here
        uniq(Det, N)
            ^
  expected: a category or braces {A, B}
  found: "("
  write alternatives without brackets: "uniq N | PN", "oblig N | PN\"""",
    ),
    "settings": (
        """\
grammar: a
grammar: b
language: a, b
version 3
unary_limit: 0
unary_limit: x
fragment_cost: -3
node_cost: many
include: shared.pg
""",
        """\
g.pg:2:1: "grammar" is set twice, first in line 1
    grammar: b
    ^^^^^^^
  remove one of the two
g.pg:3:1: "language" takes one value, found 2
    language: a, b
    ^^^^^^^^
  put a text with commas in "..."
g.pg:4:9: "3" does not fit here
    version 3
            ^
  expected: ":"
  found: "3"
  an unindented line is a setting ("language: en"), a section ("lexicon:") or a construction ("NP:")
g.pg:5:14: "0" is not a whole number from 1 to 10,000
    unary_limit: 0
                 ^
g.pg:6:1: "unary_limit" is set twice, first in line 5
    unary_limit: x
    ^^^^^^^^^^^
  remove one of the two
g.pg:7:16: "-3" is not a number between 0 and 1000000000
    fragment_cost: -3
                   ^^
g.pg:8:12: "many" is not a number between 0 and 1000000000
    node_cost: many
               ^^^^
g.pg:9:16: "." does not fit here
    include: shared.pg
                   ^
  expected: the end of the line or ","
  found: "."
  put the name of a file in double quotes: "shared.pg\"""",
    ),
    "parts of a construction": (
        """\
leaves: N
NP:
    head N
    head N
    head
    number from
    number = pl if
    const {}
""",
        """\
g.pg:4:10: "head" appears twice in one construction, first in line 3
        head N
             ^
  put everything in one line
g.pg:5:9: the line ends too early
        head
            ^
  expected: a category
  found: the end of the line
  write "head N, Pro"
g.pg:6:16: the line ends too early
        number from
                   ^
  expected: a category
  found: the end of the line
  write a feature rule like "number = pl", "number = pl if Conj & no N" or "number from Det, N"
g.pg:7:19: the line ends too early
        number = pl if
                      ^
  expected: a category, braces {A, B}, "(", "no" or "not"
  found: the end of the line
  write a feature rule like "number = pl", "number = pl if Conj & no N" or "number from Det, N"
g.pg:8:12: "}" does not fit here
        const {}
               ^
  expected: a category
  found: "}"
  write "const {Det, N}\"""",
    ),
    "relations of one's own": (
        """\
leaves: N
relation after(B, C) for each B, D: index(B) > index(C)
relation twice(B, B): count(B) = 1
relation linearity(B): true
relation q(B): B.number = sg
relation q2(B): indx(B) < 3
relation head(B) for each B: true
    monotone yes
    symmetric maybe
    says hello
NP:
    q2(N)
""",
        """\
g.pg:2:34: "D" is not a parameter
    relation after(B, C) for each B, D: index(B) > index(C)
                                     ^
  the parameters are: B, C
g.pg:2:54: "C" must be matched by one daughter here
    relation after(B, C) for each B, D: index(B) > index(C)
                                                         ^
  write "for each B, D, C"
g.pg:3:19: parameter "B" appears twice
    relation twice(B, B): count(B) = 1
                      ^
g.pg:4:10: there is already a relation "linearity"
    relation linearity(B): true
             ^^^^^^^^^
  choose another name
g.pg:5:16: "B" must be matched by one daughter here
    relation q(B): B.number = sg
                   ^
  write "for each B"
g.pg:5:18: "number" is not a feature
    relation q(B): B.number = sg
                     ^^^^^^
  declare it under "features:", as in "number: value, value"
g.pg:6:21: "(" does not fit here
    relation q2(B): indx(B) < 3
                        ^
  expected: "."
  found: "("
  did you mean "index"?
g.pg:7:10: "head" cannot be the name of a relation
    relation head(B) for each B: true
             ^^^^
  choose a name of letters and digits that is not a keyword
g.pg:8:5: "monotone" does not fit here
        monotone yes
        ^^^^^^^^
  expected: "but", "monotonic", "says" or "symmetric"
  found: "monotone"
  did you mean "monotonic"?
g.pg:9:15: "maybe" does not fit here
        symmetric maybe
                  ^^^^^
  expected: "no" or "yes"
  found: "maybe"
  describe a relation with "monotonic yes", "symmetric yes" or says "..."
g.pg:10:10: "hello" does not fit here
        says hello
             ^^^^^
  expected: a text in double quotes "..."
  found: "hello"
  describe a relation with "monotonic yes", "symmetric yes" or says "...\"""",
    ),
    "counts": (
        """\
relation few(B) for each B: count(B) <= 2.5
relation fewer(B): count(B) <= 1e999
relation fewest(B): count(B) <= -1
relation most(B): count(B) =< 2 or least(B) = 1
relation least(B): least(B) = 1
""",
        """\
g.pg:1:41: "2.5" does not fit here
    relation few(B) for each B: count(B) <= 2.5
                                            ^^^
  expected: a whole number
  found: "2.5"
  write "relation before(B, C) for each B, C: index(B) < index(C)"
g.pg:2:32: "1e999" does not fit here
    relation fewer(B): count(B) <= 1e999
                                   ^^^^^
  expected: a whole number
  found: "1e999"
  put a name that starts with a digit in quotes: "1N"
g.pg:3:33: "-1" does not fit here
    relation fewest(B): count(B) <= -1
                                    ^^
  expected: a whole number
  found: "-1"
  write "relation before(B, C) for each B, C: index(B) < index(C)"
g.pg:4:29: "<" does not fit here
    relation most(B): count(B) =< 2 or least(B) = 1
                                ^
  expected: a whole number
  found: "<"
  a comparison is written "<=" or ">="
g.pg:5:25: "(" does not fit here
    relation least(B): least(B) = 1
                            ^
  expected: "."
  found: "("
  did you mean "last"?""",
    ),
    "a relation that cannot be read": (
        """\
leaves: N
relation side(B: true
    monotonic yes
NP:
    side(N)
""",
        """\
g.pg:2:16: ":" does not fit here
    relation side(B: true
                   ^
  expected: "," or ")"
  found: ":"
  the bracket "(" in column 14 is not closed""",
    ),
    "an expression too deep": (
        "relation deep(B): " + "not " * 60 + "true\n",
        "g.pg:1:1: this is nested more than 50 levels deep\n    relation deep(B): "
        + "not " * 60
        + "true\n    ^\n  split it into several relations",
    ),
    "a leaf that appears twice": (
        """\
leaves: Det, N, N
leaves: Det
""",
        """\
g.pg:1:17: leaf "N" appears twice
    leaves: Det, N, N
                    ^
  remove one of the two""",
    ),
    "a name in other letters": (
        """\
leaves: N
np:
    uniq N
    n < N
""",
        """\
g.pg:4:5: "n" is not a construction or a leaf
        n < N
        ^
  did you mean "N"? else declare it with 'leaves: n' or give it a form with 'n:'""",
    ),
    "negations and brackets too deep": (
        "relation deep(B): " + "not (true and " * 26 + "true" + ")" * 26 + "\n",
        "g.pg:1:1: this is nested more than 50 levels deep\n    relation deep(B): "
        + "not (true and " * 26
        + "true"
        + ")" * 26
        + "\n    ^\n  split it into several relations",
    ),
    "the lexicon": (
        """\
leaves: N, V
lexicon:
    a N
    a:
    b: X, N
    c: N weight 0
    d: N weight -1
    e: N, V, N
    "": N
    f: Noun
    g: Noun
""",
        """\
g.pg:3:7: "N" does not fit here
        a N
          ^
  expected: ":" or ","
  found: "N"
  write an entry like "saw: V[tense=past], N"; a form may be in double quotes
g.pg:4:7: the line ends too early
        a:
          ^
  expected: a category
  found: the end of the line
  write an entry like "saw: V[tense=past], N"; a form may be in double quotes
g.pg:5:8: "X" is not a construction or a leaf
        b: X, N
           ^
  declare it with 'leaves: X' or give it a form with 'X:'
g.pg:6:17: the weight of a reading must be above 0, found "0"
        c: N weight 0
                    ^
  remove the reading, or give it a small weight such as 0.01
g.pg:7:17: "-1" is not a number between 0 and 1000000000
        d: N weight -1
                    ^^
g.pg:8:5: this reading of "e" appears twice
        e: N, V, N
        ^
  remove one of the two
g.pg:9:5: an entry needs a form
        "": N
        ^^
g.pg:10:8: "Noun" is not a construction or a leaf (2 readings have it)
        f: Noun
           ^^^^
  declare it with 'leaves: Noun' or give it a form with 'Noun:'""",
    ),
    "token rules": (
        """\
tokens:
    sufix "n't"
    suffix
    suffix ""
    rewrite "a"
    rewrite a: "b c"
    rewrite b: "c", "d"; rewrite b: "c", "d"; rewrite b: "d"
""",
        """\
g.pg:2:5: "sufix" does not fit here
        sufix "n't"
        ^^^^^
  expected: "prefix", "rewrite", "segment" or "suffix"
  found: "sufix"
  did you mean "suffix"?
g.pg:3:11: the line ends too early
        suffix
              ^
  expected: a name, a number or a text in double quotes "..."
  found: the end of the line
  write suffix "n't", "'s" or suffix "lo" after {Inf, Imp}
g.pg:4:12: "" is not a token
        suffix ""
               ^^
  write its letters between the quotes
g.pg:5:16: the line ends too early
        rewrite "a"
                   ^
  expected: ":"
  found: the end of the line
  write rewrite "won't": "will", "n't"
g.pg:6:16: "b c" is not a token
        rewrite a: "b c"
                   ^^^^^
  write several tokens one by one: rewrite "won't": "will", "n't"
g.pg:7:55: "b" is rewritten twice, first in line 7
        rewrite b: "c", "d"; rewrite b: "c", "d"; rewrite b: "d"
                                                          ^
  remove one of the two""",
    ),
    "spelling rules": (
        """\
leaves: N
features: onset: v, c
spelling:
    "h*": [onset=c]
    "[aeiou]*" N[onset=v]
    "*": {N, M}[onset=x]
    "x*": N
""",
        """\
g.pg:4:11: "[" does not fit here
        "h*": [onset=c]
              ^
  expected: a category or braces {A, B}
  found: "["
  write a rule like "[aeiou]*": {N, Adj}[onset=v]
g.pg:5:16: "N" does not fit here
        "[aeiou]*" N[onset=v]
                   ^
  expected: ":" or ","
  found: "N"
  write a rule like "[aeiou]*": {N, Adj}[onset=v]
g.pg:6:14: "M" is not a construction or a leaf
        "*": {N, M}[onset=x]
                 ^
  declare it with 'leaves: M' or give it a form with 'M:'
g.pg:6:23: "x" is not a value of onset
        "*": {N, M}[onset=x]
                          ^
  the values of onset are: v, c
g.pg:7:11: "N" has no features here
        "x*": N
              ^
  write the features of such words in brackets, as in N[number=sg]""",
    ),
    "what would be lost": (
        """\
leaves: N, V
features:
    number: sg, pl
spelling:
    "h*": N[number=sg], N[number=pl]
NP:
    uniq N[number=sg|pl]
    uniq N[number=pl|sg]
lexicon:
    a: N[number=sg|pl], V, N[number=pl|sg]
""",
        """\
g.pg:5:25: "N" appears twice in one rule
        "h*": N[number=sg], N[number=pl]
                            ^
  write all its features in one bracket, as in N[number=sg, kind=common]
g.pg:8:5: this property is already stated in line 7
        uniq N[number=pl|sg]
        ^^^^^^
  remove one of the two
g.pg:10:5: this reading of "a" appears twice
        a: N[number=sg|pl], V, N[number=pl|sg]
        ^
  remove one of the two""",
    ),
    "guess rules": (
        """\
leaves: N
guess:
    *ing: N
    "*" N
    "*": M
""",
        """\
g.pg:3:5: "*" does not fit here
        *ing: N
        ^
  expected: a name, a number or a text in double quotes "..."
  found: "*"
  put names with other characters than letters, digits, _ and - in quotes: "PRP$"
g.pg:4:9: "N" does not fit here
        "*" N
            ^
  expected: ":" or ","
  found: "N"
  write a rule like "*ing": V[form=ing] weight 2, N
g.pg:5:10: "M" is not a construction or a leaf
        "*": M
             ^
  declare it with 'leaves: M' or give it a form with 'M:'""",
    ),
    "what goes on behind a property": (
        """\
leaves: A, B, C
S:
    A < B ≺ C
    A + B weight 1,5
""",
        """\
g.pg:3:11: "≺" does not fit here
        A < B ≺ C
              ^
  expected: the end of the line, ";", "and", "cost", "hard", "if", "or" or "weight"
  found: "≺"
  a property has two sides; write several properties: "A < B; B < C"
g.pg:4:19: "," does not fit here
        A + B weight 1,5
                      ^
  expected: the end of the line, ";", "cost", "hard", "if" or "weight"
  found: ","
  write decimals with a point: 1.5""",
    ),
    "words and signs of other notations": (
        """\
leaves: A, B
S:
    A precedes B
    A exclude B
    A needs B
    A < B  // a comment
lexicon:
    a: A(number=sg)
    b: B[number:sg]
""",
        """\
g.pg:3:7: "precedes" does not fit here
        A precedes B
          ^^^^^^^^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "precedes"
  order is written "A < B"
g.pg:4:7: "exclude" does not fit here
        A exclude B
          ^^^^^^^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "exclude"
  exclusion is written "A x B" or "A excludes B"
g.pg:5:7: "needs" does not fit here
        A needs B
          ^^^^^
  expected: a relation (< + => x ~>), "=" or "from"
  found: "needs"
  requirement is written "A => B" or "A requires B"
g.pg:6:12: "/" does not fit here
        A < B  // a comment
               ^
  expected: the end of the line, ";", "and", "cost", "hard", "if", "or" or "weight"
  found: "/"
  a comment begins with "#"
g.pg:8:16: "=" does not fit here
        a: A(number=sg)
                   ^
  expected: ",", ")" or "|"
  found: "="
  write features in square brackets: N[number=sg]
g.pg:9:16: ":" does not fit here
        b: B[number:sg]
                   ^
  expected: ",", "]", "|", "=" or "!="
  found: ":"
  write features in square brackets: N[number=sg]""",
    ),
    "the semantics": (
        """\
semantics:
    obligaton: exactly-one
    obligation: exactly-two
    counting instance
    missing: clashes
    missing: unifies
    order: free
""",
        """\
g.pg:2:5: "obligaton" is not a switch of the semantics
        obligaton: exactly-one
        ^^^^^^^^^
  did you mean "obligation"?
g.pg:3:17: "exactly-two" is not a choice for obligation
        obligation: exactly-two
                    ^^^^^^^^^^^
  did you mean "exactly-one"?
g.pg:4:14: "instance" does not fit here
        counting instance
                 ^^^^^^^^
  expected: ":"
  found: "instance"
  write a switch like "obligation: exactly-one"
g.pg:6:5: "missing" is set twice, first in line 5
        missing: unifies
        ^^^^^^^
  remove one of the two
g.pg:7:5: "order" is not a switch of the semantics
        order: free
        ^^^^^
  the switches are: obligation, counting, uniqueness, exclusion, missing, termination, trigger, profile""",
    ),
}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("uniq 2 N", 'limit a number with a condition: "count(N) <= 2"'),
        ("no V", 'forbid a daughter with a condition: "count(V) = 0"'),
        ("N[not number] => V", "for a missing feature write [no number]"),
        (
            "number = sg if N.number = pl",
            "a condition names daughters, with features in brackets: N[number=sg]",
        ),
        ("V ~> N [number as gender]", 'compare two different features with a condition: "Det.number = N.gender"'),
        ("N => V < N", 'to make it depend on N, write "V < N if N"'),
        (
            "V[number=NP.number] => N",
            'two operands share a value through a variable, "A[f=$x] => B[f=$x]"; for agreement with the phrase itself '
            'write "A ~> mother [f]"',
        ),
    ],
)
def test_what_the_literature_suggests_is_told_as_it_is_written_here(line: str, hint: str) -> None:
    text = f"leaves: N, V\nfeatures:\n    number: sg, pl\nNP:\n    uniq N\n    {line}\n"
    assert messages(text, "g.pg").splitlines()[-1] == f"  {hint}"


def test_a_packaged_grammar_that_is_included_as_a_file_is_meant(tmp_path: Path) -> None:
    (tmp_path / "mine.pg").write_text('include: "english.pg"\n', encoding="utf-8")
    with pytest.raises(GrammarError, match='did you mean "english"'):
        load_grammar(tmp_path / "mine.pg")


def test_a_supertype_behind_the_colon_is_told_as_it_is_written_here() -> None:
    text = "leaves: N\nNP:\n    uniq N\nSubjNP: NP\n"
    assert messages(text, "g.pg").splitlines()[-1] == (
        '  to take over what another construction states, write "SubjNP like NP:"'
    )


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_notation(name: str) -> None:
    text, expected = MISTAKES[name]
    assert messages(text, "g.pg") == expected


@pytest.mark.parametrize(
    ("begin", "more", "size"), [("NP:\n    oblig ", "(", 5_000), ("leaves: N\nlexicon:\n", "    (a: N\n", 200)]
)
def test_brackets_that_are_not_closed_are_looked_for_once(begin: str, more: str, size: int) -> None:
    """Eight times as many take some eight times as long; where each is looked for from the beginning, 64 times."""
    assert growth(lambda number: messages(begin + more * number, "g.pg"), size) < 24


def test_so_many_names_are_compared_with_unknown_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty thousand misspelt names of twenty thousand took minutes."""
    monkeypatch.setattr(errors, "MAX_COMPARED", 3)
    with errors.comparing():
        assert [errors.nearest("hed", ["head", "heads"]) for _ in range(3)] == ["head", "head", ""]
    assert errors.nearest("hed", ["head", "heads"]) == "head"


def test_a_long_line_with_a_mistake_takes_linear_time() -> None:
    """The patterns of hints look for a name before the mistake at each place."""
    begin = "leaves: A\nS:\n    oblig A"
    assert "does not fit here" in messages(f"{begin}{chr(39)}s A", "g.pg")
    assert growth(lambda number: messages(f"{begin}{(chr(39) + 's') * number} A", "g.pg"), 700) < 24
