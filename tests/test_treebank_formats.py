"""All formats of treebanks: reading, messages, round trips, and eight deformations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbat.errors import DataError, Problem
from numbat.files import read_in
from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from numbat.runs.sentences import InputSentence
from numbat.runs.settings import TREEBANKS
from numbat.treebanks.brackets import format_brackets, format_discbracket, read_discbracket
from numbat.treebanks.conllu import DependencyTree, DependencyWord, format_conllu, read_conllu
from numbat.treebanks.converting import to_dependencies, to_phrases
from numbat.treebanks.crossing import CrossingTree, settled
from numbat.treebanks.formats import WITH_TREES, recognised
from numbat.treebanks.malttab import read_malttab
from numbat.treebanks.negra import format_export, read_export
from numbat.treebanks.notes import LEMMAS, SECONDARY, SEVERAL_WORDS, SUBREADINGS, TEXT_DIFFERS, TWO_ROOTS, Notes
from numbat.treebanks.projective import MIN_LIFTINGS, crosses, lift, projective, restored, with_frequent_liftings
from numbat.treebanks.reading import TreebankSentence, read_treebank, sentences_of
from numbat.treebanks.sentences import cohort_sentences
from numbat.treebanks.sinica import read_sinica
from numbat.treebanks.tiger_xml import read_tiger
from numbat.treebanks.trees import Tree, WordFacts, with_leaves
from numbat.words.tag_maps import tag_map_of

# Eight deformations. The second of three sentences is deformed: it is reported with its place, the others are read.


@dataclass(frozen=True)
class Format:
    """A format: a sentence of two words, the text before and after all sentences, and deformed sentences.

    A deformed sentence is a text with its message, or None if it can be read; `deep` makes one of a given depth.
    """

    good: str
    deep: Callable[[int], str]
    deformed: dict[str, tuple[str, str | None]]
    before: str = ""
    behind: str = ""
    words: Callable[[str], str] = field(default=lambda word: word)


def deep_export(depth: int) -> str:
    rows = "".join(f"#{500 + i}\t--\tX\t--\t--\t{501 + i if i < depth - 1 else 0}\n" for i in range(depth))
    return f"#BOS 2\nword\t--\tN\t--\t--\t500\n{rows}#EOS 2\n"


def deep_tiger(depth: int) -> str:
    rows = "".join(f'<nt id="n{i}" cat="X"><edge idref="{f"n{i - 1}" if i else "w"}"/></nt>' for i in range(depth))
    return f'<s id="2"><graph><terminals><t id="w" word="word" pos="N"/></terminals>{rows}</graph></s>\n'


def tiger(word: str = "{}", *others: str) -> str:
    leaf = f'<t id="w1" word="{word}" pos="N" lemma="a" morph="--"/>'
    top = '<nt id="n" cat="S"><edge label="HD" idref="w1"/><edge label="--" idref="w2"/></nt>'
    return f'<s id="s">\n<graph>{leaf}\n<t id="w2" word="x" pos="V"/>\n{top}{"".join(others)}</graph></s>\n'


def alpino(word: str = "{}", *others: str) -> str:
    leaves = f'<node rel="su" pos="N" word="{word}" begin="0"/>\n<node rel="hd" pos="V" word="x" begin="1"/>'
    return f'<alpino_ds>\n<node cat="S" rel="--">{leaves}{"".join(others)}</node><sentence sentid="s"/></alpino_ds>\n'


def deep_alpino(depth: int) -> str:
    word = '<node pos="N" word="w" begin="0"/>'
    opening = '<node cat="X">' * depth
    return f"<alpino_ds>{opening}{word}{'</node>' * depth}</alpino_ds>\n"


def conllu(depth: int) -> str:
    return "".join(f"{i}\tw\t_\tN\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, depth + 1)) + "\n"


FORMATS: Final = {
    "ptb": Format(
        "(S (N {}) (V x))\n",
        lambda depth: "(S " * depth + "(N a)" + ")" * depth + "\n",
        {
            "cut off": ("(S (N a) (V\n", "a tree that is not closed"),
            "wrong columns": ("(S (N) (V x))\n", "a label without anything below it"),
            "duplicate": ("(S (N a) (V x)))\n", "a closing bracket too many"),
        },
    ),
    "prd": Format(
        "(S (N {}) x)\n",
        lambda depth: "(S " * depth + "(N a)" + ")" * depth + "\n",
        {
            "cut off": ("(S (N a) x\n", "a tree that is not closed"),
            "wrong columns": ("(S (N) x)\n", "a label without anything below it"),
            "duplicate": ("(S (N a) x))\n", "a closing bracket too many"),
        },
    ),
    "pos": Format(
        "[ {}/N ]\nx/V\n\n",
        lambda depth: "[ a/N ] " * depth + "\n\n",
        {
            "cut off": ("[ a/N ]\nx\n\n", "sentence 2: a word without tag"),
            "wrong columns": ("[ a/ ]\nx/V\n\n", "sentence 2: a word without tag"),
            "duplicate": ("[ /N ]\nx/V\n\n", "sentence 2: a word without tag"),
        },
        "======\n",
    ),
    "square": Format(
        "[S [N {}] [V x]]\n",
        lambda depth: "[S " * depth + "[N a]" + "]" * depth + "\n",
        {
            "cut off": ("[S [N a] [V\n", "a tree that is not closed"),
            "wrong columns": ("[S [N] [V x]]\n", "a label without anything below it"),
            "duplicate": ("[S [N a] [V x]]]\n", "a closing bracket too many"),
        },
    ),
    "discbracket": Format(
        "(S (N 0={}) (V 1=x))\n",
        lambda depth: "(S " * depth + "(N 0=a)" + ")" * depth + "\n",
        {
            "cut off": ("(S (N 0=a) (V\n", "a tree that is not closed"),
            "wrong columns": ("(S (N 0=a) (V x))\n", "a word without its position"),
            "duplicate": ("(S (N 0=a) (V 0=x))\n", "a duplicate position"),
        },
    ),
    "export": Format(
        "#BOS 1\n{}\t--\tN\t--\tHD\t500\nx\t--\tV\t--\t--\t500\n#500\t--\tS\t--\t--\t0\n#EOS 1\n",
        deep_export,
        {
            "cut off": ("#BOS 2\na\t--\tN\t--\tHD\t500\n", "(2): a sentence that is not closed"),
            "wrong columns": ("#BOS 2\na\tN\tHD\t500\n#EOS 2\n", "(2): a row with too few or too many columns"),
            "duplicate": (
                "#BOS 2\na\t--\tN\t--\tHD\t500\n#500\t--\tS\t--\t--\t0\n#500\t--\tS\t--\t--\t0\n#EOS 2\n",
                "(2): a duplicate node",
            ),
        },
        "#FORMAT 4\n",
    ),
    "tiger": Format(
        tiger(),
        deep_tiger,
        {
            "cut off": (tiger()[:90], "not closed"),
            "wrong columns": (tiger().replace('pos="V"', ""), "(s): <t> without pos"),
            "duplicate": (tiger("a", '<t id="w2" word="y" pos="N"/>'), "(s): a duplicate node"),
        },
        '<?xml version="1.0" encoding="UTF-8"?>\n<corpus><body>\n',
        "</body></corpus>\n",
    ),
    "alpino": Format(
        alpino(),
        deep_alpino,
        {
            "cut off": (alpino()[:60], "not closed"),
            "wrong columns": (alpino().replace('begin="1"', ""), "(s): <node> of a word without begin"),
            "duplicate": ("<alpino_ds></alpino_ds>\n", "a sentence without words"),
        },
        '<?xml version="1.0" encoding="UTF-8"?>\n<treebank>\n',
        "</treebank>\n",
    ),
    "sinica": Format(
        "#1:1.[1] S(Head:N:{}|V:x)#.(P)\n",
        lambda depth: "#1:1.[1] " + "S(" * depth + "N:a" + ")" * depth + "\n",
        {
            "cut off": ("#1:1.[1] S(Head:N:a|V:x\n", "(1:1.[1]): a tree that is not closed"),
            "wrong columns": ("#1:1.[1] S(a|V:x)\n", "(1:1.[1]): a word without tag"),
            "duplicate": ("#1:1.[1] S(N:a))\n", "(1:1.[1]): a closing bracket too many"),
        },
    ),
    "conllu": Format(
        "1\t{}\t_\tN\t_\t_\t2\tx\t_\t_\n2\tx\t_\tV\t_\t_\t0\troot\t_\t_\n\n",
        conllu,
        {
            "cut off": ("# sent_id = b\n1\ta\t_\tN\t_\t\n\n", "(b): a row without ten columns"),
            "wrong columns": ("1\ta\t_\tN\t_\t_\t9\tx\t_\t_\n\n", "a HEAD that is not another word"),
            "duplicate": ("1\ta" + "\t_" * 8 + "\n1\tb" + "\t_" * 8 + "\n\n", "a row out of order"),
        },
    ),
    "conllup": Format(
        "1\t{}\tN\t2\tx\t*\n2\tx\tV\t0\troot\t1:VID\n\n",
        lambda depth: "".join(f"{i}\tw\tN\t{i - 1}\tx\t*\n" for i in range(1, depth + 1)) + "\n",
        {
            "cut off": ("# sent_id = b\n1\ta\tN\n\n", "(b): a row with another number of columns"),
            "wrong columns": ("1\ta\tN\t9\tx\t*\n\n", "a HEAD that is not another word"),
            "duplicate": ("1\ta\tN\t_\t_\t*\n1\tb\tN\t_\t_\t*\n\n", "a row out of order"),
        },
        "# global.columns = ID FORM UPOS HEAD DEPREL PARSEME:MWE\n",
    ),
    "malt": Format(
        "{}\tN\t2\tx\nx\tV\t0\troot\n\n",
        lambda depth: "".join(f"w\tN\t{i}\tx\n" for i in range(depth)) + "\n",
        {
            "cut off": ("a\tN\t2\n\n", "a row with another number of columns"),
            "wrong columns": ("a\tN\tb\tx\n\n", "a HEAD that is not a number"),
            "duplicate": ("a\tN\t2\tx\nb\tN\t1\tx\n\n", "a cycle of dependencies"),
        },
    ),
    "cg3": Format(
        '"<{}>"\n\t"a" N\n"<x>"\n\t"x" V\n\n',
        lambda depth: '"<a>"\n' + "".join("\t" * min(i, 50) + '"a" N\n' for i in range(1, depth)) + "\n",
        {
            "cut off": ('"<a\n\n', "this word is not closed"),
            "wrong columns": ('"<a>"\n\t"a N\n\n', "this lemma is not closed"),
            "duplicate": ('"<a>"\n\t"a" Xyz\n\t"a" Xyz\n\n', 'no tag of "a" is a category of the grammar: Xyz'),
        },
    ),
}  # fmt: skip
GRAMMAR: Final = "leaves: N, V\nroots: S\nS:\n    oblig V\n    N < V\nlexicon:\n    x: V\n"


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser:
    path = tmp_path_factory.mktemp("grammar") / "g.pg"
    path.write_text(GRAMMAR, encoding="utf-8")
    return Parser(load_grammar(str(path)))


def read_as(form: str, path: Path, parser: Parser) -> list[tuple[str, ...] | str]:
    """Return for each sentence, in order, its words or its error message."""
    if form == "cg3":
        every = cohort_sentences(str(path), tag_map_of(None, parser.grammar), parser.words)
        return [each.lattice.tokens if isinstance(each, InputSentence) else str(each) for each in every]
    found = read_treebank(str(path), form)
    return [words_of(each) if isinstance(each, TreebankSentence) else str(each) for each in found]


def words_of(sentence: TreebankSentence) -> tuple[str, ...]:
    tree = sentence.tree
    return tuple(w.form for w in tree.words) if isinstance(tree, DependencyTree) else tuple(w for w, _ in tree.words())


@pytest.mark.parametrize("form", [*WITH_TREES, "cg3"])
@pytest.mark.parametrize(
    "how", ["cut off", "empty", "wrong columns", "bad encoding", "huge line", "depth 10,000", "NUL", "duplicate"]
)
def test_a_deformed_sentence_spoils_no_other(form: str, how: str, tmp_path: Path, parser: Parser) -> None:
    own = FORMATS[form]
    bad, told = own.deformed.get(how, ("", None))
    if how in ("bad encoding", "NUL"):
        bad, told = (
            own.good.format("DAMAGED"),
            "well-formed XML" if how == "NUL" and form in ("tiger", "alpino") else "this line ",
        )
    elif how == "huge line":
        bad = own.good.format("a" * 1_000_000)
    elif how == "depth 10,000":
        bad = own.deep(10_000)
    content = "".join((own.before, own.good.format("one"), bad, own.good.format("three"), own.behind)).encode()
    content = content.replace(b"DAMAGED", {"bad encoding": b"\xe9", "NUL": b"a\0"}.get(how, b""))
    path = tmp_path / "file"
    path.write_bytes(b"" if how == "empty" else content)
    found = read_as(form, path, parser)
    if how == "empty":
        assert found == []
        return
    first, *between, last = found
    assert (first, last) == (("one", "x"), ("three", "x"))
    assert len(between) == 1
    if told is None:
        assert isinstance(between[0], tuple)
    else:
        assert isinstance(between[0], str)
        assert told in between[0]
        assert between[0].startswith(f"{path}:")


# Reading and writing


EXPORT: Final = """\
%% a comment
#BOS 7 2 1098266456 1 %% another
das\tPDS\tAcc.Sg\tOA\t501
hat\tVAFIN\t--\tHD\t502
er\tPPER\t--\tSB\t502\tXX\t501
gesehen\tVVPP\t--\tHD\t501
.\t$.\t--\t--\t0
#501\tVP\t--\tOC\t502
#502\tS\t--\t--\t0
#EOS 7
"""
TIGER: Final = """\
<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>
<corpus id="c"><body>
<s id="s7"><graph root="s7_VROOT" discontinuous="true"><terminals>
<t id="1" word="das" pos="PDS" morph="Acc.Sg"/><t id="2" word="hat" pos="VAFIN"/>
<t id="3" word="er" pos="PPER"><secedge idref="501" label="XX"/></t>
<t id="4" word="gesehen" pos="VVPP"/><t id="5" word="." pos="$."/></terminals><nonterminals>
<nt id="501" cat="VP"><edge label="OA" idref="1"/><edge label="HD" idref="4"/></nt>
<nt id="502" cat="S"><edge label="HD" idref="2"/><edge label="SB" idref="3"/><edge label="OC" idref="501"/></nt>
</nonterminals></graph></s></body></corpus>
"""
CROSSING: Final = "( (S (VP-OC (PDS-OA 0=das) (VVPP-HD 3=gesehen)) (VAFIN-HD 1=hat) (PPER-SB 2=er)) ($. 4=.))"


def read(text: str, form: str = "auto", notes: Notes | None = None) -> list[TreebankSentence]:
    found = list(sentences_of(text.splitlines(keepends=True), "t", form, notes))
    assert [str(each) for each in found if isinstance(each, Problem)] == []
    return [each for each in found if isinstance(each, TreebankSentence)]


@pytest.mark.parametrize("text", [EXPORT, TIGER, CROSSING])
def test_crossing_branches_are_kept(text: str) -> None:
    notes = Notes()
    (sentence,) = read(text, notes=notes)
    assert isinstance(sentence.tree, CrossingTree)
    assert format_discbracket(sentence.tree) == CROSSING
    assert words_of(sentence) == ("das", "hat", "er", "gesehen", ".")
    assert list(notes.counts) == ([] if text == CROSSING else [SECONDARY])
    (again,) = read(format_export(sentence.tree, 1))
    assert again.tree == sentence.tree
    with pytest.raises(DataError, match=r"^t:[0-9]+: this tree has crossing branches"):
        to_dependencies(sentence)


def test_trees_whose_branches_do_not_cross_are_trees() -> None:
    """They go through CoNLL-U, too, with lemma and morphology."""
    (sentence,) = read(EXPORT.replace("OA\t501", "OA\t502"))
    assert isinstance(sentence.tree, Tree)
    text = format_conllu(to_dependencies(sentence))
    assert "Morph=Acc.Sg" in text
    assert to_phrases(read(text)[0]) == sentence.tree


@st.composite
def tables(draw: st.DrawFn) -> Tree:
    """A tree whose leaves have drawn positions, so that most have crossing branches."""
    letters = st.sampled_from(["A", "B", "C"])
    drawn = st.recursive(
        st.builds(lambda tag, form: Tree(tag, (), form), letters, letters),
        lambda below: st.builds(
            lambda tag, each: Tree(tag, tuple(each)), letters, st.lists(below, min_size=1, max_size=4)
        ),
        max_leaves=9,
    )
    tree = Tree("S", (draw(drawn), draw(drawn)))
    order = iter(draw(st.permutations(range(sum(1 for _ in tree.words())))))
    return with_leaves(tree, lambda leaf: Tree(leaf.label, (), leaf.form, word=WordFacts(position=next(order))))


@given(tables())
def test_what_is_written_reads_back(drawn: Tree) -> None:
    tree = settled(drawn)
    assert list(read_discbracket([format_discbracket(tree)], "law")) == [tree]
    assert list(read_export(format_export(tree, 1).splitlines(), "law")) == [tree]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a\t--\tN\t--\t--\t501\n#500\t--\tS\t--\t--\t0\n", "an unknown mother"),
        ("a\t--\tN\t--\t--\t0\n#500\t--\tS\t--\t--\t0\n", "a phrase without words"),
        ("a\t--\tN\t--\t--\t0\n#500\t--\tS\t--\t--\t501\n#501\t--\tS\t--\t--\t500\n", "a cycle of nodes"),
        ("a\t--\tN\t--\t--\tx\n", "a mother that is not a number"),
        ("", "a sentence without words"),
    ],
)
def test_tables_that_are_no_trees(rows: str, told: str) -> None:
    (found,) = read_export(f"#BOS 1\n{rows}#EOS 1\n".splitlines(), "t")
    assert isinstance(found, Problem)
    assert found.message.startswith(f"sentence 1 (1): {told}")


def test_xml_with_a_doctype_is_refused() -> None:
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE corpus [<!ENTITY a "b">]>\n' + TIGER
    with pytest.raises(DataError, match=r"^t:2:1: a DOCTYPE or entity, which Numbat does not read"):
        list(read_tiger(bomb.splitlines(keepends=True), "t"))
    (found,) = read_tiger(['<s id="1"><graph><t id="1" word="&b;" pos="N"/></graph></s>'], "t")
    assert isinstance(found, Problem)
    assert "undefined entity" in found.message


def test_xml_may_name_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "t.xml"
    path.write_bytes(TIGER.replace("gesehen", "gehört").encode("latin-1"))
    (found,) = read_treebank(str(path))
    assert isinstance(found, TreebankSentence)
    assert words_of(found)[3] == "gehört"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "utf-8", "iso8859-15"])
def test_a_named_encoding_is_that_of_the_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.mrg"
    path.write_bytes("(S (N café))\r\n(S (N thé))\n".encode(encoding))
    with read_in(encoding, [str(tmp_path)]):
        found = list(read_treebank(str(path)))
    assert [words_of(each) for each in found if isinstance(each, TreebankSentence)] == [("café",), ("thé",)]
    if encoding.startswith("utf-16"):
        with pytest.raises(DataError, match="this file is UTF-16, not UTF-8\n  give --encoding utf-16"):
            list(read_treebank(str(path)))


def test_a_byte_that_is_no_text_in_the_named_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.mrg"
    path.write_bytes(b"(S (N a))\n(S (N \xe9))\n(S (N b))\n")
    with read_in("ascii", [str(path)]):
        first, bad, last = read_treebank(str(path))
    assert str(bad).startswith(f"{path}:2:7: this line is not ascii\n")
    assert isinstance(first, TreebankSentence)
    assert isinstance(last, TreebankSentence)


def test_a_wrong_guess_says_what_the_file_was_taken_for() -> None:
    every = list(sentences_of(["The cat sleeps.\n", "And more text.\n"], "t", "auto"))
    assert len(every) == 1
    assert str(every[0]).endswith(
        "the file was read as a word and its tag on each line, by its line 1, which have no trees; name another "
        "format with --from: ptb, prd, square, discbracket, export, tiger, alpino, sinica, conllu, conllup, malt, pos"
    )
    assert "was read as" not in str(list(sentences_of(["(S (N a))\n", "(S (N\n"], "t", "auto"))[1])


def test_leaves_with_lemmas_with_several_words_and_with_brackets() -> None:
    notes = Notes()
    tree = read("(S (N cats cat) (V sleep sleep))\n(S (N in front of))\n", notes=notes)[0].tree
    assert isinstance(tree, Tree)
    assert list(tree.words()) == [("cats", "N"), ("sleep", "V")]
    assert [leaf.word for leaf in tree.daughters] == [WordFacts("cat"), WordFacts("sleep")]
    assert notes.places == {LEMMAS: ["t"], SEVERAL_WORDS: ["t:2"]}
    notes = Notes()
    tree = read("(S (P in front of) (V like\\(d\\)))\n", notes=notes)[0].tree
    assert isinstance(tree, Tree)
    assert list(tree.words()) == [("in front of", "P"), ("like(d)", "V")]
    assert notes.places == {SEVERAL_WORDS: ["t:1"]}
    notes = Notes()
    names = [one.tree for one in read("(S (NP New York) (VP has been))\n(S (NP a) (VP is))\n", notes=notes)]
    assert [" ".join(form for form, _ in tree.words()) for tree in names if isinstance(tree, Tree)] == [
        "New York has been",
        "a is",
    ]
    assert notes.places == {SEVERAL_WORDS: ["t:1", "t:1"]}


def test_no_character_of_a_word_is_lost_but_blanks_around_it() -> None:
    """A byte order mark counts only at the beginning of a file, and a no-break space belongs to its word."""
    word = "\ufeff10\u00a0000\u2028x"
    tree = Tree("S", (Tree("N", (), word), Tree("V", (), "be en\r")))
    lines = format_export(tree, 1).split("\n")
    (again,) = read_export(lines, "t")
    assert isinstance(again, Tree)
    assert [form for form, _ in again.words()] == [word, "be_en"]
    conllu = f"1\t {word}\r\t_\tN\t_\t_\t_\t_\t_\t_\n2\tbe  en \t_\tV\t_\t_\t_\t_\t_\t_\n".split("\n")
    (dependencies,) = read_conllu(conllu, "t")
    assert isinstance(dependencies, DependencyTree)
    assert [each.form for each in dependencies.words] == [word, "be en"]
    graph = f'<t id="a" word="&#10;{word} " pos="N"/><nt id="b" cat="S"><edge idref="a"/></nt>'
    (of_xml,) = read_tiger([f'<s id="s"><graph>{graph}</graph></s>'], "t")
    assert isinstance(of_xml, Tree)
    assert [form for form, _ in of_xml.words()] == [word]
    (of_sinica,) = read_sinica([f"#1:1.[0] NP(Nab: {word} )#x"], "t")
    assert isinstance(of_sinica, Tree)
    assert [form for form, _ in of_sinica.words()] == [word]


# Dependencies


def test_malttab_of_three_four_and_ten_columns() -> None:
    for text in ("cats\tN\t2\nsleep\tV\t0\n", "cats N 2 sbj\nsleep V 0 root\n"):
        (tree,) = read_malttab(text.splitlines(), "t")
        assert isinstance(tree, DependencyTree)
        assert [(word.form, word.xpos, word.head) for word in tree.words] == [("cats", "N", 2), ("sleep", "V", 0)]
    (hashed,) = read_malttab("# text = a\n#\t#\t2\n10\tCD\t0\n#\tX\t2\n".splitlines(), "t")
    assert isinstance(hashed, DependencyTree)
    assert [word.form for word in hashed.words] == ["#", "10", "#"]
    row = "1\tcats\tcat\tN\tNN\tpl|case=nom\t0\troot\t0\t_\n2\tdogs\tdog\tN\tNN\t_\t0\troot\t_\t_\n"
    (tree,) = read_malttab(row.splitlines(), "t")
    assert isinstance(tree, DependencyTree)
    assert tree.words[0].feats == (("pl", "Yes"), ("case", "nom"))
    (bad,) = read_malttab(["cats\tN\tx\tsbj"], "t")
    assert str(bad).startswith("t:1:8: sentence 1: a HEAD that is not a number\n")


def test_several_roots_and_ranges_that_overlap_are_told() -> None:
    row = "{}\ta\t_\tN\t_\t_\t{}\tx\t_\t_\n"
    notes = Notes()
    read(row.format(1, 0) + row.format(2, 0), notes=notes)
    assert notes.places == {TWO_ROOTS: ["t:1"]}
    ranges = "1-2\tab" + "\t_" * 8 + "\n" + row.format(1, 0) + "2-3\tbc" + "\t_" * 8 + "\n" + row.format(2, 1)
    (bad,) = sentences_of((ranges + row.format(3, 1)).splitlines(), "t", "conllu")
    assert str(bad).startswith("t:3:1: sentence 1: tokens that share a word\n")


@st.composite
def heads_of_trees(draw: st.DrawFn) -> list[int]:
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = [0] * (len(order) + 1)
    for at, word in enumerate(order):
        heads[word] = order[draw(st.integers(0, at - 1))] if at else 0
    return heads


@given(heads_of_trees())
def test_lifting_leaves_no_crossing_link_and_moves_only_what_crosses(heads: list[int]) -> None:
    """Links cross if of two one begins within the other and ends outside; lifted words hang on a former ancestor."""
    links = [(min(word, head), max(word, head)) for word, head in enumerate(heads) if word]
    assert crosses(heads) == any(a < c < b < d for a, b in links for c, d in links)
    after = list(heads)
    lifted = lift(after)
    assert not crosses(after)
    assert {word for word in range(1, len(heads)) if after[word] != heads[word]} == set(lifted)
    assert bool(lifted) == crosses(heads)
    for word in lifted:
        above = [heads[word]]
        while above[-1]:
            above.append(heads[above[-1]])
        assert after[word] in above[1:]


def test_the_shortest_crossing_link_is_lifted_first_and_says_so() -> None:
    """The example of Nivre and Nilsson: the prepositional phrase of a noun is before the verb."""
    row = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
    words = [("Z", 3, "AuxP"), ("nich", 1, "Atr"), ("je", 0, "Pred"), ("jedna", 3, "Sb")]
    words[1] = ("nich", 4, "Atr")
    words[0] = ("Z", 4, "AuxP")
    text = "".join(row.format(i, form, head, label) for i, (form, head, label) in enumerate(words, start=1))
    (sentence,) = read(text)
    assert isinstance(sentence.tree, DependencyTree)
    found, lifted = projective(sentence.tree)
    assert lifted == 2
    assert [(word.head, word.deprel) for word in found.words[:2]] == [(3, "AuxP↑Sb"), (3, "Atr↑Sb")]


def test_lifted_words_are_put_back_by_their_labels() -> None:
    """In "a hearing is scheduled on the issue today" "issue" hangs on "hearing", across "scheduled", and comes back."""
    heads = [2, 4, 4, 0, 7, 7, 2, 4]
    relations = ["det", "nsubj", "aux", "root", "case", "det", "nmod", "obl"]
    tree = DependencyTree(
        tuple(DependencyWord(f"w{i}", head=h, deprel=r) for i, (h, r) in enumerate(zip(heads, relations, strict=True)))
    )
    lifted, count = projective(tree)
    assert (count, lifted.words[6].head, lifted.words[6].deprel) == (1, 4, "nmod↑nsubj")
    assert tuple(restored(lifted.words)) == tree.words
    strange = [replace(word, deprel="nmod↑iobj") if "↑" in word.deprel else word for word in lifted.words]
    assert [(word.head, word.deprel) for word in restored(strange)] == [
        (4 if i == 6 else head, relation) for i, (head, relation) in enumerate(zip(heads, relations, strict=True))
    ]


def test_rare_labels_of_lifted_words_are_plain() -> None:
    found = with_frequent_liftings([["nmod↑obj"] * MIN_LIFTINGS + ["nmod↑iobj", "obj"]])
    assert found == [["nmod↑obj"] * MIN_LIFTINGS + ["nmod", "obj"]]


@given(heads_of_trees(), st.integers(0, 2))
def test_restoring_makes_a_tree_of_the_same_words(heads: list[int], turn: int) -> None:
    """With any labels, the words still have one tree, and no label marks a lifted word."""
    words = [
        DependencyWord("w", head=head, deprel="b" if (number + turn) % 3 else "a↑b")
        for number, head in enumerate(heads[1:], start=1)
    ]
    found = restored(words)
    assert {word.deprel for word in found} <= {"a", "b"}
    for number in range(1, len(heads)):
        path = [number]
        while path[-1] and len(path) <= len(heads):
            path.append(found[path[-1] - 1].head or 0)
        assert path[-1] == 0


# CG-3


def test_a_stream_of_cohorts_is_a_lattice(tmp_path: Path, parser: Parser) -> None:
    path = tmp_path / "t.cg3"
    path.write_text('"<ab>"\n\t"a" N\n\t\t"b" V\n;\t"c" V\n\t"d" V @X #1->0\n"<.>"\n"<x>"\n', encoding="utf-8")
    first, second = cohort_sentences(str(path), tag_map_of(None, parser.grammar), parser.words)
    assert isinstance(first, InputSentence)
    assert [(arc.form, arc.category) for arc in first.lattice.arcs] == [("ab", "N"), ("ab", "V")]
    assert first.lattice.skipped == (".",)
    assert isinstance(second, InputSentence)
    assert [(arc.category, arc.guessed) for arc in second.lattice.arcs] == [("V", False)]


def test_the_command_line_names_every_format_that_has_trees() -> None:
    assert ("auto", *WITH_TREES) == TREEBANKS


# Other columns, other brackets, and formats that are named


def sentence_of(text: str, form: str = "auto", notes: Notes | None = None) -> TreebankSentence | Problem:
    (found,) = sentences_of(text.splitlines(keepends=True), "f", form, notes)
    return found


def test_rows_of_conll_2009_are_recognised() -> None:
    found = sentence_of(
        "1\tCats\tcat\tcats\tNNS\tNN\tnum=pl\t_\t2\t0\tSBJ\tROOT\t_\t_\tA0\n"
        "2\tsleep\tsleep\tsleep\tVBP\tVB\t_\t_\t0\t2\tROOT\tOBJ\tY\tsleep.01\t_\n"
    )
    assert isinstance(found, TreebankSentence)
    assert isinstance(found.tree, DependencyTree)
    assert found.tree.words == (
        DependencyWord("Cats", "cat", "_", "NNS", (("num", "pl"),), 2, "SBJ"),
        DependencyWord("sleep", "sleep", "_", "VBP", (), 0, "ROOT"),
    )


def test_columns_that_conllu_lacks_go_into_misc() -> None:
    columns = "# global.columns = ID FORM UPOS HEAD DEPREL MISC PARSEME:MWE\n"
    found = sentence_of(columns + "1\ttake\tVERB\t0\troot\tSpaceAfter=No\t1:VID|2\n2\toff\tADP\t1\tx\t_\t*\n")
    assert isinstance(found, TreebankSentence)
    assert isinstance(found.tree, DependencyTree)
    assert [word.misc for word in found.tree.words] == ["SpaceAfter=No|PARSEME:MWE=1:VID\\p2", "_"]


def test_a_question_of_alpino_has_crossing_branches_and_secondary_edges() -> None:
    text = (
        '<alpino_ds><node cat="whq" rel="--"><node begin="0" index="1" lemma="wat" pos="noun" rel="whd" word="Wat"/>'
        '<node cat="sv1" rel="body"><node begin="1" pos="verb" rel="hd" word="wil"/><node begin="2" index="2" '
        'pos="noun" rel="su" word="Anna"/><node cat="inf" rel="vc"><node index="2" rel="su"/>'
        '<node index="1" rel="obj1"/></node></node></node><sentence sentid="q">Wat wil Anna</sentence></alpino_ds>\n'
    )
    notes = Notes()
    found = sentence_of(text, notes=notes)
    assert isinstance(found, TreebankSentence)
    assert isinstance(found.tree, Tree)
    assert format_brackets(found.tree) == "(whq (noun-whd Wat) (sv1-body (verb-hd wil) (noun-su Anna)))"
    assert notes.counts == {SECONDARY: 1}
    crossing = (
        text.replace('begin="0"', 'begin="9"').replace('begin="1"', 'begin="0"').replace('begin="9"', 'begin="1"')
    )
    assert isinstance(sentence_of(crossing), TreebankSentence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[S [NP cats] [VP [V sleep]]]", "(S (NP cats) (VP (V sleep)))"),
        ("[.S [.NP cats ] [.VP (they) ] ]", "(S (NP cats) (VP -LRB-they-RRB-))"),
    ],
)
def test_trees_in_square_brackets(text: str, expected: str) -> None:
    found = sentence_of(text)
    assert isinstance(found, TreebankSentence)
    assert isinstance(found.tree, Tree)
    assert format_brackets(found.tree) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ The/DT cat/NN ]\nsleeps/VBZ ./. \n", ["The/DT cat/NN sleeps/VBZ ./."]),
        ("\n=====\n\n\nDogs/NNS bark/VBP\n=====\n[ They/PRP ]\n", ["Dogs/NNS bark/VBP", "They/PRP"]),
        ("[ and\\/or/CC ]\n\n[ AT&T/NNP ]\n", ["and\\/or/CC", "AT&T/NNP"]),
        ("[ a/DT ] b/VBG|NN [ c/NN ]\n======", ["a/DT b/VBG|NN c/NN"]),
        ("======\n(/( [ x/NN ]\n)/)\n", ["(/( x/NN )/)"]),
    ],
)
def test_tagged_words_of_the_penn_treebank(text: str, words: list[str]) -> None:
    lines = text.splitlines(keepends=True)
    form = recognised(lines).form
    found = [each.tree for each in read(text, form if form == "pos" else "pos") if isinstance(each, TreebankSentence)]
    assert [" ".join(f"{w.form}/{w.xpos}" for w in t.words) for t in found if isinstance(t, DependencyTree)] == words
    assert form == "pos" or "===" not in text.partition("\n")[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(S (NP the cat) sleeps .)", "(S (NP (_ the) (_ cat)) (_ sleeps) (_ .))"),
        ("( (S (NP-SBJ it)\n  (VP is\n  (ADJP old))\n  .))", "( (S (NP-SBJ (_ it)) (VP (_ is) (ADJP (_ old))) (_ .)))"),
        ("(NP (NP a) ,\n (NP b))", "(NP (NP (_ a)) (_ ,) (NP (_ b)))"),
        ("(S (NP *) (VP *T*-1))", "(S (NP (-NONE- *)) (VP (-NONE- *T*-1)))"),
        ("(VP say (SBAR 0 (S (NP 0 years))))", "(VP (_ say) (SBAR (-NONE- 0) (S (NP (_ 0) (_ years)))))"),
    ],
)
def test_trees_whose_words_have_no_tags(text: str, expected: str) -> None:
    (found,) = read(text, "prd")
    assert isinstance(found.tree, Tree)
    assert format_brackets(found.tree) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#FORMAT=WebAnno TSV 3.3\n", "WebAnno TSV, which Numbat does not read\n  export it as CoNLL-U"),
        ("<?xml version='1.0'?>\n<TEI>\n", "TEI, which"),
        ("T1\tPerson 0 5\tAnna\n", "a file of brat, which"),
        ("\\_sh v3.0 400 Text\n", "a file of Toolbox, which"),
        ("^dogs/dog<n><pl>$\n", "an Apertium stream, which Numbat does not read\n  convert it: cg-conv"),
        ('[[{"id": 1}]]\n', "JSON, which Numbat does not read\n  convert it to CoNLL-U"),
        ("{\n", "JSON, which"),
    ],
)
def test_a_format_that_is_not_read_is_named(text: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        list(sentences_of(text.splitlines(keepends=True), "f", "auto"))
    assert str(error.value).startswith(f"f: this is {said}")


@pytest.mark.parametrize(("form", "element"), [("tiger", "<s>"), ("alpino", "<alpino_ds>")])
def test_xml_without_a_sentence_is_refused(form: str, element: str) -> None:
    with pytest.raises(DataError, match=f"f: no sentence: this file has no element {element}"):
        list(sentences_of(["<x>\n", "</x>\n"], "f", form))


def test_a_stream_without_cohorts_is_refused(tmp_path: Path, parser: Parser) -> None:
    path = tmp_path / "a.txt"
    path.write_text("^dogs/dog<n>$\n", encoding="utf-8")
    with pytest.raises(DataError, match="no word of a CG-3 stream\n  this looks like Apertium's"):
        list(cohort_sentences(str(path), tag_map_of(None, parser.grammar), parser.words))


@pytest.mark.parametrize(
    ("below", "noted"),
    [
        ('\t"x" V\n', False),
        ('\t"x" V\n\t\t"a" N\n', True),
        ('  "x" V\n    "a" N\n  "x" N\n', True),
        ('\t"x" V\n;\t\t"a" N\n', False),
        ('\t"x" V\n\t"x" N\n', False),
        ('    "x" V\n\t"x" N\n', False),
    ],
)
def test_sub_readings_are_noted(below: str, noted: bool, tmp_path: Path, parser: Parser) -> None:
    path, notes = tmp_path / "a.cg3", Notes()
    path.write_text(f'"<x>"\n{below}\n', encoding="utf-8")
    (found,) = cohort_sentences(str(path), tag_map_of(None, parser.grammar), parser.words, notes=notes)
    assert isinstance(found, InputSentence)
    assert len(found.lattice.arcs) == below.count('"x"')
    assert (notes.counts == {SUBREADINGS: 1}) is noted


@pytest.mark.parametrize(
    ("text", "rows", "differs"),
    [
        ("cats sleep.", ("cats", "sleep", "."), False),
        ("cats sleep.", ("cat", "sleep", "."), True),
        ("du chat", ("1-2\tdu", "de", "le", "chat"), False),
        ("de le chat", ("1-2\tdu", "de", "le", "chat"), True),
    ],
)
def test_a_text_that_differs_from_the_words_is_noted(text: str, rows: tuple[str, ...], differs: bool) -> None:
    lines, number = [f"# text = {text}\n"], 0
    for row in rows:
        number += "-" not in row
        columns = row if "-" in row else f"{number}\t{row}"
        lines.append(columns + "\t_" * 8 + "\n")
    notes = Notes()
    list(read_conllu(lines, "f", notes))
    assert (notes.counts == {TEXT_DIFFERS: 1}) is differs


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("[/PUN laugh/NN ]/PUN", "text"),
        ("[laughs loudly]", "columns"),
        ("[Music] he said", "columns"),
        ("[S", "square"),
    ],
)
def test_brackets_of_transcripts_are_no_trees(text: str, form: str) -> None:
    assert recognised([text]).form == form


def test_xml_of_any_root_is_read_as_xml() -> None:
    assert recognised(["<?xml version='1.0'?>", "<annotation>"]) == ("tiger", 2)
