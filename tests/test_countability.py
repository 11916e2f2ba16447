"""Countability by counts: what counts as a use of a noun, and what follows for the lexicon."""

from pathlib import Path

import pytest

from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from tools import countability
from tools.countability import Counts, Use, findings, kinds_in, rewritten, uses_in

TREES = """\
(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (JJ cold) (NN water)) (PP (IN in) (NP (NN winter)))))
(S (NP (NP (NNP John) (POS 's)) (NN dog)) (VP (VBZ eats) (NP (NN cat) (NN food))))
(S (NP (NP (DT the) (NN man) (POS 's)) (NNS cats)) (VP (VBP see) (NP (NN page) (CD 7))))
(NP (NN cat))
(S (NP (PRP He)) (VP (VBZ has) (NP (NP (DT a) (NN cat)) (CC and) (NP (NN dog)))))
(S (NP (PRP It)) (VP (VBZ costs) (NP (DT a) (NN dollar)) (PP (IN per) (NP (NN mile)))))
(S (NP (PRP He)) (VP (VBZ goes) (PP (IN from) (NP (NN door))) (PP (TO to) (NP (NN door)))))
"""
CONLLU = """\
# sent_id = a-0001
1	He	he	PRON	PRP	_	2	nsubj	_	_
2	drinks	drink	VERB	VBZ	_	0	root	_	_
3	much	much	ADJ	JJ	_	4	amod	_	_
4	water	water	NOUN	NN	_	2	obj	_	_
5	at	at	ADP	IN	_	6	case	_	_
6	night	night	NOUN	NN	_	2	obl	_	_

"""


def test_uses_of_nouns_are_the_same_in_both_kinds_of_trees(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text(TREES, encoding="utf-8")
    (tmp_path / "b.conllu").write_text(CONLLU, encoding="utf-8")
    trees = {(use.noun, use.bare, use.preposition) for use in uses_in(tmp_path / "a.mrg")}
    assert trees == {
        ("cat", False, ""), ("water", True, ""), ("winter", True, "in"), ("dog", False, ""), ("food", True, ""),
        ("dollar", False, ""), ("door", True, "from"),
    }  # fmt: skip
    assert list(uses_in(tmp_path / "b.conllu")) == [Use("water", False, "", "a"), Use("night", True, "at", "a")]


def test_what_follows_from_counts() -> None:
    kinds = {
        "cat": "count",
        "dog": "count",
        "cow": "count",
        "man": "count",
        "need": "count",
        "chance": "",
        "life": "",
        "water": "mass",
    }

    def uses(noun: str, bare: int, determined: int, preposition: str = "") -> set[Use]:
        return {Use(noun, number < bare, preposition, str(number)) for number in range(bare + determined)}

    found = findings(
        uses("cat", 1, 40)
        | uses("dog", 1, 40)
        | uses("cow", 2, 38)
        | uses("man", 6, 34)
        | uses("need", 1, 30)
        | uses("need", 4, 0, "in")
        | uses("chance", 0, 40)
        | uses("life", 20, 20)
        | uses("life", 3, 0, "in")
        | uses("water", 9, 1),
        kinds,
        {"in life"},
    )
    assert found.optional == {"man": Counts(6, 40), "chance": Counts(0, 40)}
    assert found.fixed == {("in", "need"): Counts(4, 4)}
    lines = ["cat\t%noun\tkind=count article=opt\t.9", "man\t%noun\tkind=count\t\tpl=men", "chance\t%noun"]
    assert list(rewritten(lines, found)) == [
        "cat\t%noun\tkind=count\t.9",
        "man\t%noun\tkind=count article=opt\t\tpl=men",
        "chance\t%noun\tarticle=opt",
        countability.BLOCK,
        "in need\tAdv\tkind=manner",
    ]


def test_a_noun_that_is_a_pronoun_too_has_no_kind() -> None:
    assert kinds_in(["half\tPro", "half\t%noun\tkind=count", "cat\t%noun\tkind=count", "idea\t%noun\tgender=n"]) == {
        "cat": "count",
        "idea": "",
    }


def test_the_lexicon_has_what_the_evidence_says() -> None:
    rows = [line.split("\t") for line in countability.EVIDENCE.read_text(encoding="utf-8").splitlines()[3:]]
    lexicon = countability.LEXICON.read_text(encoding="utf-8")
    marked = {line.split("\t")[0] for line in lexicon.splitlines() if countability.FEATURE in line}
    assert marked == {word for word, *_ in rows if " " not in word}
    assert {f"{pair}\tAdv\tkind=manner" for pair, *_ in rows if " " in pair} == set(
        lexicon.split(countability.BLOCK + "\n")[1].splitlines()
    )


def test_the_lexicon_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("LEXICON", "EVIDENCE"):
        monkeypatch.setattr(countability, name, tmp_path / name)
    (tmp_path / "LEXICON").write_text("water\t%noun\tkind=count\n", encoding="utf-8")
    treebank = tmp_path / "b.conllu"
    monkeypatch.setattr("sys.argv", ["countability", str(treebank)])
    treebank.write_text(CONLLU, encoding="utf-8")
    with pytest.raises(SystemExit):
        countability.main()
    assert "no countable noun has 30 uses here; name larger treebanks" in capsys.readouterr().err
    treebank.write_text("".join(CONLLU.replace("a-0001", f"{text}-0001") for text in range(30)), encoding="utf-8")
    countability.main()
    assert capsys.readouterr().out == "0 nouns, 0 pairs of a preposition and a noun\n"
    assert (tmp_path / "LEXICON").read_text(encoding="utf-8") == f"water\t%noun\tkind=count\n{countability.BLOCK}\n"


@pytest.mark.parametrize(
    ("sentence", "price"),
    [
        ("He met a politician or religious leader.", "noun that shares its determiner"),
        ("He eats with knife and fork.", "countable noun without a determiner"),
        ("Man is mortal.", "countable noun without a determiner"),
        ("He was deputy commander of the garrison.", "office without a determiner"),
        ("They left Jeju island.", "name and noun without a determiner"),
    ],
)
def test_what_is_rare_without_a_determiner_has_a_price(sentence: str, price: str) -> None:
    parse = Parser(load_grammar("english")).parse(sentence)
    assert parse.is_well_formed
    assert price in {each.property.title for each in parse.priced}
