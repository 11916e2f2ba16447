"""Warnings of `numbat check`: the whole message of each, and a clean grammar without warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import parse_grammar
from numbat.authoring.checking import check_grammar, checked_line
from numbat.grammar import checks

CLEAN = """\
leaves: Det, N, V
roots: S
S:
    oblig V
    uniq {NP, V}
    NP < V
NP:
    const {Det, N}
    oblig N
    uniq {Det, N}
    Det < N
    N => Det
"""

DOUBTS = {
    "elided words that nothing cuts": (
        'leaves: Det, N\nX:\n    uniq N\n    Det < N\ntokens:\n    prefix "d’"\n    rewrite du: "c\'", le\n'
        'lexicon:\n    "l\'": Det; "d\'": Det; "c’": Det; "dogs\'": N; le: Det\n',
        """\
g.pg: warning: the lexicon has "l'", but no token rule cuts it from the word after it
  write 'prefix "l'"' below 'tokens:'""",
    ),
    "rules behind others": (
        "leaves: A\nfeatures: f: u, v\nX:\n    uniq A\n    f = u if A\n    f = v\n    f from A\nguess:\n"
        '    "*": A\n    "x*": A\nspelling:\n    "a*", "a*": A[f=u]\n',
        """\
g.pg: warning: guess: "x*" never applies: "*" before it matches the same words
  put it first, or remove it
g.pg: warning: spelling: "a*" never applies: "a*" before it matches the same words
  put it first, or remove it
g.pg:3:1: warning: X: f from A never applies: f = v before it always does
    X:
    ^
  put it first, or remove it""",
    ),
    "features that nothing has": (
        "leaves: Det, N, V\nroots: S\nfeatures: case: nom, acc; valency: two\nS:\n    uniq V\n    NP[case=nom] < V\n"
        "    NP[case=acc] x V\n    V[valency=two] => NP\nNP:\n    oblig N\n    Det[case=nom] < N\n    uniq N\n"
        "lexicon:\n    der: Det[case=nom]\n    Hund: N\n    bellt: V\n",
        """\
g.pg:6:5: warning: S: NP[case=nom] < V asks for case, but no NP has it
        NP[case=nom] < V
        ^^^^^^^^^^^^^^^^
  write "case from Det" in NP
g.pg:8:5: warning: S: V[valency=two] => NP asks for valency, but no V has it
        V[valency=two] => NP
        ^^^^^^^^^^^^^^^^^^^^
  give it to V in the lexicon""",
    ),
    "dependencies that compare nothing": (
        "leaves: Det, N, V\nroots: S\nfeatures: number: sg, pl; case: nom, acc\nS:\n    uniq {NP, V}\n"
        "    NP ~> V [case]\n    NP ~> V [case, number]\nNP:\n    head N; uniq {N, Det}\n    Det ~> N\n"
        "    N ~> Det [case]\nlexicon:\n"
        "    der: Det[case=nom, number=sg]\n    Hund: N[number=sg]\n    bellt: V[number=sg]\n",
        """\
g.pg:6:5: warning: S: NP ~> V [case] compares case, but neither NP nor V has it
        NP ~> V [case]
        ^^^^^^^
  write "case from Det" in NP
g.pg:10:5: warning: NP: Det ~> N names no features to compare
        Det ~> N
        ^^^^^^^^
  write them after it, as in "Det ~> N [number]"
g.pg:11:5: warning: NP: N ~> Det [case] compares case, but no N has it
        N ~> Det [case]
        ^^^^^^^^
  give it to N in the lexicon""",
    ),
    "values that nothing has": (
        "leaves: Det, N\nroots: NP[number=pl]\nfeatures: number: sg, pl; kind: c, p\nNP:\n    head N[number=pl], N\n"
        "    uniq {N, Det}\n    N[number=pl, kind=p] => Det\n    kind from Det\nlexicon:\n"
        "    der: Det\n    Hund: N[number=sg, kind=c]\n    Katze: N[number=sg, kind=p]\n",
        """\
g.pg: warning: roots: NP[number=pl] asks for number=pl, which no NP has
  every NP that has number has number=sg
g.pg:4:1: warning: NP: head N[number=pl] asks for number=pl, which no N has
    NP:
    ^^
  every N that has number has number=sg
g.pg:4:1: warning: NP: kind from Det copies nothing: no Det has kind
    NP:
    ^^
  give it to Det in the lexicon""",
    ),
    "what always holds, and what only uniq says": (
        "leaves: N, Det, V\nX:\n    uniq N\n    N => N\n    N & Det => Det | V\n    V x V\n    Det => Det & Det\n",
        """\
g.pg:4:5: warning: X: N => N always holds: it requires only what it is about
        N => N
        ^^^^^^
  to require another one, write "N => N & N"
g.pg:5:5: warning: X: N & Det => Det | V always holds: it requires only what it is about
        N & Det => Det | V
        ^^^^^^^^^^^^^^^^^^
  joint operands require another one
g.pg:6:5: warning: X: V x V only forbids a second V
        V x V
        ^^^^^
  write "uniq V\"""",
    ),
    "violations that cost nothing": (
        "leaves: A, B\nall linearity weight 0\nrelation there(B) for each B: true\nX:\n    all => weight 0\n"
        "    uniq A weight 0\n    A < B\n    B => A\n    A => B cost 0\n    there(A) weight 0\n"
        "    uniq B weight 0 hard\n    A + B weight 0 cost 1\n",
        """\
g.pg:6:5: warning: X: uniq A has weight 0, so its violations cost 0 too
        uniq A weight 0
        ^^^^^^
  state the cost, as in "weight 0 cost 1"
g.pg:7:5: warning: X: A < B has weight 0 by "all linearity weight 0", so its violations cost 0 too
        A < B
        ^^^^^
  state the cost, as in "weight 0 cost 1"
g.pg:8:5: warning: X: B => A has weight 0 by "all requirement weight 0" of X, so its violations cost 0 too
        B => A
        ^^^^^^
  state the cost, as in "weight 0 cost 1"
g.pg:9:5: warning: X: A => B has weight 0 and cost 0, so it never counts
        A => B cost 0
        ^^^^^^
  state another cost, as in "weight 0 cost 1", or remove it""",
    ),
    "costs of 0": (
        "leaves: A, B, C\nall x weight 0 cost 0\nall uniqueness weight 1\nall requirement weight 2 cost 3\nX:\n"
        "    all + cost 0\n    A < B cost 0\n    near(A, B) weight 0 cost 0\n    uniq A cost 0\n"
        "    A => B cost 0\n    oblig A weight 1 cost 0\n    A + B; A + C\n    A x C; B x C\n    uniq B cost 0 hard\n",
        """\
g.pg:7:5: warning: X: A < B has cost 0, so its violations cost nothing
        A < B cost 0
        ^^^^^
  state another cost; "weight 1 cost 0" is for properties that count only when satisfied
g.pg:8:5: warning: X: near(A, B) has weight 0 and cost 0, so it never counts
        near(A, B) weight 0 cost 0
        ^^^^^^^^^
  state another cost, as in "weight 0 cost 1", or remove it
g.pg:10:5: warning: X: A => B has cost 0, so its violations cost nothing
        A => B cost 0
        ^^^^^^
  state another cost; "weight 1 cost 0" is for properties that count only when satisfied
g.pg:12:5: warning: X: A + B has cost 0 by "all adjacency cost 0" of X, so its violations cost nothing
        A + B; A + C
        ^^^^^
  state another cost; "weight 1 cost 0" is for properties that count only when satisfied
g.pg:13:5: warning: X: A x C has weight 0 and cost 0 by "all exclusion weight 0 cost 0", so it never counts
        A x C; B x C
        ^^^^^
  state another cost, as in "weight 0 cost 1", or remove it""",
    ),
    "linearity in a circle": (
        "leaves: A, B, C\nX:\n    A < B\n    B < C\n    C < A\n    uniq A\n",
        """\
g.pg:5:5: warning: X: linearity is circular: A < B < C < A
        C < A
        ^^^^^
  every order violates one of these""",
    ),
    "before itself": (
        "leaves: A\nX:\n    A < A\n    uniq A\n",
        """\
g.pg:3:5: warning: X: linearity is circular: A < A
        A < A
        ^^^^^
  every order violates one of these""",
    ),
    "a circle through a relation of one's own": (
        "leaves: A, B\nrelation after(B, C) for each B, C: index(B) > index(C)\nX:\n    A < B\n    after(A, B)\n",
        """\
g.pg:5:5: warning: X: linearity is circular: A < B < A
        after(A, B)
        ^^^^^^^^^^
  every order violates one of these""",
    ),
    "a construction out of reach": (
        "leaves: A\nroots: S, R\nS: uniq A\nR: uniq A\nX: uniq Y\nY: uniq A\n",
        """\
g.pg:5:1: warning: construction "X" cannot be reached from the roots (S, R)
    X: uniq Y
    ^
  name it in a property of another construction or as a root
g.pg:6:1: warning: construction "Y" cannot be reached from the roots (S, R)
    Y: uniq A
    ^
  name it in a property of another construction or as a root""",
    ),
    "requirement against exclusion": (
        "leaves: A, B\nX:\n    A => B\n    B x A\n",
        """\
g.pg:3:5: warning: X: A => B contradicts B x A (line 4)
        A => B
        ^^^^^^
  one of the two is violated whenever the left side is present""",
    ),
    "requirement against exclusion that counts where one side is there": (
        "semantics: exclusion: counts\nleaves: A, B\nX:\n    A x B\n    A => B\n",
        """\
g.pg:5:5: warning: X: A => B contradicts A x B (line 4)
        A => B
        ^^^^^^
  one of the two is violated whenever the left side is present""",
    ),
    "relations of one's own against each other": (
        "leaves: A, B\nrelation needs(B, C) for each B: present(C)\nrelation never(D, E) for each D, E: false\n"
        "X:\n    uniq A\n    needs(A, B)\n    never(B, A)\n",
        """\
g.pg:6:5: warning: X: needs(A, B) contradicts never(B, A) (line 7)
        needs(A, B)
        ^^^^^^^^^^
  one of the two is violated whenever the left side is present""",
    ),
    "a property of what const leaves out": (
        "leaves: A, B, C\nX:\n    const {A, B}\n    A < C\n    oblig {A, C}\n    uniq A\n",
        """\
g.pg:4:5: warning: X: A < C mentions C, which is not in its const
        A < C
        ^^^^^
  add it to const
g.pg:5:5: warning: X: oblig A | C mentions C, which is not in its const
        oblig {A, C}
        ^^^^^^^^^^^
  add it to const""",
    ),
    "a phrase that is to agree with its head": (
        "leaves: N\nfeatures: number: sg, pl\nNP:\n    oblig N\n    NP ~> N [number]\nlexicon: n: N[number=sg]\n",
        """\
g.pg:5:5: warning: NP: NP ~> N [number] treats NP as a daughter of NP
        NP ~> N [number]
        ^^^^^^^
  for the phrase itself write mother: Det ~> mother [number]; if NP may contain NP, say where""",
    ),
    "heads that may stand together": (
        "leaves: N, PN, Pro\nNP:\n    oblig {N, PN, Pro}\n    uniq {N, PN, Pro}\n"
        "XP:\n    oblig {N, PN}\n    uniq N | PN\n"
        "ZP:\n    oblig {N, PN, Pro}\n    uniq {N, PN, Pro}\n    Pro x {N, PN}\n"
        "YP:\n    oblig {N, PN}\n    uniq {N, PN}\n    N < PN\n",
        """\
g.pg:3:5: warning: NP: oblig N | PN | Pro and uniq of each allow both N and PN in one NP
        oblig {N, PN, Pro}
        ^^^^^^^^^^^^^^^^^
  write uniq N | PN | Pro if only one of them may occur, or N x PN
g.pg:9:5: warning: ZP: oblig N | PN | Pro and uniq of each allow both N and PN in one ZP
        oblig {N, PN, Pro}
        ^^^^^^^^^^^^^^^^^
  write uniq N | PN | Pro if only one of them may occur, or N x PN""",
    ),
    "a count that none satisfies is no obligation": (
        "leaves: N, Adj\nNP:\n    oblig N\n    count(Adj) <= 2\n    count(M) > 0\nM: uniq Adj\n",
        """\
g.pg:5:11: warning: NP: M alone does not become NP, because no property of NP is about M alone
        count(M) > 0
              ^
  add a property that holds for it alone, such as "uniq M\"""",
    ),
    "a head that alone triggers nothing": (
        "leaves: Det, N\nNP:\n    oblig N\n    Det < N\nsemantics: trigger: by-operands\n",
        """\
g.pg:3:5: warning: NP: N alone does not become NP, because no property of NP is about N alone
        oblig N
        ^^^^^^^
  add a property that holds for it alone, such as "uniq N\"""",
    ),
    "a head of which some words alone trigger nothing": (
        "leaves: Det, N\nfeatures: number: sg, pl\nNP:\n    oblig N\n    N[number=sg] => Det\n"
        "lexicon:\n    cat: N[number=sg]\n    cats: N[number=pl]\n    the: Det\nsemantics: trigger: by-operands\n",
        """\
g.pg:4:5: warning: NP: N alone does not become NP, because every property of NP that applies to N alone is violated: \
N[number=sg] => Det
        oblig N
        ^^^^^^^
  add a property that holds for it alone, such as "uniq N\"""",
    ),
    "a head of which some words alone are spoken of": (
        "leaves: Det, N\nfeatures: number: sg, pl\nNP:\n    head N\n    uniq N[number=sg]\n    Det < N\n"
        "lexicon:\n    cat: N[number=sg]\n    cats: N[number=pl]\n    the: Det\n",
        """\
g.pg:3:1: warning: NP: N[number=pl], such as "cats", alone does not become NP, because no property of NP is \
about N alone
    NP:
    ^^
  add a property that holds for it alone, such as "uniq N\"""",
    ),
    "phrases that no word alone becomes": (
        "leaves: Det, N, V\nS: NP < VP\nNP: Det < N\nVP: V < NP\n",
        """\
g.pg:3:1: warning: NP: neither Det nor N alone becomes one, because no property is about it alone
    NP: Det < N
    ^^
  if N alone may be one, add "uniq N"
g.pg:4:1: warning: VP: not even V alone becomes one, because no property is about it alone
    VP: V < NP
    ^^
  if V alone may be one, add "uniq V\"""",
    ),
    "words in no tree, and patterns of another kind": (
        'leaves: N, Adv\nfeatures: f: u, v\nX:\n    const {N[f=u]}\n    uniq N\nguess:\n    ".*ung": N[f=u]\n'
        'names:\n    "^K": N[f=u]\nspelling:\n    "[ab]+": N[f=u]; "www.*": N[f=u]\n'
        "lexicon:\n    dort: Adv\n    a: N[f=v]\n    Haus: N[f=u]\n",
        """\
g.pg: warning: guess: ".*ung" looks like a regular expression, but patterns are shell patterns
  * stands for any letters, ? for one, [abc] for one of these: "*ing" matches words that end in ing
g.pg: warning: names: "^K" looks like a regular expression, but patterns are shell patterns
  * stands for any letters, ? for one, [abc] for one of these: "*ing" matches words that end in ing
g.pg: warning: spelling: "[ab]+" looks like a regular expression, but patterns are shell patterns
  * stands for any letters, ? for one, [abc] for one of these: "*ing" matches words that end in ing
g.pg: warning: words that are Adv, such as "dort", cannot be in any tree, because no construction has Adv in it
  name Adv in a property, or in a const
g.pg: warning: words that are N[f=v], such as "a", cannot be in any tree, because no const has such N in it
  name N in a property, or in a const""",
    ),
    "nothing that triggers": (
        "leaves: A\nsemantics: trigger: by-operands\nX:\n    oblig A\nY:\n    head A\n",
        """\
g.pg:3:1: warning: construction "X" can never be built: its only properties are obligations, which cannot start a phrase
    X:
    ^
  it needs a property of daughters that are present, such as "uniq A"
g.pg:5:1: warning: construction "Y" can never be built: it has no properties
    Y:
    ^
  declare it as a leaf if it is a part of speech""",
    ),
    "the same pair twice": (
        "leaves: A, B\nfeatures: f: v; g: v\n"
        "X:\n    A x B\n    B x A\n    A ~> B [f]\n    B ~> A [f]\n    B ~> A [g]\n",
        """\
g.pg:5:5: warning: X: B x A repeats line 4
        B x A
        ^^^^^
  each pair counts twice; remove one of the two
g.pg:7:5: warning: X: B ~> A [f] repeats line 6
        B ~> A [f]
        ^^^^^^
  each pair counts twice; remove one of the two""",
    ),
    "the same tuple twice": (
        "leaves: A, B, C\n"
        "relation close(B, C, D) for each B, C, D: adjacent(B, C) and adjacent(C, D)\n    symmetric yes\n"
        "relation by(B, C, D) for each B, C: adjacent(B, C) and present(D)\n    symmetric yes\n"
        "X:\n    close(A, B, C)\n    close(B, C, A)\n    by(A, B, C)\n    by(C, B, A)\n",
        """\
g.pg:8:5: warning: X: close(B, C, A) repeats line 7
        close(B, C, A)
        ^^^^^^^^^^^^^
  each tuple counts twice; remove one of the two""",
    ),
    "names that are misread": (
        "leaves: NA\nfeatures: polarity: T, F\nNULL: uniq NA\n",
        """\
g.pg: warning: data tools such as R read the name "F" as something else
  choose a longer name, such as "F1"
g.pg: warning: data tools such as R read the name "NA" as something else
  choose a longer name, such as "NA1"
g.pg: warning: data tools such as R read the name "T" as something else
  choose a longer name, such as "T1"
g.pg:3:1: warning: data tools such as R read the name "NULL" as something else
    NULL: uniq NA
    ^^^^
  choose a longer name, such as "NULL1\"""",
    ),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_construction_that_others_are_like_is_no_doubt() -> None:
    text = "leaves: N, V\nroots: S\nS like Clause: oblig V\nClause:\n    uniq {N, V}\n"
    assert checks.check(parse_grammar(text)) == []
    (alone,) = checks.check(parse_grammar(text.replace("S like Clause", "S")))
    assert alone.message == 'construction "Clause" cannot be reached from the roots (S)'


def test_features_that_come_from_somewhere_are_no_doubt() -> None:
    """Features may come from a head, a rule or the spelling; for a leaf without words, from a tagger."""
    constructions = (
        "X:\n    oblig N\n    uniq N\n    g = u\nY:\n    uniq {X[f=u], V}\n    X[g=u] < V[h=u]\n    P[i=u] < X\n"
    )
    words = 'lexicon:\n    a: N[f=u]\n    b: V\nspelling:\n    "*": V[h=u]\n'
    text = f"leaves: N, V, P\nfeatures: f: u; g: u; h: u; i: u\n{constructions}{words}"
    Path("g.pg").write_text(text, encoding="utf-8")
    told = "no word of the lexicon is P, but properties mention it"
    assert [problem.message for problem in check_grammar("g.pg").warnings] == [told]


def test_patterns_that_fit_other_words_too_are_no_doubt() -> None:
    rules = ["?s", "*s", "[ab]*s", "a*", "*[ab]?", "*as", "*"]
    guesses = "".join(f'    "{rule}": A\n' for rule in rules)
    Path("g.pg").write_text(f"leaves: A\nX:\n    uniq A\nguess:\n{guesses}", encoding="utf-8")
    assert [problem.message for problem in check_grammar("g.pg").warnings] == [
        'guess: "*as" never applies: "*s" before it matches the same words',
        'guess: "[ab]*s" never applies: "*s" before it matches the same words',
    ]


@pytest.mark.parametrize("name", DOUBTS)
def test_a_doubt(name: str) -> None:
    text, expected = DOUBTS[name]
    Path("g.pg").write_text(text, encoding="utf-8")
    checked = check_grammar("g.pg")
    assert checked.errors == ()
    assert "\n".join(map(str, checked.warnings)) == expected


def test_quotation_marks_of_a_spreadsheet_and_an_empty_lexicon() -> None:
    grammar = 'leaves: Det, N\nlexicon_file: "w.tsv"\nNP:\n    uniq {Det, N}\n'
    Path("g.pg").write_text(grammar, encoding="utf-8")
    Path("w.tsv").write_text('"der"\tDet\n"Mann\tN\n"\tDet\n', encoding="utf-8")
    assert list(map(str, check_grammar("g.pg").warnings)) == [
        'g.pg: warning: the lexicon has the form "der" and 1 form more with quotation marks, '
        "which words of a text never have\n"
        "  remove them: a lexicon file separates columns with TAB and has no quotation marks"
    ]
    Path("w.tsv").write_text("# form\tcategory\n", encoding="utf-8")
    assert list(map(str, check_grammar("g.pg").warnings)) == [
        "g.pg: warning: the lexicon is empty, so every word is unknown\n"
        '  add words below "lexicon:", or parse words with tags (--tagged)'
    ]


def test_a_clean_grammar_has_none() -> None:
    Path("g.pg").write_text(CLEAN, encoding="utf-8")
    checked = check_grammar("g.pg")
    assert (checked.errors, checked.warnings) == ((), ())
    line = checked_line(checked.path, checked.grammar, 0, 0)
    assert line == ("g.pg: 2 constructions, 9 properties, 3 leaves, 0 lexicon forms; 0 errors, 0 warnings")


def test_a_relation_of_three_that_begins_with_an_order_is_no_trouble() -> None:
    Path("g.pg").write_text(
        "leaves: A, B, C\nrelation between(B, C, D) for each B, C, D: index(B) < index(D)\nX: between(A, B, C)\n",
        encoding="utf-8",
    )
    assert check_grammar("g.pg").warnings == ()


def test_the_starter_grammar_is_clean() -> None:
    assert check_grammar("english").warnings == ()


def test_warnings_wait_until_there_are_no_errors() -> None:
    Path("g.pg").write_text("leaves: A\nX: A < A; uniq B\n", encoding="utf-8")
    checked = check_grammar("g.pg")
    assert [problem.message for problem in checked.errors] == ['"B" is not a construction or a leaf']
    assert checked.warnings == ()


def test_two_features_shared_by_the_same_pair_are_two_properties() -> None:
    grammar = parse_grammar("leaves: A, B\nfeatures: f: v; g: v\nX:\n    A ~> B [f] cost 2\n    A ~> B [g]\n")
    assert [prop.features for prop in grammar.properties] == [("f",), ("g",)]
