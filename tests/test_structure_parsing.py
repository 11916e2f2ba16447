"""`numbat parse --structure`: dependencies of tagged sentences, in the columns of their file or as brackets."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.structure.model import packed_model
from tests.command_line import Done, Numbat
from tests.structure_model import small_model

pytest.importorskip("numpy")

CONLLU = """# sent_id = one
# text = The (old) cat sees 'em!
1\tThe\tthe\tDET\tD\tDefinite=Def\t5\tdet\t_\tA=1
2\t(\t(\tPUNCT\t_\t_\t5\tpunct\t_\t_
3\told\told\tADJ\tA\t_\t5\tamod\t_\t_
4\t)\t)\tPUNCT\t_\t_\t5\tpunct\t_\t_
5\tcat\tcat\tNOUN\tN\t_\t6\tnsubj\t_\t_
6-7\tsees'em\t_\t_\t_\t_\t_\t_\t_\t_
6\tsees\tsee\tVERB\tV\t_\t0\troot\t_\t_
7\t'em\tthey\tPRON\tP\t_\t6\tobj\t_\t_
8\t!\t!\tPUNCT\t_\t_\t6\tpunct\t_\t_

"""
NOTE = """\
numbat: tags that the model does not know: {}
  words with such a tag depend on the root, or on the word whose phrase surrounds them
"""


@pytest.fixture
def parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("small.model").write_bytes(packed_model(small_model()))
    return Numbat(capsys, monkeypatch)


def run(parse: Numbat, *arguments: str) -> Done:
    return parse("parse", "--structure", "small.model", *arguments)


def test_conllu_keeps_its_rows_and_columns_and_gets_heads(parse: Numbat) -> None:
    Path("t.conllu").write_text(CONLLU, encoding="utf-8")
    done = run(parse, "--from", "conllu", "-i", "t.conllu")
    assert (done.code, done.err) == (0, NOTE.format("PRON (1)"))
    expected = CONLLU
    for word, relation in (("5", "det"), ("5", "punct"), ("5", "amod"), ("6", "nsubj"), ("6", "obj"), ("6", "punct")):
        expected = expected.replace(f"\t{word}\t{relation}\t", f"\t{word}\tdep\t")
    assert done.out == expected


def test_brackets_are_named_as_induction_names_them(parse: Numbat) -> None:
    done = run(parse, "--tagged", "-f", "bracket", "the/DET old/ADJ cat/NOUN sees/VERB dogs/NOUN ./PUNCT")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "(VERB-P (NOUN-P (DET-P (DET the)) (ADJ-P (ADJ old)) (NOUN cat)) (VERB sees) (NOUN-P (NOUN dogs)) "
        "(PUNCT-P (PUNCT .)))\n"
    )


def test_words_within_a_phrase_whose_tags_are_not_known_do_not_break_it(parse: Numbat) -> None:
    done = run(parse, "--tagged", "-f", "bracket", "the/DET uh/INTJ cat/NOUN oh/INTJ sleeps/VERB")
    assert (done.code, done.err) == (0, NOTE.format("INTJ (2)"))
    assert done.out == (
        "(VERB-P (NOUN-P (DET-P (DET the)) (INTJ-P (INTJ uh)) (NOUN cat)) (INTJ-P (INTJ oh)) (VERB sleeps))\n"
    )


@pytest.mark.parametrize(
    ("text", "form"),
    [("the/DET cat/NOUN\n", "auto"), ("the\tDET\ncat\tNOUN\n", "auto"), ("(NP (DET the) (NOUN cat))", "ptb")],
)
def test_every_format_of_tagged_sentences_is_parsed(parse: Numbat, text: str, form: str) -> None:
    Path("t").write_text(text, encoding="utf-8")
    done = run(parse, "--from", form, "-i", "t", "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", "")
    column = "_\t{}" if form == "ptb" else "{}\t_"
    assert (
        Path("out").read_text(encoding="utf-8")
        == "".join(
            f"{number}\t{word}\t_\t{column.format(tag)}\t_\t{head}\t{relation}\t_\t_\n"
            for number, word, tag, head, relation in ((1, "the", "DET", 2, "dep"), (2, "cat", "NOUN", 0, "root"))
        )
        + "\n"
    )


def test_a_sentence_that_is_too_long_stays_without_heads_and_is_told(parse: Numbat) -> None:
    Path("t.txt").write_text("old/ADJ " * 201 + "\nthe/DET cat/NOUN\n", encoding="utf-8")
    done = run(parse, "--from", "text", "-i", "t.txt")
    assert (done.code, done.err) == (
        75,
        "numbat: not parsed, as they have more than 200 words: t.txt:1\n  split them\n",
    )
    first, second, _ = done.out.split("\n\n")
    assert first.count("\t_\t_\t_\t_\t_") == 201
    assert [row.split("\t")[6] for row in second.split("\n")] == ["2", "0"]
    bracketed = run(parse, "--from", "text", "-i", "t.txt", "-f", "bracket").out.split("\n")
    assert bracketed[0].startswith("( (ADJ old) (ADJ old)")
    assert run(parse, "--from", "text", "-i", "t.txt", "--max-length", "9").out == second + "\n\n"


def test_a_model_of_tagged_text_takes_the_column_that_it_knows(parse: Numbat) -> None:
    model = small_model()
    Path("small.model").write_bytes(packed_model(type(model)(model.tags, model.stop, model.child, model.root, "tags")))
    Path("t.conllu").write_text("1\ta\t_\tX\tDET\t_\t_\t_\t_\t_\n2\tb\t_\tY\tNOUN\t_\t_\t_\t_\t_\n", encoding="utf-8")
    done = run(parse, "--from", "conllu", "-i", "t.conllu")
    assert (done.code, done.err) == (0, "")
    assert [row.split("\t")[6] for row in done.out.split("\n")[:2]] == ["2", "0"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("--tagged", "a/X b/Y"),
            65,
            "numbat: <arguments>: the model knows none of the tags\n"
            "  the sentences have tags such as X, Y, the model has ADJ, DET, NOUN, VERB\n",
        ),
        (
            ("--tagged", "the/DET cat"),
            65,
            '<arguments>:1:9: "cat" has no tag\n    the/DET cat\n            ^^^\n'
            "  tagged words are written word/TAG or word/TAG1|TAG2\n",
        ),
        (
            ("--from", "auto", "-i", "x.conllu"),
            65,
            "numbat: x.conllu: no word has a tag in the column UPOS\n"
            "  XPOS has tags: the model was learned from UPOS\n",
        ),
        (
            ("the cat",),
            2,
            "numbat: --structure needs tags\n  add --from auto, or --tagged for words written word/TAG\n",
        ),
        (
            ("--tagged", "-g", "english", "the/DET"),
            2,
            "numbat: --grammar and --structure exclude each other\n"
            "  a dependency model finds the likeliest tree without a grammar: leave one of them out\n",
        ),
        (
            ("--tagged", "-f", "svg", "the/DET"),
            2,
            "numbat: --structure and -f svg exclude each other\n  take -f bracket or conllu\n",
        ),
    ],
)
def test_what_cannot_be_parsed_is_told(parse: Numbat, arguments: tuple[str, ...], code: int, message: str) -> None:
    Path("x.conllu").write_text("1\ta\t_\t_\tDET\t_\t_\t_\t_\t_\n", encoding="utf-8")
    done = run(parse, *arguments)
    assert (done.code, done.out, done.err) == (code, "", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--from", "columns", "-i", "t"),
            "--from columns has no trees\n  add --structure MODEL, or give tagged words with --tagged",
        ),
    ],
)
def test_what_needs_a_model_is_told(parse: Numbat, arguments: tuple[str, ...], message: str) -> None:
    done = parse("parse", *arguments)
    assert (done.code, done.err) == (2, f"numbat: {message}\n")
