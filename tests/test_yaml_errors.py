"""Bad grammars in YAML: the whole message for each.

Each message has a place, the mistake, what was expected and found, and a remedy; one run reports all mistakes.
"""

from __future__ import annotations

import pytest

from numbat import GrammarError, parse_grammar
from tests.growth import growth


def messages(text: str, path: str) -> str:
    """The whole message for a bad grammar."""
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, path)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    return str(caught.value)


MISTAKES = {
    "relations where keys stand": (
        """\
leaves: [N, Det]
constructions:
  NP:
    properties:
      obligation: [N]
  PP:
    linearity: ["Det < N"]
    properties:
      - linearity: [Det, N]
linearity: ["Det < N"]
""",
        """\
g.yaml:5:7: a mapping does not fit here
          obligation: [N]
          ^
  expected: a list ([a, b], or one item per line after a dash)
  found: a mapping
  write the properties as a list of texts: properties: ["oblig N", "Det < N"]
g.yaml:7:5: "linearity" is not a key here
        linearity: ["Det < N"]
        ^^^^^^^^^
  write the properties as a list of texts: properties: ["oblig N", "Det < N"]
g.yaml:9:9: "linearity" is not a key here
          - linearity: [Det, N]
            ^^^^^^^^^
  a property needs "relation" and "operands", or is a text in the notation: "Det < N"
g.yaml:10:1: "linearity" is not a key here
    linearity: ["Det < N"]
    ^^^^^^^^^
  put constructions under the key "constructions", and their properties under "properties" in each""",
    ),
    "keys twice": (
        """\
grammar: a
grammar: b
leaves: [N]
constructions:
  NP: {properties: [uniq N]}
  NP: {properties: [uniq N]}
lexicon:
  the: N
  the: N
""",
        """\
g.yaml:2:1: key "grammar" appears twice, first in line 1
    grammar: b
    ^^^^^^^
  join the two, or remove one
g.yaml:6:3: key "NP" appears twice, first in line 5
      NP: {properties: [uniq N]}
      ^^
  join the two, or remove one
g.yaml:9:3: key "the" appears twice, first in line 8
      the: N
      ^^^
  join the two, or remove one""",
    ),
    "a construction at the margin, its properties without dashes": (
        """\
leaves: [Det, N]
NP:
  oblig N
  Det < N
""",
        """\
g.yaml:2:1: "NP" is not a key here
    NP:
    ^^
  put constructions under the key "constructions", and their properties under "properties" in each""",
    ),
    "properties right below a construction": (
        """\
leaves: [Det, N]
constructions:
  NP:
    - oblig M
""",
        """\
g.yaml:4:5: a list does not fit here
        - oblig M
        ^
  expected: a mapping (key: value)
  found: a list
  put properties under the key "properties" of the construction""",
    ),
    "constructions with dashes": (
        """\
leaves: [Det, N]
constructions:
  - NP:
      properties: [oblig N]
""",
        """\
g.yaml:3:3: a list does not fit here
      - NP:
      ^
  expected: a mapping (key: value)
  found: a list
  a construction is a key, without a dash: "NP:\"""",
    ),
    "braces at the beginning of a property": (
        """\
constructions:
  NP:
    properties:
      - {Det, N} => N
""",
        """\
g.yaml:4:18: this is not valid YAML: expected <block end>, but found '<scalar>'
          - {Det, N} => N
                     ^
  a text that begins with a bracket needs quotes around all of it: "{Det, N} < V\"""",
    ),
    "an asterisk": (
        """\
leaves: [Det, N]
source: *the cat sleeps
""",
        """\
g.yaml:2:9: this is not valid YAML: found undefined alias 'the'
    source: *the cat sleeps
            ^
  a text that starts with * & ! % @ ` | or > needs quotes: "*the cat\"""",
    ),
    "a quotation mark that is not closed": (
        """\
leaves: [Det, N]
constructions:
  NP: {properties: ["uniq N, oblig N]}
""",
        """\
g.yaml:3:21: this is not valid YAML: found unexpected end of stream
      NP: {properties: ["uniq N, oblig N]}
                        ^
  the quotation mark that opens here is not closed""",
    ),
    "a tab": (
        """\
leaves: [Det, N]
constructions:
\tNP:
""",
        """\
g.yaml:3:1: this is not valid YAML: found character '\\t' that cannot start any token
    \tNP:
    ^
  indent YAML with spaces, not with tabs""",
    ),
    "indentation": (
        """\
leaves: [Det, N]
constructions:
  NP:
    properties:
    - Det < N
   - N => Det
""",
        """\
g.yaml:6:4: this is not valid YAML: expected <block end>, but found '<block sequence start>'
       - N => Det
       ^
  the items of a list and the keys of a mapping begin in the same column""",
    ),
    "quotes around a piece of a text": (
        """\
tokens:
- rewrite "du": "de", "le"
""",
        """\
g.yaml:2:21: this is not valid YAML: expected <block end>, but found ','
    - rewrite "du": "de", "le"
                        ^
  a text that continues after a quoted part needs quotes around all of it: 'suffix "a", "b"'""",
    ),
    "a list that is not closed": (
        """\
leaves: [Det, N
grammar: a
""",
        """\
g.yaml:2:8: this is not valid YAML: expected ',' or ']', but got ':'
    grammar: a
           ^
  a list [a, b] is not closed, or a text with brackets in it needs quotes: ["N[number=sg]"]""",
    ),
    "a text with a colon": (
        """\
leaves: [N]
lexicon:
  the: N: x
""",
        """\
g.yaml:3:9: this is not valid YAML: mapping values are not allowed here
      the: N: x
            ^
  a text with ": " in it needs quotes: "the: cat\"""",
    ),
    "a text with brackets": (
        """\
leaves: [N]
roots: [N[number=sg]]
""",
        """\
g.yaml:2:10: this is not valid YAML: expected ',' or ']', but got '['
    roots: [N[number=sg]]
             ^
  a list [a, b] is not closed, or a text with brackets in it needs quotes: ["N[number=sg]"]""",
    ),
    "two documents": (
        """\
grammar: a
---
grammar: b
""",
        """\
g.yaml:2:1: this is not valid YAML: found another document
    ---
    ^
  a grammar is one document: remove the line "---\"""",
    ),
    "a control character": (
        """\
leaves: [N\x07]
""",
        """\
g.yaml:1:11: the character U+0007 is not allowed in YAML
    leaves: [N�]
              ^
  remove it""",
    ),
    "half a character": (
        """\
leaves: "\\ud800"
""",
        """\
g.yaml:1:9: U+D800 is half a character
    leaves: "\\ud800"
            ^^^^^^^^
  write the character itself""",
    ),
    "too deep": (
        "[" * 3000,
        "g.yaml: this is nested too deeply\n"
        "  remove brackets or indentation: a grammar needs no more than lists in mappings in mappings",
    ),
    "not a mapping": (
        """\
- a
- b
""",
        """\
g.yaml:1:1: a list does not fit here
    - a
    ^
  expected: a mapping (key: value)
  found: a list""",
    ),
    "kinds of nodes": (
        """\
leaves: {a: [b]}
features: [number]
constructions: [NP]
lexicon: the
semantics: exactly-one
tokens: {a: b}
all: {x: y}
relations: x
? [a]
: b
""",
        """\
g.yaml:1:13: a list does not fit here
    leaves: {a: [b]}
                ^^^
  expected: a text
  found: a list
  a text with ": " or brackets in it needs quotes
g.yaml:2:11: a list does not fit here
    features: [number]
              ^^^^^^^^
  expected: a mapping (key: value)
  found: a list
g.yaml:3:16: a list does not fit here
    constructions: [NP]
                   ^^^^
  expected: a mapping (key: value)
  found: a list
  a construction is a key, without a dash: "NP:"
g.yaml:4:10: a text does not fit here
    lexicon: the
             ^^^
  expected: a mapping (key: value)
  found: a text
g.yaml:5:12: a text does not fit here
    semantics: exactly-one
               ^^^^^^^^^^^
  expected: a mapping (key: value)
  found: a text
g.yaml:6:9: a mapping does not fit here
    tokens: {a: b}
            ^^^^^^
  expected: a list ([a, b], or one item per line after a dash)
  found: a mapping
g.yaml:7:6: a mapping does not fit here
    all: {x: y}
         ^^^^^^
  expected: a list ([a, b], or one item per line after a dash)
  found: a mapping
g.yaml:8:12: a text does not fit here
    relations: x
               ^
  expected: a mapping (key: value)
  found: a text
g.yaml:9:3: a list does not fit here
    ? [a]
      ^^^
  expected: a text
  found: a list
  a text with ": " or brackets in it needs quotes""",
    ),
    "a relation without parameters": (
        """\
leaves: [N]
relations:
  own:
    parameters: []
    holds: count(B) != 3
  other:
    parameters: {A: B}
    holds: count(A) != 3
constructions:
  NP:
    properties: [own(N), other(N)]
""",
        """\
g.yaml:4:17: a relation needs parameters
        parameters: []
                    ^^
  write them like [A, B]
g.yaml:7:17: a mapping does not fit here
        parameters: {A: B}
                    ^^^^^^
  expected: a list ([a, b], or one item per line after a dash)
  found: a mapping""",
    ),
    "parts of a construction": (
        """\
leaves: [Det, N]
constructions:
  NP:
    propertys: [Det < N]
    head: {N: x}
    title: [a]
    const: [Det, [N]]
    inherit: [foo]
    values: [number = pl]
  VP: Det < N
""",
        """\
g.yaml:4:5: "propertys" is not a key here
        propertys: [Det < N]
        ^^^^^^^^^
  did you mean "properties"?
g.yaml:5:11: a mapping does not fit here
        head: {N: x}
              ^^^^^^
  expected: a list ([a, b], or one item per line after a dash)
  found: a mapping
g.yaml:6:12: a list does not fit here
        title: [a]
               ^^^
  expected: a text
  found: a list
  a text with ": " or brackets in it needs quotes
g.yaml:7:18: a list does not fit here
        const: [Det, [N]]
                     ^^^
  expected: a text
  found: a list
  a text with ": " or brackets in it needs quotes
g.yaml:8:15: "foo" is not a feature
        inherit: [foo]
                  ^^^
  declare it under "features:", as in "foo: value, value"
g.yaml:9:14: "number" is not a feature
        values: [number = pl]
                 ^^^^^^
  declare it under "features:", as in "number: value, value"
g.yaml:10:7: a text does not fit here
      VP: Det < N
          ^^^^^^^
  expected: a mapping (key: value)
  found: a text""",
    ),
    "properties": (
        """\
leaves: [Det, N]
constructions:
  NP:
    properties:
      - Det <
      - [Det, N]
      - {relation: linearity}
      - {relation: linearity, operands: [Det, N], weight: NaN, hard: maybe}
      - {relation: linearty, operands: [Det, N]}
      - {relation: dependency, operands: [Det, N], features: [number]}
      - {relation: uniq, operands: [Det, N], cost: -1}
      - {relation: linearity, operand: [Det, N]}
      - Det < N: x
""",
        """\
g.yaml:5:14: the line ends too early
          - Det <
                 ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det"
g.yaml:6:9: a list does not fit here
          - [Det, N]
            ^^^^^^^^
  expected: a mapping (key: value)
  found: a list
g.yaml:7:9: "operands" is missing here
          - {relation: linearity}
            ^^^^^^^^^^^^^^^^^^^^^
  a property needs "relation" and "operands", or is a text in the notation: "Det < N"
g.yaml:8:59: "NaN" is not a number between -1000000000 and 1000000000
          - {relation: linearity, operands: [Det, N], weight: NaN, hard: maybe}
                                                              ^^^
g.yaml:8:70: "maybe" does not fit here
          - {relation: linearity, operands: [Det, N], weight: NaN, hard: maybe}
                                                                         ^^^^^
  expected: "yes" or "no"
  found: "maybe"
g.yaml:9:20: "linearty" is not a relation
          - {relation: linearty, operands: [Det, N]}
                       ^^^^^^^^
  did you mean "linearity"?
g.yaml:10:63: "number" is not a feature
          - {relation: dependency, operands: [Det, N], features: [number]}
                                                                  ^^^^^^
  declare it under "features:", as in "number: value, value"
g.yaml:11:20: "uniqueness" takes 1 operand, found 2
          - {relation: uniq, operands: [Det, N], cost: -1}
                       ^^^^
  write it like "uniq B"
g.yaml:12:31: "operand" is not a key here
          - {relation: linearity, operand: [Det, N]}
                                  ^^^^^^^
  did you mean "operands"?
g.yaml:13:9: "Det < N" is not a key here
          - Det < N: x
            ^^^^^^^
  the keys here are: relation, operands, features, weight, cost, hard, gloss, examples""",
    ),
    "a key without its colon": (
        "leaves: Det\nroots\nconstructions:\n  NP:\n    properties: [uniq Det]\n",
        """\
g.yaml:2:1: this is not valid YAML: could not find expected ':'
    roots
    ^
  a key ends with a colon: "NP:"; a text that continues on the next line needs quotes""",
    ),
    "a key without its colon above other keys": (
        "leaves: Det\nconstructions:\n  NP\n    properties: [uniq Det]\n",
        """\
g.yaml:4:15: this is not valid YAML: mapping values are not allowed here
        properties: [uniq Det]
                  ^
  the line before it is incomplete: a key ends with a colon, "NP:\"""",
    ),
    "constructions among the keys of the grammar": (
        """\
leaves: [Det, N]
roots: NP
NP:
  properties: [Det < N]
VP: [uniq N]
leafs: [V]
Foo: {a: b}
""",
        """\
g.yaml:3:1: "NP" is not a key here
    NP:
    ^^
  put constructions under the key "constructions", and their properties under "properties" in each
g.yaml:5:1: "VP" is not a key here
    VP: [uniq N]
    ^^
  put constructions under the key "constructions", and their properties under "properties" in each
g.yaml:6:1: "leafs" is not a key here
    leafs: [V]
    ^^^^^
  did you mean "leaves"?
g.yaml:7:1: "Foo" is not a key here
    Foo: {a: b}
    ^^^
  the keys here are: grammar, language, version, source, fragment_cost, node_cost, unary_limit, authors, include, \
lexicon_file, leaves, roots, tree_features, types, templates, features, marks, semantics, profiles, all, relations, \
constructions, tokens, lexicon, guess, names, spelling, override, without""",
    ),
    "names between commas": (
        """\
leaves: Det,, "N"
roots: S, NP X
features:
  number: sg, pl
  gender: "m, f"
constructions:
  NP: {properties: ["N[number=pl] < N[gender=m]"]}
""",
        """\
g.yaml:1:13: a name is missing next to a comma
    leaves: Det,, "N"
                ^
  a comma separates names; a name with a comma in it needs quotes: "$,"
g.yaml:2:14: "X" does not fit here
    roots: S, NP X
                 ^
  expected: the end of the line or ","
  found: "X"
g.yaml:7:46: "m" is not a value of gender
      NP: {properties: ["N[number=pl] < N[gender=m]"]}
                                                 ^
  the values of gender are: "m, f\"""",
    ),
    "lines of a text": (
        """\
leaves: [Det, N]
constructions:
  NP:
    properties: |
      Det < N

      # a comment
        Det ~>
""",
        """\
g.yaml:8:15: the line ends too early
            Det ~>
                  ^
  expected: a category or braces {A, B}
  found: the end of the line
  write a property like "Det < N", "uniq {Det, N}" or "N => Det\"""",
    ),
    "relations": (
        """\
leaves: [N]
all: [linearty weight 2, linearity wieght 2]
relations:
  near: {parameters: [B, C], each: [B, C], holds: adjacent(B C)}
  nearer: {parameters: [B, C]}
  "a b": {parameters: [B c], holds: "true"}
constructions:
  NP: {properties: ["near(N, N)"]}
""",
        """\
g.yaml:2:7: "linearty" is not a relation
    all: [linearty weight 2, linearity wieght 2]
          ^^^^^^^^
  did you mean "linearity"?
g.yaml:2:36: "wieght" does not fit here
    all: [linearty weight 2, linearity wieght 2]
                                       ^^^^^^
  expected: "cost", "hard" or "weight"
  found: "wieght"
  write "all linearity weight 2 cost 3"
g.yaml:4:62: "C" does not fit here
      near: {parameters: [B, C], each: [B, C], holds: adjacent(B C)}
                                                                 ^
  expected: ","
  found: "C"
  write an expression like "index(B) < index(C) and adjacent(B, C)"
g.yaml:5:11: "holds" is missing here
      nearer: {parameters: [B, C]}
              ^^^^^^^^^^^^^^^^^^^^
g.yaml:6:4: "a b" cannot be the name of a relation
      "a b": {parameters: [B c], holds: "true"}
       ^^^
  choose a name of letters and digits that is not a keyword
g.yaml:6:24: "B c" cannot be a parameter
      "a b": {parameters: [B c], holds: "true"}
                           ^^^
  choose a name of letters and digits""",
    ),
    "features and lexicon": (
        """\
leaves: [N]
features: {number: [], person: , gender: {m: [f]}}
lexicon:
  a: X
  b: N[foo]
  c: [N, {d: e}]
  d: N weight inf
  '': N
""",
        """\
g.yaml:2:12: a feature needs a name and values
    features: {number: [], person: , gender: {m: [f]}}
               ^^^^^^
  write it like "number: sg, pl"
g.yaml:2:24: a feature needs a name and values
    features: {number: [], person: , gender: {m: [f]}}
                           ^^^^^^
  write it like "number: sg, pl"
g.yaml:2:46: a list does not fit here
    features: {number: [], person: , gender: {m: [f]}}
                                                 ^^^
  expected: a text
  found: a list
  a text with ": " or brackets in it needs quotes
g.yaml:4:6: "X" is not a construction or a leaf
      a: X
         ^
  declare it with 'leaves: X' or give it a form with 'X:'
g.yaml:5:8: "foo" is not a value of any feature
      b: N[foo]
           ^^^
  declare it under "features:", as in "number: sg, pl"
g.yaml:6:10: a mapping does not fit here
      c: [N, {d: e}]
             ^^^^^^
  expected: a text
  found: a mapping
  a text with ": " or brackets in it needs quotes
g.yaml:7:15: "inf" does not fit here
      d: N weight inf
                  ^^^
  expected: a number
  found: "inf"
g.yaml:8:4: an entry needs a form
      '': N
       ^""",
    ),
    "numbers": (
        """\
unary_limit: 2.5
fragment_cost: 1e400
node_cost: .nan
""",
        """\
g.yaml:1:14: "2.5" is not a whole number from 1 to 10,000
    unary_limit: 2.5
                 ^^^
g.yaml:2:16: "1e400" is not a number between 0 and 1000000000
    fragment_cost: 1e400
                   ^^^^^
g.yaml:3:12: ".nan" is not a number between 0 and 1000000000
    node_cost: .nan
               ^^^^""",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_yaml(name: str) -> None:
    text, expected = MISTAKES[name]
    assert messages(text, "g.yaml") == expected


@pytest.mark.parametrize("path", ["g.yaml", "g.pg"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tree_features:",
            '"tree_features" names no feature\n    tree_features:\n    ^^^^^^^^^^^^^\n'
            "  name the features that trees show, or remove the line to show all",
        ),
        (
            "tree_features: tense, case\ntree_features: tense",
            'key "tree_features" appears twice, first in line 1\n    tree_features: tense\n    ^^^^^^^^^^^^^\n'
            "  join the two, or remove one",
        ),
    ],
)
def test_features_for_trees_in_both_notations(path: str, text: str, message: str) -> None:
    line = 1 + text.count("\n")
    found = messages(f"{text}\nleaves: N\nfeatures:\n  tense: past, pres\n  case: nom, acc\n", path)
    assert found == f"{path}:{line}:1: {message}"


def test_a_list_of_very_many_names() -> None:
    """Eight times the names take some eight times as long; where each was compared with all before it, 64 times."""

    def read(size: int) -> None:
        names = ", ".join(f'"N{i}"' for i in range(size))
        assert len(parse_grammar(f"leaves: A, {names}\n", "g.yaml").leaves) == size + 1

    assert growth(read, 1_000) < 24
