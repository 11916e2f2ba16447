"""CoNLL-U as stanza and UDPipe write it: all of it is read, with messages about parts that are not kept."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from numbat.treebanks.conllu import DependencyTree, format_conllu, read_conllu
from tests.command_line import Numbat

STANZA: Final = """\
# text = The cats sleeps in New York.
# sent_id = 0
# constituency = (ROOT (S (NP (DT The) (NNS cats))))
# sentiment = 1
1	The	the	DET	DT	Definite=Def|PronType=Art	2	det	_	start_char=0|end_char=3|ner=O
2	cats	cat	NOUN	NNS	Number=Plur	3	nsubj	_	start_char=4|end_char=8|ner=O
3	sleeps	sleep	VERB	VBZ	Number=Sing|Person=3	0	root	_	start_char=9|end_char=15|ner=O
4	in	in	ADP	IN	_	6	case	_	start_char=16|end_char=18|ner=O
5	New	New	PROPN	NNP	Number=Sing	6	compound	_	start_char=19|end_char=22|ner=B-GPE
6	York	York	PROPN	NNP	Number=Sing	3	obl	_	start_char=23|end_char=27|ner=E-GPE|SpaceAfter=No
7	.	.	PUNCT	.	_	3	punct	_	start_char=27|end_char=28|ner=O|SpacesAfter=\\n

"""
UDPIPE: Final = """\
# generator = UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe
# udpipe_model = english-ewt-ud-2.12-230717
# newdoc
# newpar
# sent_id = 1
# text = I don't see 10 000 cats.
1	I	I	PRON	PRP	Case=Nom|Number=Sing	4	nsubj	4:nsubj	TokenRange=0:1
2-3	don't	_	_	_	_	_	_	_	TokenRange=2:7
2	do	do	AUX	VBP	_	4	aux	4:aux	_
3	n't	not	PART	RB	_	4	advmod	4:advmod	_
4	see	see	VERB	VB	VerbForm=Inf	0	root	0:root	TokenRange=8:11
4.1	see	see	VERB	VB	_	_	_	4:conj	_
5	10 000	10 000	NUM	CD	NumType=Card	6	nummod	6:nummod	SpacesInToken=10\\s000|TokenRange=12:18
6	cats	cat	NOUN	NNS	Number=Plur	4	obj	4:obj	SpaceAfter=No|TokenRange=19:23
7	.	.	PUNCT	.	_	4	punct	4:punct	SpacesAfter=\\s\\n|TokenRange=23:24

"""
TOKENS: Final = """\
# newpar
# sent_id = 2
# text = The cats sleep.
1	The	_	_	_	_	_	_	_	TokenRange=0:3
2	cats	_	_	_	_	_	_	_	TokenRange=4:8
3	sleep	_	_	_	_	_	_	_	SpaceAfter=No|TokenRange=9:14
4	.	_	_	_	_	_	_	_	SpacesAfter=\\n|TokenRange=14:15

"""
TINY: Final = """\
leaves: Det, N, V
roots: S
S:
    NP < V
    oblig V
NP:
    oblig N
    Det < N
lexicon:
    the: Det
    cats: N
    sleep: V
"""
BY_XPOS: Final = "the map or the grammar has more of these tags than of those in UPOS"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    for name, text in (("stanza", STANZA), ("udpipe", UDPIPE), ("tokens", TOKENS)):
        Path(f"{name}.conllu").write_text(text, encoding="utf-8")
    Path("tiny.pg").write_text(TINY, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def trees_of(text: str) -> list[DependencyTree]:
    found = list(read_conllu(text.splitlines(keepends=True), "test.conllu"))
    return [each for each in found if isinstance(each, DependencyTree)]


@pytest.mark.parametrize("text", [STANZA, UDPIPE, TOKENS])
def test_all_that_other_programs_write_is_read_and_written_again(text: str) -> None:
    assert "".join(map(format_conllu, trees_of(text))) == text


@pytest.mark.parametrize(("name", "text"), [("stanza", STANZA), ("udpipe", UDPIPE)])
def test_a_parse_keeps_tokens_comments_and_what_misc_says(numbat: Numbat, name: str, text: str) -> None:
    done = numbat("parse", "-g", "english", "--from", "conllu", "-i", f"{name}.conllu", "-f", "conllu")
    (given,), (found,) = trees_of(text), trees_of(done.out)
    assert [each for each in found.comments if not each.startswith(("# cost", "# violated"))] == list(given.comments)
    assert [row for row in given.other_rows if "-" in row.columns[0]] == list(found.other_rows)
    own = ("Category=", "Link=", "Guessed=", "Violated=")
    kept = [
        (word.form, "|".join(each for each in word.misc.split("|") if not each.startswith(own)) or "_")
        for word in found.words
    ]
    assert kept == [(word.form, word.misc) for word in given.words]
    for column in ("lemma", "upos", "xpos", "feats", "deprel"):
        assert [getattr(word, column) for word in found.words] == [getattr(word, column) for word in given.words]
    id = given.comment("sent_id")
    assert f"numbat: 1 sentence is read by its tags in XPOS: {id}\n  {BY_XPOS}\n" in done.err
    told = (
        f"numbat: 1 sentence has empty nodes, which do not count as words: {id}\n"
        "  a parse has none: -f conllu leaves them out, and the column DEPS too\n"
    )
    assert (told in done.err) == (name == "udpipe")


def test_the_output_of_a_tokenizer_is_read_by_its_words(numbat: Numbat) -> None:
    asked = ("parse", "-g", "english", "--from", "conllu", "-i", "tokens.conllu", "-f", "bracket")
    assert numbat(*asked, "--words").out == "(S (NP (Det The) (N cats)) (VP (V sleep)))\n"
    refused = numbat(*asked)
    assert refused.code == 65
    assert "tokens.conllu:1:1: no word of the sentence has a tag\n" in refused.err
    assert "  use --words to read only the words, or --tagger MODEL to tag them" in refused.err


def test_a_file_of_ones_own_is_read_again(numbat: Numbat) -> None:
    """A grammar without a map to Universal Dependencies has X in UPOS; its categories are in XPOS."""
    written = numbat("parse", "-g", "tiny.pg", "-f", "conllu", "the cats sleep")
    assert [word.upos for word in trees_of(written.out)[0].words] == ["X"] * 3
    Path("own.conllu").write_text(written.out, encoding="utf-8")
    asked = ("parse", "-g", "tiny.pg", "--from", "conllu", "-i", "own.conllu", "-f", "bracket")
    assert numbat(*asked).out == "(S (NP (Det the) (N cats)) (V sleep))\n"


def test_the_phrases_of_the_input_are_not_taken_for_those_of_the_parse(numbat: Numbat) -> None:
    text = STANZA.replace("start_char=0|", "Tree=(S(NP*|start_char=0|").replace(
        "start_char=4|", "Tree=*)|start_char=4|"
    )
    Path("trees.conllu").write_text(text, encoding="utf-8")
    done = numbat("parse", "-g", "english", "--from", "conllu", "-i", "trees.conllu", "-f", "conllu")
    assert "start_char=0|" in done.out
    assert "Tree=" not in done.out
