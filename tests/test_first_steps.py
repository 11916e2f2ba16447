"""Inputs of beginners: quotation marks, stars, wrong places for output, no grammar named."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO, TextIOWrapper
from os import environ
from pathlib import Path

import click
import pytest

from numbat import parse_grammar
from numbat.acceptability.models import MODELS
from numbat.acceptability.suite import SIGNS
from numbat.acceptability.suite_files import read_suite
from numbat.cli.main import cli
from numbat.cli.options import GROUPS, MODEL_HELP, SECTIONS, VERBS
from numbat.grammar.loading import packaged
from numbat.words.judgement_marks import MEANINGS, leading_mark
from numbat.words.lexical_lookup import read_text, words_of
from tests.command_line import Done, Numbat

GRAMMAR = """\
grammar: small
leaves: Det, N, V, Gen, Co
roots: S, Gen, Co
features: number: sg, pl
S:
    oblig V
    uniq {NP, V}
    NP < V
    NP ~> V [number]
NP:
    oblig N
    uniq {Det, N}
    Det < N
tokens:
    suffix "'s", "'"
    prefix "l'"
lexicon:
    the: Det
    "l'": Det
    cat: N[number=sg]
    cats: N[number=pl]
    "'": Gen
    "'s": Gen
    "'n'": Co
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""
NO_SENTENCE = (
    '"-" is not a sentence, and this command does not read standard input\n'
    "  give the sentence in quotes; numbat parse - reads standard input"
)
TWICE = 'numbat: "-" is given 2 times: {}\n  standard input can be read only once: name files for the other inputs\n'
UNWRITABLE = "give another place with write permission and space"


@pytest.fixture
def numbat(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line in a shell, with pipes and redirections."""
    (folder / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    command = command.replace("numbat", f"{sys.executable} -m numbat")
    root = str(Path(__file__).parents[1])
    return subprocess.run(
        command, shell=True, capture_output=True, env=environ | {"PYTHONPATH": root, "LC_ALL": "C"}, check=False,
        cwd=folder, text=True,
    )  # fmt: skip


# Quotation marks


@pytest.mark.parametrize(
    ("text", "tokens", "skipped"),
    [
        ("'The cat sleeps'", "The cat sleeps", "' '"),
        ("She said that 'it is late'.", "She said that it is late", "' ' ."),
        ("He said 'late.'", "He said late", "' . '"),
        ("the cats' house", "the cats ' house", ""),
        ("the cats’ house", "the cats ' house", ""),
        ("It is the dogs'.", "It is the dogs '", "."),
        ("‘The cat sleeps’", "The cat sleeps", "‘ '"),
        ("`The cat' sleeps", "The cat sleeps", "` '"),
        ("'The cats' house is big', she said.", "The cats ' house is big she said", "' ' , ."),
        ("'It is late', said the cats' owner", "It is late said the cats ' owner", "' ' ,"),
        ("‘The cats’ house is big,’ she said.", "The cats ' house is big she said", "‘ , ' ."),
        ("‘The cats’ house’", "The cats ' house", "‘ '"),
        ("She read 'The Cats' yesterday.", "She read The Cats yesterday", "' ' ."),
        ("'cat' and 'cats'", "cat and cats", "' ' ' '"),
        ("'The cat's house' and the cats' house", "The cat 's house and the cats ' house", "' '"),
        ("in the '90s the cats' house", "in the 90s the cats ' house", "'"),
        ("the cats ' house", "the cats house", "'"),
        ("cat 's cat 'n' cats", "cat 's cat 'n' cats", ""),
        ("l'homme 'l'homme'", "l' homme l' homme", "' '"),
        ("'", "", "'"),
    ],
)
def test_a_single_quote_is_a_genitive_at_the_end_of_a_word_only(text: str, tokens: str, skipped: str) -> None:
    lattice = read_text(text, words_of(parse_grammar(GRAMMAR)))
    assert (" ".join(lattice.tokens), " ".join(lattice.skipped)) == (tokens, skipped)


def test_a_grammar_that_does_not_cut_the_apostrophe_says_itself_what_it_is() -> None:
    words = words_of(parse_grammar(GRAMMAR.replace("""suffix "'s", "'\"""", """suffix "'s\"""")))
    assert read_text("'cat'", words).tokens == ("'", "cat", "'")


# Marks of judgement


@pytest.mark.parametrize(
    ("sentence", "mark", "rest"),
    [
        ("*The cat", "*", "The cat"), (" * The cat", "*", "The cat"), ("??He", "??", "He"), ("?*He", "?*", "He"),
        ("(?) He", "(?)", "He"), ("#He", "#", "He"), ("✓He", "✓", "He"), ("*1 cat", "*", "1 cat"),
        ("The *cat", "", "The *cat"), ("#1 is", "", "#1 is"), ("***He", "", "***He"), ("?", "", "?"), ("*", "", "*"),
        ("", "", ""), ("¿Quién?", "", "¿Quién?"), ("∗The cat", "*", "The cat"), ("？＊他", "?*", "他"),
        ("* [NP: Det < N] cat the", "*", "cat the"), ("∗[NP: N[number=pl] => Det|\"[\"]cats", "*", "cats"),
        ("?? [ NP : Det < N]  cat the", "??", "cat the"), ('* ["X-1": A < B] b a', "*", "b a"),
        ("✓ [NP: Det < N] cat the", "✓", "[NP: Det < N] cat the"), ("[NP: Det < N] the", "", "[NP: Det < N] the"),
        ("* [the cat] sleeps", "*", "[the cat] sleeps"), ("* [NP: the cat", "*", "[NP: the cat"),
        ("* [NP: Det < N]", "*", ""),
    ],
)  # fmt: skip
def test_the_mark_before_a_sentence(sentence: str, mark: str, rest: str) -> None:
    assert leading_mark(sentence) == (mark, rest)


def test_marks_may_be_other_characters(numbat: Numbat) -> None:
    """Marks from PDF files and East Asian keyboards."""
    mark = 'numbat: 1: the mark "*" is not part of the sentence: it means that its author judges it ill-formed\n'
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "∗The cat sleeps.").err.startswith(mark)
    Path("l.txt").write_text("∗The cat sleep\nThe cat sleeps\n", encoding="utf-8")
    Path("s.tsv").write_text("sentence\tjudgement\nThe cat sleep\t∗\nThe cat sleeps\tok\n", encoding="utf-8")
    for suite in ("l.txt", "s.tsv"):
        assert [item.is_good for item in read_suite(suite).items] == [False, True]


def test_every_mark_is_a_sign_of_suites() -> None:
    assert set(MEANINGS) <= set(SIGNS)
    assert all((SIGNS[mark] == 1.0) == (meaning == "well-formed") for mark, meaning in MEANINGS.items())
    assert all((SIGNS[mark] == 0.0) == (meaning == "ill-formed") for mark, meaning in MEANINGS.items())


def test_a_mark_is_announced_and_the_rest_parsed(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "*The cat sleeps.") == Done(
        "(S (NP (Det The) (N cat)) (V sleeps))\n",
        'numbat: 1: the mark "*" is not part of the sentence: it means that its author judges it ill-formed\n'
        "  numbat test FILE compares such judgements with those of the grammar\n",
        0,
    )
    Path("in.txt").write_text("*cats sleeps\ncats sleep\n??cat sleep\n", encoding="utf-8")
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "-i", "in.txt").err == (
        'numbat: the marks before 2 sentences, "*", "??", are judgements, not parts of the sentences\n'
        "  numbat test FILE compares such judgements with those of the grammar\n"
    )
    assert numbat("explain", "-g", "g.pg", "?the cat sleeps").err == (
        'numbat: the mark "?" is not part of the sentence: it means that its author judges it doubtful\n'
        "  numbat test FILE compares such judgements with those of the grammar\n"
    )


LIST = "*The cats sleeps, he said.\nThe cat sleeps, he said.\n\n# a comment\n??The cats sleeps\n"


@pytest.mark.parametrize("head", ["", "sentence\n"])
def test_a_list_of_marked_sentences_is_a_suite(tmp_path: Path, head: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(head + LIST, encoding="utf-8")
    suite = read_suite(str(path))
    assert [(item.judgement, item.sentence) for item in suite.items] == [
        ("*", "The cats sleeps, he said."),
        ("ok", "The cat sleeps, he said."),
        ("??", "The cats sleeps"),
    ]
    assert [item.rating for item in suite.items] == [0.0, 1.0, 0.4]
    assert [item.line - head.count("\n") for item in suite.items] == [1, 2, 5]
    assert suite.kind == "judged"


@pytest.mark.parametrize("sign", ["\t", ";"])
def test_marks_are_judgements_where_no_column_is_one(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "suite.csv"

    def read(*rows: tuple[str, ...]) -> list[tuple[str | None, float | None, str]]:
        path.write_text("".join(sign.join(row) + "\n" for row in rows), encoding="utf-8")
        return [(item.judgement, item.rating, item.sentence) for item in read_suite(str(path)).items]

    assert read(("id", "sentence"), ("a", "#cats"), ("b", "cat")) == [("#", 0.4, "cats"), ("ok", 1.0, "cat")]
    assert read(("id", "sentence"), ("a", "cats"), ("b", "cat")) == [(None, None, "cats"), (None, None, "cat")]
    assert read(("sentence", "rating"), ("*cats", "2"), ("cat", "6")) == [(None, 2.0, "cats"), (None, 6.0, "cat")]
    assert read(("sentence", "judgement"), ("*cats", "*")) == [("*", 0.0, "cats")]
    assert read(("good", "bad"), ("cat", "*cats")) == [("ok", 1.0, "cat"), ("*", 0.0, "cats")]


def test_a_list_without_marks_is_no_table(numbat: Numbat) -> None:
    Path("list.txt").write_text("The cat sleeps.\nThe cats sleep.\n", encoding="utf-8")
    assert numbat("test", "-g", "g.pg", "list.txt") == Done(
        "",
        "numbat: list.txt:1: no column of sentences among 'The cat sleeps.'\n  the first line names the columns: "
        "sentence, and judgement or rating, or good and bad; --columns sentence=Satz,rating=Note translates column "
        "names, --columns rating,sentence names the columns of a file without names, --columns sentence reads a plain "
        "list\n",
        65,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id\tsentence\tjudgement\n1\t*cat\tok\n2\t*cats\t*\n3\t?cat\tok\n",
            's.csv:2:3: the mark "*" stands before the sentence, but the judgement is "ok"\n  remove one of the two\n',
        ),
        (
            "good\tbad\n*cat\tcats\n",
            's.csv:2:1: the mark "*" stands before the sentence, but the column is "good"\n  remove one of the two\n',
        ),
        ("sentence\trating\ncat\t4,5\n", 's.csv:2:5: "4,5" is not a rating\n  a rating is a number; write 4.5\n'),
        (
            "id\tsentence\trelation\tjudgement\n1\tcat\tlinearty\t*\n2\tcats\tagreement\t*\n3\tcat\tfoo\t*\n4\tcat\tfoo\t*\n",
            's.csv:2:7: "linearty" is not a relation of the grammar\n  did you mean "linearity"?\n'
            's.csv:3:8: "agreement" is not a relation of the grammar\n  did you mean "dependency"?\n'
            's.csv:4:7: "foo" is not a relation of the grammar, in 2 lines\n  the relations are: obligation, '
            "uniqueness, linearity, adjacency, near, requirement, exclusion, dependency, wildcard; for a suite of "
            "another grammar, name that with -g\n",
        ),
    ],
)
def test_mistakes_in_suites(numbat: Numbat, text: str, message: str) -> None:
    Path("s.csv").write_text(text, encoding="utf-8")
    assert numbat("test", "-g", "g.pg", "s.csv") == Done("", message, 65)


# Words that the lexicon does not have


def test_unknown_words_are_counted(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "teh cat", "sleeps")
    assert done.out.splitlines()[4] == (
        "partial parse of 2 fragments: cost 20 (fragments 20); weight 2; 1 tree; 2 satisfied, 0 violated; "
        "1 word unknown: teh"
    )
    assert "unknown" not in done.out.splitlines()[-2]
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "teh cat", "dgo teh").err == (
        "numbat: most words, 3 of 4, are not in the lexicon of the grammar small\n"
        "  -g names another grammar\n"
        "numbat: 3 words unknown in 2 sentences: teh (the?), dgo\n"
        "  add them to the lexicon, or find their categories with --tagger MODEL\n"
    )


def test_a_guessed_word_is_no_unknown_one(numbat: Numbat) -> None:
    grammar = 'leaves: Det, N\nNP:\n    oblig N\n    uniq {Det, N}\n    Det < N\nguess:\n    "*og": N\n'
    Path("guesses.pg").write_text(grammar, encoding="utf-8")
    out = numbat("parse", "-g", "guesses.pg", "teh dog").out.splitlines()
    assert out[:3] == ["?  teh (unknown)", "NP", "└─ N  dog (guessed)"]
    assert out[4].endswith("; 1 word guessed: dog; 1 word unknown: teh")
    assert numbat("parse", "-g", "guesses.pg", "-f", "bracket", "teh dog", "frog").err == (
        "numbat: most words, 3 of 3, are not in the lexicon of the grammar\n  -g names another grammar\n"
        "numbat: 2 words guessed in 2 sentences: dog, frog\nnumbat: 1 word unknown: teh\n"
        "  add them to the lexicon, or find their categories with --tagger MODEL\n"
    )


@pytest.mark.parametrize(("tags", "model"), [("DT, NN", "penn"), ("Det, N", "MODEL")])
@pytest.mark.parametrize("form", ["tree", "json"])
def test_a_grammar_without_words_wants_a_tagger(numbat: Numbat, tags: str, model: str, form: str) -> None:
    grammar = f'leaves: {tags}, "."\nNP:\n    uniq {{{tags}}}\nlexicon: "!": "."\n'
    Path("w.pg").write_text(grammar, encoding="utf-8")
    advice = f"numbat: the grammar has no words in its lexicon\n  --tagger {model} finds their categories\n"
    assert numbat("parse", "-g", "w.pg", "-f", form, "the cat").err == advice
    Path("w.pg").write_text(f"{grammar}    the: {tags}\n".replace(': "!"', ':\n    "!"'), encoding="utf-8")
    assert numbat("parse", "-g", "w.pg", "-f", form, "the cat").err == ""


def test_signs_that_are_read_out_are_not_lost_in_silence(numbat: Numbat) -> None:
    out = numbat("parse", "-g", "g.pg", "the cat 😀 sleeps, dog %!").out
    assert "; left out: 😀, %\n" in out


def test_judge_says_where_the_lexicon_has_a_word_otherwise(numbat: Numbat) -> None:
    done = numbat("judge", "-g", "g.pg", "(S (NP (Det cat) (N dog)) (V sleeps))")
    assert (done.err, done.code) == ('numbat: "cat" is N in the lexicon, not Det as in the tree\n', 0)


def test_parses_with_the_same_brackets_are_told(numbat: Numbat) -> None:
    text = GRAMMAR.replace("cat: N[number=sg]", "cat: N[number=sg], N[number=pl]").replace("NP ~> V [number]", "NP + V")
    Path("g.pg").write_text(text, encoding="utf-8")
    done = numbat("parse", "-g", "g.pg", "-f", "bracket", "-n", "2", "the cat sleeps")
    assert done == Done(
        "(S (NP (Det the) (N cat)) (V sleeps))\n(S (NP (Det the) (N cat)) (V sleeps))\n",
        "numbat: 1: parses 1 and 2 differ in features only: see them with -f tree\n",
        0,
    )


# Output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["parse -g g.pg 'the cat sleeps'", "check g.pg", "--help"])
def test_a_full_disk_behind_standard_output(tmp_path: Path, command: str) -> None:
    done = shell(f"numbat {command} > /dev/full", tmp_path)
    assert (done.returncode, done.stderr.partition("g.pg: ")[0]) == (
        74,
        "numbat: standard output cannot be written: No space left on device\n"
        "  free some space, or redirect the output\n",
    )
    for buffered in ("", "1"):
        whole = f"PYTHONUNBUFFERED={buffered} numbat {command} > /dev/full 2> /dev/full"
        assert shell(whole, tmp_path).returncode == 74


def test_streams_that_are_closed(tmp_path: Path) -> None:
    done = shell("numbat check g.pg >&-", tmp_path)
    assert (done.returncode, done.stderr) == (
        74, "numbat: standard output cannot be written: it is closed\n  free some space, or redirect the output\n"
    )  # fmt: skip
    assert shell("numbat check none.pg 2>&-", tmp_path).returncode == 66
    done = shell("numbat parse -g g.pg - <&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "numbat: nothing to parse: no sentence was given\n")


SUITE = "judgement\tsentence\nok\tthe cat sleeps\n*\tthe cats sleeps\n"


@pytest.mark.parametrize(
    ("suite", "first"),
    [
        (SUITE, "<stdin>: 2 sentences, judged"),
        ("sentence,rating\nthe cat sleeps,6\nthe cats sleeps,2.5\n", "<stdin>: 2 sentences, rated"),
        ('{"good": "the cat sleeps", "bad": "the cat sleep"}\n', "<stdin>: 2 sentences, pairs"),
        ("the cat sleeps\n*the cats sleeps\n", "<stdin>: 2 sentences, judged"),
    ],
)
def test_a_suite_from_standard_input(numbat: Numbat, monkeypatch: pytest.MonkeyPatch, suite: str, first: str) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(suite.encode())))
    done = numbat("report", "-", "-g", "g.pg")
    assert (done.out.splitlines()[0], done.err, done.code) == (first, "", 0)


def test_a_grammar_from_standard_input(tmp_path: Path) -> None:
    done = shell("numbat check - <g.pg", tmp_path)
    assert (done.stdout, done.stderr) == (
        "<stdin>: 2 constructions, 9 properties, 5 leaves, 9 lexicon forms; 0 errors, 0 warnings\n", ""
    )  # fmt: skip
    done = shell("numbat parse -g - -f bracket 'the cats sleeps' <g.pg", tmp_path)
    assert (done.stdout, done.stderr) == ("(S (NP (Det the) (N cats)) (V sleeps))\n", "")
    done = shell("echo 'NP: Det < N' | numbat check -", tmp_path)
    assert done.stderr.startswith("<stdin>:1:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["test", "-", "--accept"],
            "--accept saves the outcomes beside the suite, but this suite is standard input\n"
            "  give the suite as a file",
        ),
        (["parse", "--watch", "a", "-g", "-"], "--watch cannot watch standard input\n  give the grammar as a file"),
        (["explain", "-"], NO_SENTENCE),
        (["repair", "-"], NO_SENTENCE),
    ],
)
def test_what_is_not_read_from_standard_input(numbat: Numbat, arguments: list[str], message: str) -> None:
    assert numbat(*arguments) == Done("", f"numbat: {message}\n", 2)


@pytest.mark.parametrize(
    ("arguments", "path", "reason"),
    [
        (["convert", "g.pg", "-o"], "none/g.yaml", "No such file or directory"),
        (["convert", "g.pg", "-o"], "g.pg/x.yaml", "Not a directory"),
        (["convert", "g.pg", "-o"], ".", "Is a directory"),
        (["show", "g.pg", "--html"], "none/x.html", "No such file or directory"),
        (["report", "none.tsv", "--html"], "none/x.html", "No such file or directory"),
        (["report", "none.tsv", "--csv"], "g.pg/tables", "Not a directory"),
        (["compare", "g.pg", "g.pg", "none.tsv", "--html"], "none/x.html", "No such file or directory"),
        (["learn", "costs", "none.tsv", "-o"], "none/m.tsv", "No such file or directory"),
        (["tag", "train", "none.txt", "-o"], "none/m", "No such file or directory"),
        (["induce", "none.mrg", "-o"], "none/g.pg", "No such file or directory"),
    ],
)
def test_output_that_cannot_be_written_is_told_before_the_work(
    numbat: Numbat, arguments: list[str], path: str, reason: str
) -> None:
    assert numbat(*arguments, path) == Done("", f"numbat: {path}: cannot be written: {reason}\n  {UNWRITABLE}\n", 73)


@pytest.mark.parametrize(
    ("arguments", "options", "path"),
    [
        (["induce", "none.mrg", "-o", "e.pg", "--lexicon", "e.pg"], "--output and --lexicon", "e.pg"),
        (["induce", "none.mrg", "--rules", "r.tsv", "--lexicon", "./r.tsv"], "--rules and --lexicon", "./r.tsv"),
        (["report", "none.tsv", "--latex", "g.pg", "--html", "g.pg"], "--latex and --html", "g.pg"),
        (["report", "none.tsv", "--html", "t", "--csv", "t"], "--html and --csv", "t"),
    ],
)
def test_two_outputs_are_not_one_file(numbat: Numbat, arguments: list[str], options: str, path: str) -> None:
    assert numbat(*arguments) == Done(
        "", f"numbat: {options} name the same file: {path}\n  give each a different file\n", 2
    )


def test_every_file_that_is_written_is_named(numbat: Numbat) -> None:
    Path("s.tsv").write_text("judgement\tsentence\nok\tthe cat sleeps\n*\tthe cats sleeps\n", encoding="utf-8")
    done = numbat("report", "s.tsv", "-g", "g.pg", "--html", "r.html", "--latex", "r.tex", "--csv", "t")
    written = [line.removeprefix("numbat: wrote ") for line in done.err.splitlines()]
    assert set(written) == {"r.html", "r.tex", *(str(path) for path in Path("t").iterdir())}
    assert numbat("show", "g.pg", "--html", "g.html") == Done("", "numbat: wrote g.html\n", 0)


# Help


def test_every_verb_has_a_line_that_is_not_cut(numbat: Numbat) -> None:
    assert isinstance(cli, click.Group)
    assert {name.split()[0] for name in VERBS} == set(cli.commands)
    assert sorted(" ".join(SECTIONS.values()).split()) == sorted(cli.commands)
    told = numbat("--help").out.splitlines()
    lines = {name: entry.help for name, entry in VERBS.items() if " " not in name} | GROUPS
    for name, line in lines.items():
        assert f"  {name:<10}  {line}" in told
        assert max(map(len, told)) <= 80
    assert numbat("tag", "--help").out.endswith(
        "  run    Label sentences with a model.\n"
        "  score  Score a model on labelled sentences.\n"
        "  train  Train a tagger on labelled sentences.\n"
    )


def test_help_names_the_models() -> None:
    assert [name.strip() for name in MODEL_HELP.split(": ")[1].partition(";")[0].split(",")] == [
        "cost", "net", *(name for name in MODELS if name not in ("cost", "net"))
    ]  # fmt: skip


def test_show_alone_lists_the_packaged_grammars(numbat: Numbat) -> None:
    done = numbat("show")
    lines = done.out.splitlines()
    assert (done.err, done.code) == ("", 0)
    assert lines[0].split() == ["grammar", "language", "constructions", "properties", "forms"]
    assert tuple(line.split()[0] for line in lines[1:]) == packaged()
    assert lines[1].split(maxsplit=5) == ["anbn", "-", "1", "8", "2", "The language a^n b^n"]
    assert numbat("show", "--html", "x.html") == Done(
        "", "numbat: no grammar is given\n  name one; numbat show without options lists the packaged ones\n", 2
    )


def test_a_grammar_without_constructions_is_doubtful(numbat: Numbat) -> None:
    Path("empty.pg").write_text("", encoding="utf-8")
    assert numbat("check", "empty.pg") == Done(
        "empty.pg: 0 constructions, 0 properties, 0 leaves, 0 lexicon forms; 0 errors, 1 warning\n",
        "empty.pg: warning: there is no construction, so every sentence is parsed as single words\n"
        '  write a construction as "NP:" and, indented below it, its properties: "Det < N"\n\n',
        0,
    )
    told = f"numbat: .: this folder has neither {Path.cwd().name}.pg nor grammar.pg\n  name the grammar file in it\n"
    assert numbat("check", ".") == Done("", told, 66)


def test_convert_prints_the_notation(numbat: Numbat) -> None:
    assert numbat("convert", "g.pg") == numbat("convert", "g.pg", "-f", "pg")


# Drawings


def test_a_parse_as_a_drawing(numbat: Numbat) -> None:
    svg = numbat("parse", "-g", "g.pg", "-f", "svg", "the cats sleeps").out
    assert (svg.count("<svg "), svg[:5], svg[-7:]) == (1, "<svg ", "</svg>\n")
    for arguments in (["-n", "2", "cat"], ["cat", "cats"], ["-i", "x"], ["-"]):
        assert numbat("parse", "-g", "g.pg", "-f", "svg", *arguments) == Done(
            "", "numbat: -f svg can draw only one parse of one sentence\n  -f html puts several on a page\n", 2
        )


def test_parses_as_a_page(numbat: Numbat) -> None:
    page = numbat("parse", "-g", "g.pg", "-f", "html", "the <cats> sleeps", "cats").out
    assert page.startswith("<!doctype html>\n")
    assert page.endswith("\n</body>\n</html>\n")
    assert page.count("<svg ") == page.count("</svg>") == 2
    assert "<h2>the &lt;cats&gt; sleeps</h2>" in page
    assert "[S: NP ~&gt; V [number], " in page


def test_parses_for_latex(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "-f", "latex", "the cat sleeps", "cats").out == (
        "% for the preamble: \\usepackage[T1]{fontenc} \\usepackage{xcolor} \\usepackage{forest}\n"
        "% the cat sleeps\n"
        "% full parse: cost 0; weight 9; 1 tree; 9 satisfied, 0 violated\n"
        "\\begin{forest}\n"
        "  [{S\\\\\\scriptsize [number=sg]}, align=center\n"
        "    [{NP\\\\\\scriptsize [number=sg]}, align=center\n"
        "      [{Det} [{the}, tier=word]]\n"
        "      [{N\\\\\\scriptsize [number=sg]}, align=center [{cat}, tier=word]]\n"
        "    ]\n"
        "    [{V\\\\\\scriptsize [number=sg]}, align=center [{sleeps}, tier=word]]\n"
        "  ]\n"
        "\\end{forest}\n"
        "\n"
        "% cats\n"
        "% full parse: cost 1 (violations 1); weight 3; 1 tree; 3 satisfied, 1 violated\n"
        '% the S "cats" has no V  [S: oblig V, g.pg:6]\n'
        "\\begin{forest}\n"
        "  [{S\\\\\\scriptsize $\\times$ oblig V}, text=red, align=center\n"
        "    [{NP\\\\\\scriptsize [number=pl]}, align=center\n"
        "      [{N\\\\\\scriptsize [number=pl]}, align=center [{cats}, tier=word]]\n"
        "    ]\n"
        "  ]\n"
        "\\end{forest}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "inputs"),
    [
        ("parse - -", "SENTENCES"),
        ("parse -g - -", "SENTENCES and --grammar"),
        ("judge -i - -g -", "--input and --grammar"),
        ("test - --tag-map -", "SUITE and --tag-map"),
        ("compare - - s.tsv", "OLD and NEW"),
        ("induce - t.mrg -", "TREES"),
        ("score - -", "GOLD and PREDICTED"),
        ("show - --html s.html --trees -", "GRAMMAR and --trees"),
    ],
)
def test_the_standard_input_is_read_once(numbat: Numbat, arguments: str, inputs: str) -> None:
    assert numbat(*arguments.split()) == Done("", TWICE.format(inputs), 2)


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        ("parse -g g.pg -f bracket -i long.txt", "numbat: 1 word unknown: xxx"),
        ("parse -g g.pg --tagged -i long.txt", 'long.txt:1:1: "xxx'),
        ("parse -g g.pg --expansions long.exp cat", "long.exp:2:1: not an expansion: 1 cell, not 3"),
        ("score t.mrg t.mrg --params long.txt", "long.txt:1:1: not understood: xxx"),
        ("check long.txt", "long.txt:1:100001: "),
        ("test long.txt", "numbat: long.txt:1: no column of sentences among 'xxx"),
        ("trees long.txt", "long.txt:1:1: text outside the trees\n"),
    ],
)
def test_messages_about_long_lines_are_short(numbat: Numbat, arguments: str, begins: str) -> None:
    long = "x" * 100_000 + "\n"
    Path("long.txt").write_text(long, encoding="utf-8")
    Path("long.exp").write_text("# numbat expansions/1\n" + long, encoding="utf-8")
    Path("t.mrg").write_text("(S (V x))\n", encoding="utf-8")
    done = numbat(*arguments.split())
    assert done.err.startswith(begins)
    assert len(done.err) < 2_000


def test_a_sentence_in_the_place_of_a_command(numbat: Numbat) -> None:
    assert numbat("The cat sleeps").err == (
        'numbat: "The cat sleeps" is not a command\n  write numbat parse "The cat sleeps"\n'
    )


def test_the_name_of_a_file_in_the_place_of_a_sentence(numbat: Numbat) -> None:
    Path("list.txt").write_text("the cat\n", encoding="utf-8")
    done = numbat("parse", "-g", "g.pg", "list.txt")
    assert (done.out.splitlines()[0], done.err) == (
        "?  list.txt (unknown)",
        'numbat: "list.txt" was read as a sentence, but is the name of a file\n'
        "  numbat parse -i list.txt parses the lines of that file\n",
    )
    Path("names.txt").write_text("list.txt\n", encoding="utf-8")
    assert numbat("parse", "-g", "g.pg", "-i", "names.txt").err == ""


def test_trees_in_the_place_of_sentences(numbat: Numbat) -> None:
    said = "numbat: the sentences look like trees\n"
    Path("t.mrg").write_text("(S (NP (N cat)) (V sleeps))\n(S (V sleeps))\n", encoding="utf-8")
    Path("t.conllu").write_text("1\tcat\t_\tN\t_\t_\t0\troot\t_\t_\n", encoding="utf-8")
    others = {
        "t.dp": "cat\tN\t2\nsleeps\tV\t0\n",
        "t.export": "cat\tcat\tN\t--\tHD\t500\nsleeps\tV\t--\t--\t0\n",
        "t.xml": '<s id="s1">\n<t id="s1_1" word="cat" pos="N"/>\n',
        "t.cg": '"<cat>"\n\t"cat" N Sg\n',
    }
    for name, text in others.items():
        Path(name).write_text(text, encoding="utf-8")
    for name in ("t.mrg", "t.conllu", *others):
        assert numbat("parse", "-g", "g.pg", "-i", name).err == f"{said}  --from auto reads a treebank\n"
    assert numbat("parse", "-g", "g.pg", "--from", "ptb", "-i", "t.mrg").err == ""
    assert numbat("parse", "-g", "g.pg", "(S (V sleeps))").err == f"{said}  numbat judge takes a tree\n"
    round = "a tree is written in round brackets, each word in its own: (NP (DT the) (NN cat))"
    for tree in ("[S [V sleeps]]", "[VP sleeps]"):
        assert numbat("parse", "-g", "g.pg", tree).err == f"{said}  numbat judge takes a tree: {round}\n"
    for sentence in ("(cat sleeps)", '"cat" sleeps', "<cat> sleeps"):
        assert numbat("parse", "-g", "g.pg", sentence).err == ""


def test_two_sentences_in_one(numbat: Numbat) -> None:
    how = "  quote each sentence, or write it on its own line of a file; numbat parse --split splits running text\n"
    for text in ("the cat. The cat", "cat! Cat", "the cat? The cat."):
        told = "numbat: 1: this seems to be more than one sentence\n"
        assert numbat("parse", "-g", "g.pg", text).err == told + how
        assert numbat("explain", "-g", "g.pg", text).err == told.replace("1: ", "") + how
    for text in ("the cat.", "the Prof. Cat", "“cat!” The cat", "the cat. the cat", "cat... The cat"):
        assert numbat("parse", "-g", "g.pg", text).err == ""
    Path("list.txt").write_text("the cat\n" + "the cat. The cat\n" * 4, encoding="utf-8")
    told = "numbat: list.txt:2, list.txt:3, list.txt:4, …: these 4 seem to be more than one sentence\n"
    assert numbat("parse", "-g", "g.pg", "-i", "list.txt").err == told + how
    Path("t.mrg").write_text("(S (NP (N cat)) (. !) (NP (N Cat)))\n", encoding="utf-8")
    assert numbat("parse", "-g", "g.pg", "--from", "ptb", "-i", "t.mrg").err == ""


def test_a_sentence_without_its_quotes(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "the", "cat") == Done(
        "(S (NP (Det the)))\n(S (NP (N cat)))\n",
        "numbat: each of the 2 words was read as a sentence\n"
        '  quote a sentence of several words: numbat parse "The cat sleeps"\n',
        0,
    )
    assert numbat("parse", "-g", "g.pg", "-f", "bracket", "the cat", "cat").err == ""
    for arguments, what in (
        (["explain", "The", "cat"], "sentence of several words"),
        (["contrast", "a", "b", "c"], "sentence of several words"),
        (["judge", "(S", "(N cat))"], "tree"),
    ):
        assert numbat(*arguments).err.endswith(f"\nPut a {what} in quotes.\n")
    assert numbat("check", "a", "b").err.endswith("\nError: Got unexpected extra argument (b)\n")


def test_a_sentence_in_the_place_of_a_file(numbat: Numbat) -> None:
    assert numbat("report", "The cat sleeps") == Done(
        "",
        "numbat: The cat sleeps: cannot be read: No such file or directory\n"
        "  name a file here, or - for standard input; numbat parse takes sentences in quotes\n",
        66,
    )


def test_lines_that_begin_with_a_hash_are_counted(numbat: Numbat) -> None:
    Path("l.txt").write_text("# one\nthe cat sleeps\n#1 cat sleeps\n", encoding="utf-8")
    done = numbat("parse", "-g", "g.pg", "-f", "bracket", "-i", "l.txt")
    assert len(done.out.splitlines()) == 1
    assert done.err == (
        "numbat: 2 lines begin with # and were skipped: l.txt:1, l.txt:3\n  --hash-lines reads such lines\n"
    )
    assert len(numbat("parse", "-g", "g.pg", "-f", "bracket", "-i", "l.txt", "--hash-lines").out.splitlines()) == 3
