"""The help of every verb: examples that run, options under headings, one screen; completion."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from numbat.cli.main import SHELLS, VARIABLE, cli
from numbat.cli.options import HEADINGS, REMOVED, VERBS, Option, Verb
from numbat.errors import counted
from numbat.files import packaged_folder
from tests.command_line import Done, Numbat

ROOT = Path(__file__).parents[1]
SUITE = "judgement\tsentence\n" + "".join(
    f"{sign}\t{sentence}\n"
    for sign, sentence in (
        ("ok", "The cat sleeps."),
        ("*", "The cats sleeps."),
        ("ok", "She sees him."),
        ("*", "Her sees he."),
        ("ok", "The dog barks."),
        ("*", "Dog the barks."),
    )
)
ISLANDS = "item\tstructure\tdistance\tsentence\trating\n" + "".join(
    f"{item}\t{structure}\t{distance}\t{noun} {verb}\t{item % 3 + len(distance)}\n"
    for item in range(1, 4)
    for structure, noun in (("non", "the cat"), ("island", "the cats"))
    for distance, verb in (("long", "sleeps"), ("short", "sees him"))
)
RATED = "sentence\trating\n" + "".join(
    f"{sentence}\t{rating}\n"
    for sentence, rating in (
        ("The cat sleeps.", 7),
        ("The cats sleeps.", 4),
        ("She sees him.", 6.5),
        ("Her sees he.", 2),
        ("The dog barks.", 6.8),
        ("Dog the barks.", 1.5),
        ("The dogs bark.", 6.1),
        ("The dogs barks.", 3.5),
        ("He sees the cat.", 6.9),
        ("He see the cat.", 3.1),
        ("The the cat sleeps.", 2.2),
        ("Cat the sleeps.", 1.2),
    )
)
GOLD = "(S (NP (D the) (N cat)) (VP (V sleeps)))\n(S (NP (D a) (N dog)) (VP (V barks)))\n"
ROLES = "".join(
    json.dumps({"id": f"s{i}", "labels": [{"A0": 0.4, "A1": 0.6}, {"A0": 0.1, "A1": 0.9}], "gold": ["A0", "A1"]}) + "\n"
    for i in range(3)
)
ITEMS = "item,structure,length,sentence\n" + "".join(
    f"{item},{structure},{length},The {noun}{'s' * (structure == 'bad')} sleeps{' here' * (length == 'long')}.\n"
    for item, noun in enumerate(("cat", "dog", "boy", "girl"), start=1)
    for structure in ("good", "bad")
    for length in ("short", "long")
)
LINKS = (
    "1\tShe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tthe\t_\tDET\t_\t_\t4\tdet\t_\t_\n"
    "4\tman\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n"
    "5\twith\t_\tADP\t_\t_\t7\tcase\t_\t_\n"
    "6\tthe\t_\tDET\t_\t_\t7\tdet\t_\t_\n"
    "7\ttelescope\t_\tNOUN\t_\t_\t2\tobl\t_\t_\n"
    "\n"
)
"""A sentence that may be read in two ways."""
PILOT = "participant\titem\tstructure\tlength\trating\n" + "".join(
    f"p{who}\t{item}\t{structure}\t{length}\t{(who * item * 7 + place * place) % 5 + place}\n"
    for who in range(1, 5)
    for item in range(1, 9)
    for place, (structure, length) in enumerate((s, n) for s in ("good", "bad") for n in ("short", "long"))
    if place == (who + item) % 4
)
SENTENCES = ("the/DET cat/NOUN sleeps/VERB", "dogs/NOUN see/VERB the/DET cat/NOUN", "she/PRON sleeps/VERB")
SAID = "cat\tk a t\nact\ta k t\ntack\tt a k\ntact\tt a k t\n"
EXERCISE = "first.exercise.yaml"
RESULTS = (
    "# 1. Results reception time.\n# 2. MD5 hash of participant's IP address.\n# 3. Controller name.\n"
    "# 4. Order number of item.\n# 5. Inner element number.\n# 6. Label.\n# 7. Latin Square Group.\n"
    "# 8. PennElementType.\n# 9. PennElementName.\n# 10. Parameter.\n# 11. Value.\n# 12. EventTime.\n"
    "# 13. item.\n# 14. condition.\n# 15. sentence.\n# 16. Comments.\n"
    + "".join(
        f"1,p,PennController,{number},0,{label},A,Scale,rate,Choice,{rating},16,{number},a,The cat sleeps.,NULL\n"
        for number, (label, rating) in enumerate((("practice", 4), ("target", 6), ("target", 2)))
    )
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name, as a user has them."""
    path = tmp_path_factory.mktemp("examples")
    corpora = packaged_folder("corpora")
    (path / "trees.mrg").write_text((corpora / "trees.mrg").read_text(encoding="utf-8"), encoding="utf-8")
    (path / "trees.conllu").write_text((corpora / "trees.conllu").read_text(encoding="utf-8"), encoding="utf-8")
    shutil.copy(packaged_folder("exercises") / "first-grammar.exercise.yaml", path / EXERCISE)
    shutil.copy(packaged_folder("grammars") / "anbn.pg", path / "mine.pg")
    texts = {
        "tagged.conllu": "".join(conllu(SENTENCES[i % len(SENTENCES)]) for i in range(12)),
        "suite.tsv": SUITE,
        "rated.tsv": RATED,
        "islands.tsv": ISLANDS,
        "judged.csv": "".join(f"{line.split(chr(9))[1]},{line.split(chr(9))[0]}\n" for line in SUITE.splitlines()[1:]),
        "phrases.txt": "le chat dort\nla souris\n",
        "sentences.txt": "the cat sleeps\nthe cat the mat\n",
        "few.txt": "the cat sleeps\nshe sees him\n",
        "strings.txt": "a b\na a b b\n",
        "plain.txt": "the cat sleeps\n",
        "tagged.txt": "the/D cat/N sleeps/V\na/D dog/N barks/V\n",
        "said.tsv": SAID,
        "results.csv": RESULTS,
        "rules.yaml": "- rule: one-button\n",
        "answers.csv": "VP,S1_a,S1_b\nx,6,2\ny,7,1\n",
        "study.yaml": 'layout: wide\ncolumns: {participant: VP}\nratings: "S{item}_{condition}"\n',
        "gold.mrg": GOLD,
        "parsed.mrg": GOLD.replace("(NP (D a) (N dog))", "(D a) (N dog)"),
        "drawn.mrg": "(S (NP (Det the) (N cats)) (VP (V sleeps)))\n",
        "roles.pg": "leaves: A0, A1\nroots: Roles\nRoles:\n    uniq A0\n    uniq A1\n    A0 < A1 cost .5\n",
        "roles.jsonl": ROLES,
        "items.csv": ITEMS,
        "fillers.txt": "The dog barks.\nShe sees him.\nThe cat sleeps here.\nDogs bark.\n",
        "pilot.tsv": PILOT,
        "links.conllu": LINKS,
        "pairs.tsv": "good\tbad\nThe cat sleeps.\tThe cats sleeps.\nShe sees him.\tShe sees he.\n",
    }
    for name, text in texts.items():
        (path / name).write_text(text, encoding="utf-8")
    lines = (
        "induce trees.mrg --support 1 --min-count 1 -o small.pg -q",
        "expansions trees.mrg --min-count 1 -o small.exp -q",
        "learn weights -g small.pg --expansions small.exp trees.mrg -o small.weights -j 1 -q",
        "learn costs rated.tsv -o costs.tsv -j 1 -q",
        "learn structure --bias none --smoothing 1 --initialisers uniform tagged.conllu -o tags.model -j 1 -q",
        "tag train tagged.conllu -o pos.model -q",
        "report suite.tsv --folder published -j 1 -q",
        "parse -g anbn -i strings.txt --shard 1/2 -f jsonl -o part.1.jsonl -q",
        "parse -g anbn -i strings.txt --shard 2/2 -f jsonl -o part.2.jsonl -q",
        "parse -i few.txt -f jsonl -o parses.jsonl -q",
        "parse -i few.txt -f store -o corpus.db --meta genre=email -q",
    )
    command = "import sys; from tests.command_line import run; [run(*line.split()) for line in sys.argv[1:]]"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBAT_CACHE": str(path / "cache")}
    subprocess.run([sys.executable, "-c", command, *lines], cwd=path, env=environment, check=True)
    return path


def conllu(tagged: str) -> str:
    """Return a sentence of tagged words, all of which depend on the last."""
    pairs = [word.split("/") for word in tagged.split()]
    rows = (
        f"{i}\t{form}\t{form}\t{tag}\t_\t_\t{len(pairs) if i < len(pairs) else 0}\tdep\t_\t_\n"
        for i, (form, tag) in enumerate(pairs, start=1)
    )
    return "".join(rows) + "\n"


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them as the current folder; grammars are kept once for all tests."""
    monkeypatch.setenv("NUMBAT_CACHE", str(made / "cache"))
    shutil.copytree(made, tmp_path / "here", ignore=shutil.ignore_patterns("cache"))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def verb_of(name: str) -> Verb:
    command: click.Command = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.commands[word]
    assert isinstance(command, Verb)
    return command


def options_of(name: str) -> Iterator[Option]:
    verb = verb_of(name)
    with click.Context(verb) as context:
        params = [
            param for param in verb.get_params(context) if "--help" not in param.opts and "--help-all" not in param.opts
        ]
    for param in params:
        if not isinstance(param, click.Argument):
            assert isinstance(param, Option), param.name
            yield param


def run_line(line: str, numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> Done:
    """Run a line as a shell does, with `echo TEXT |` before it, `*` in file names, `> FILE` after it."""
    typed, _, piped = line.rpartition(" | ")
    text = f"{shlex.split(typed)[1]}\n" if typed else ""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
    command, _, output = piped.partition(" > ")
    words = [
        name for word in shlex.split(command)[1:] for name in (sorted(glob(word)) if word.endswith("*") else [word])
    ]
    done = numbat(*words)
    if output:
        Path(output).write_text(done.out, encoding="utf-8")
    return done


@pytest.mark.parametrize("name", [name for name in VERBS if name != "site"])
def test_examples_run(name: str, numbat: Numbat, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of `serve` and the editor of `lsp` are not waited for."""
    monkeypatch.setattr("numbat.workbench.serving.Server.serve_forever", lambda server: None)
    monkeypatch.setattr("numbat.editor.relay.Relay.run", lambda relay: 0)
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    if name == "export":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    examples = verb_of(name).examples
    assert 2 <= len(examples) <= 4
    for example in examples:
        assert f"numbat {name}" in example
        done = run_line(example, numbat, monkeypatch)
        # A suite may be judged otherwise than it says: `numbat test` has an exit code for that.
        assert done.code in ((0, 1) if name == "test" else (0,)), (example, done)


def test_examples_of_a_page_for_a_server() -> None:
    """They need Node.js and Pyodide: `tests/test_site_writing.py` writes such pages where these are there."""
    examples = verb_of("site").examples
    assert len(examples) == 2
    for example in examples:
        context = verb_of("site").make_context("site", shlex.split(example)[2:])
        assert context.params["pyodide"] == "node_modules/pyodide"


@pytest.mark.parametrize("name", VERBS)
def test_help_is_one_paragraph_and_headings(name: str, numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    help = verb_of(name).help
    assert help is not None
    assert "\n\n" not in help
    assert help.rstrip().endswith(".")
    shown, every = (numbat(*name.split(), option).out for option in ("--help", "--help-all"))
    assert len(shown.splitlines()) <= 50
    assert max(map(len, every.splitlines())) <= 100
    options = list(options_of(name))
    named = {each.under for each in options}
    assert [line[:-1] for line in every.splitlines() if line[:-1] in HEADINGS] == [
        each for each in HEADINGS if each in named
    ]
    for each in options:
        spec = max(each.opts, key=len)
        assert spec in every
        assert each.help is not None
        assert each.help.endswith((".", "]", '"')), each.help
    hidden = sum(each.advanced for each in options)
    more = f"\nnumbat {name} --help-all lists {counted(hidden, 'more option')}.\n"
    assert shown.endswith(more) == bool(hidden)
    assert "--help-all lists" not in every
    assert all(example in shown for example in verb_of(name).examples)


def test_the_help_of_parse_fits_on_a_small_screen(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = numbat("parse", "--help").out.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80


VARYING = {
    "-f",
    "--format",
    "--from",
    "-n",
    "--learner",
    "--seed",
    "-o",
    "-i",
    "--html",
    "-g",
    "--max-length",
    "--prune",
    "--scheme",
    "--by",
    "--against",
    "--max-seconds",
}
"""Options that have one meaning in all verbs, with the values, or about the thing, that the verb has."""
SAME = {
    "--expansions": "a file of numbat expansions",
    "--structure": "a model of numbat learn structure",
    "--max-items": "items of a search",
    "--resume": "continue where a run was stopped",
    "--state": "the file for what was learned until all is done",
    "--beam": "the width of a beam",
    "--within": "what a parse may cost more than the best one",
    "--ud-map": "a file that maps a grammar to UD",
    "--epochs": "passes over what is learned from",
    "--folds": "parts that are judged by the others",
    "--min-count": "what occurs less often is left out",
    "--tags": "the column of CoNLL-U that has the tags",
    "--write-grammar": "the file for the grammar with the learned costs",
    "--base": "where the page lives for others",
    "--stats": "a tally on standard error",
    "--model": "the model that scores",
    "--factors": "the columns that are crossed",
    "--frequencies": "a list of words with how often they occur",
    "--by": "the parts of a grammar that are taken one by one",
    "--without": "what is left out",
    "--columns": "the names of the columns of a table",
}
"""Options whose help differs a little from verb to verb, with the one thing that they mean."""


def test_an_option_means_one_thing_everywhere() -> None:
    helps = defaultdict(set)
    for name in VERBS:
        for each in options_of(name):
            helps[max(each.opts, key=len)].add(each.help)
    shorts = {"-f": "--format", "-o": "--output", "-i": "--input", "-g": "--grammar"}
    allowed = {shorts.get(each, each) for each in VARYING} | SAME.keys()
    assert {name for name, said in helps.items() if len(said) > 1} <= allowed


# Verbs that are gone


@pytest.mark.parametrize("name", REMOVED)
def test_a_verb_that_was_removed_says_what_to_do(name: str, numbat: Numbat) -> None:
    assert numbat(name, "x") == Done("", f"numbat: numbat {name} was removed in version 0.25\n  {REMOVED[name]}\n", 2)


# Options that are given twice


def test_no_option_silently_takes_the_last_of_several(numbat: Numbat) -> None:
    tried = 0
    for name in VERBS:
        for each in options_of(name):
            if each.is_given_once:
                given = (
                    [*each.opts[:1], *each.secondary_opts[:1]]
                    if each.is_flag
                    else [each.opts[0], "1", each.opts[0], "2"]
                )
                done = numbat(*name.split(), *given)
                values = f"{each.opts[0]} is given 2 times: 1, 2\n"
                wrong = f"{each.opts[0]} and {each.opts[0]}\n" if each.is_flag else values
                assert done.code == 2, (name, given)
                assert done.err.startswith(f"numbat: {wrong}") or each.is_flag, done.err
                tried += 1
    assert tried > 300


def test_two_flags_that_contradict(numbat: Numbat) -> None:
    assert numbat("decode", "-g", "r.pg", "s.jsonl", "--soft", "--hard") == Done(
        "", "numbat: --soft and --hard exclude each other\n  leave one of them out\n", 2
    )
    assert numbat("explain", "a", "-m", "cost", "-m", "net") == Done(
        "", "numbat: -m is given 2 times: cost, net\n  give one of them\n", 2
    )


def test_several_models_are_several_columns(numbat: Numbat, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = numbat("report", "suite.tsv", "-m", "coherence", "-m", "cost", "--csv", "tables").out.splitlines()
    assert lines[1] == "grammar english 2.0, model coherence, weights grammar"
    assert {"coherence", "cost"} <= {line.split(" ")[0] for line in lines}
    header = Path("tables/sentences.csv").read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert [name for name in header if name.startswith("score")] == ["score", "score_cost"]
    both = json.loads(numbat("report", "suite.tsv", "-m", "coherence", "-m", "cost", "-f", "json").out)
    one = json.loads(numbat("report", "suite.tsv", "-m", "coherence", "-f", "json").out)
    for item, alone in zip(both["items"], one["items"], strict=True):
        assert list(item["scores"]) == ["coherence", "cost"]
        assert item["scores"]["coherence"] == item["score"] == alone["score"]
        assert "scores" not in alone


# Pages on standard output


@pytest.mark.parametrize(
    "asked",
    [
        ("show", "anbn"),
        ("report", "suite.tsv"),
        ("compare", "english", "english-np", "suite.tsv"),
        ("importance", "costs.tsv", "--on", "rated.tsv"),
        ("induce", "--structure", "tags.model", "tagged.conllu"),
    ],
    ids=lambda asked: asked[0],
)
def test_a_page_is_a_format(
    numbat: Numbat, folder: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    printed = numbat(*asked, "-f", "html")
    assert printed.code == 0
    assert printed.out.startswith("<!doctype html>")
    done = numbat(*asked, "--html", "page.html")
    assert done.code == 0
    assert not done.out.startswith("<")

    page = Path("page.html").read_text(encoding="utf-8")
    assert printed.out == re.sub(r"(--format&quot;: &quot;)\w+|(--format )\w+", r"\1\2html", page)


# Standard input and colour


def test_sentences_from_a_pipe(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ([], ["-"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\na\n"), encoding="utf-8"))
        done = numbat("parse", "-g", "anbn", "-f", "bracket", *arguments)
        assert done == Done("(S (a a) (b b))\n(S (a a))\n", "", 0)
    monkeypatch.setattr("numbat.cli.options.is_terminal", lambda stream: True)
    assert numbat("parse") == Done(
        "",
        'numbat: no sentence\n  type one in quotes, as in numbat parse "The cat sleeps", give a file with -i, or - to '
        "read the standard input\n",
        2,
    )


@pytest.mark.parametrize(
    ("variables", "option", "colored"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": ""}, [], False),
    ],
)
def test_who_decides_on_colour(
    numbat: Numbat, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], option: list[str], colored: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in numbat("parse", "-g", "anbn", "b a", *option).out) == colored


# Completion


def completions(*words: str) -> list[str]:
    """Return the completions of the last word."""
    found = ShellComplete(cli, {}, "numbat", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return [each.value for each in found if each.type != "file"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pa", ["parse"]),
        ("learn ", ["costs", "penalties", "preferences", "structure", "weights"]),
        ("parse --gr", ["--grammar", "--granularity"]),
        ("parse -g eng", ["english", "english-np"]),
        ("check dut", ["dutch-cross-serial"]),
        ("explain -m co", ["completeness", "coherence", "cost"]),
        ("parse --tagger p", ["penn"]),
        ("parse --expansions e", ["ewt"]),
        ("convert -f ", ["pg", "yaml", "profile"]),
        ("completion f", ["fish"]),
    ],
)
def test_completion(line: str, expected: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(completions(*line.split(" "))) == sorted(expected)
    assert capsys.readouterr() == ("", "")


def test_files_are_completed_by_the_shell() -> None:
    for words in (["parse", "-i"], ["parse", "-o"], ["test"]):
        found = ShellComplete(cli, {}, "numbat", VARIABLE).get_completions(words, "su")
        assert [(each.value, each.type) for each in found] == [("su", "file")]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_scripts_of_shells(numbat: Numbat, shell: str) -> None:
    done = numbat("completion", shell)
    assert f"{VARIABLE}={shell}_complete" in done.out
    if shutil.which(shell):
        read = subprocess.run([shell, "-n"], input=done.out, capture_output=True, encoding="utf-8", check=False)
        assert (read.returncode, read.stderr) == (0, "")
