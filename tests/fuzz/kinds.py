"""Kinds of files and of sentences, each with a generator and a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Final, Literal

from numbat import Parser, load_grammar, parse_grammar
from numbat.acceptability.fitting import read_fitted
from numbat.acceptability.suite_files import read_suite
from numbat.acceptability.verdicts import read_expected
from numbat.errors import DataError, Problem, data_error
from numbat.files import lines_of
from numbat.grammar.checks import check
from numbat.grammar.printing import format_grammar
from numbat.labels.penalties import read_table
from numbat.labels.relaxation import decode
from numbat.labels.sequence_files import read_att, read_sequence
from numbat.parsing.policies import Limits
from numbat.parsing.queries import judge_tree
from numbat.parsing.result import Parse
from numbat.treebanks.brackets import read_brackets
from numbat.treebanks.converting import to_dependencies
from numbat.treebanks.formats import WITH_TREES
from numbat.treebanks.reading import TreebankSentence, read_treebank, sentences_of
from numbat.treebanks.scores import read_parameters
from numbat.treebanks.tagged_sentences import read_tagged_sentences
from numbat.treebanks.verbs import EXPORT, ConvertJob
from numbat.words.cg3 import read_cohorts
from numbat.words.tag_maps import read_tag_map
from numbat.words.typed import read_tagged
from tests.fuzz import valid
from tests.fuzz.mutating import mutated
from tests.fuzz.runner import Kind, Made
from tests.fuzz.treebank_texts import treebank

UNCHANGED: Final = 0.1
"""Share of inputs that are not mutated."""
Make = Callable[[Random], bytes]
Read = Callable[[Random, str], object]
Change = Callable[[Random, bytes, Sequence[bytes]], bytes]
GRAMMAR = "english"
"""The grammar by which sentences are parsed; the short run takes a smaller one."""
SECOND: Final = Limits(seconds=1.0)


def text_kind(
    name: str,
    file: str,
    make: Make,
    read: Read,
    places: bool = True,
    prepare: Callable[[], object] = lambda: None,
    beside: Sequence[Path] = (),
    change: Change = mutated,
) -> Kind:
    """Return a kind of text files; the files that they name are `beside` them."""

    def write(rng: Random, folder: Path) -> Made:
        content = make(rng)
        is_changed = rng.random() >= UNCHANGED
        if is_changed:
            content = change(rng, content, [make(rng)])
        (folder / file).write_bytes(content)
        for other in beside:
            (folder / other.name).write_bytes(other.read_bytes())
        return "mutated" if is_changed else "valid"

    return Kind(
        name, write, lambda rng, folder: read(rng, str(folder / file)), places=places, prepare=prepare, file=file
    )


def _found(each: Iterable[object]) -> list[object]:
    """Return the items if all could be read. Raises the first error, or all problems together."""
    found = list(each)
    errors = [one for one in found if isinstance(one, DataError)]
    if errors:
        raise errors[0]
    problems = [one for one in found if isinstance(one, Problem)]
    if problems:
        raise data_error(*problems)
    return found


def read_once() -> None:
    """Read a grammar, so that the tables of the notation are there."""
    parse_grammar(valid.LEXICON_GRAMMAR.replace("lexicon_file", "# "))


def _grammars(form: Literal["pg", "yaml"]) -> None:
    read_once()
    valid.draw_grammars(form)


def read_grammar(rng: Random, path: str) -> object:
    """Read a grammar; now and then print it, read it again and parse a sentence of random words with it."""
    grammar = load_grammar(path)
    if rng.random() < 0.1:
        list(check(grammar))
        if parse_grammar(format_grammar(grammar)).constructions != grammar.constructions:
            raise AssertionError("printed and read again it is another grammar")
    if rng.random() < 0.1 and grammar.lexicon:
        words = [rng.choice(grammar.lexicon).form for _ in range(4)]
        return Parser(grammar, limits=SECOND).parse(" ".join(words)).tree()
    return grammar


def _read_lexicon(rng: Random, path: str) -> object:
    grammar = Path(path).with_name("g.pg")
    grammar.write_text(valid.LEXICON_GRAMMAR)
    return load_grammar(str(grammar))


def _read_trees(rng: Random, path: str) -> object:
    """Read a treebank; what is written in another format is read again, with the same words."""
    way = rng.random()
    if way < 0.15:
        return read_tagged_sentences(path)
    if way < 0.2:
        return _found(read_cohorts(lines_of(path), path))
    sentences = _found(read_treebank(path, rng.choice(WITH_TREES) if way < 0.3 else "auto"))
    if way > 0.6:
        for sentence in sentences:
            _check_written(sentence, rng.choice(("ptb", "discbracket", "conllu", "export")))  # type: ignore[arg-type]
    return sentences


def _check_written(sentence: TreebankSentence, form: str) -> None:
    """Raise AssertionError if a sentence has other words when it is written in a format and read again."""
    try:
        text = ConvertJob(form)(sentence)
        before = [word.form for word in to_dependencies(sentence).words]
    except DataError:
        return  # the format cannot show it
    again = list(sentences_of([f"{line}\n" for line in text.split("\n")], "again", form))
    words = [[word.form for word in to_dependencies(each).words] for each in again if not isinstance(each, Problem)]
    if form == EXPORT:
        before = [word.replace(" ", "_") for word in before]  # as the format has no blanks in words
    if words != [before]:
        raise AssertionError(f"written as {form} it is {again}, not {before}: {text[:300]}")


@cache
def parser_of_sentences() -> Parser:
    return Parser(load_grammar(GRAMMAR), limits=SECOND)


@cache
def by_phases() -> Parser:
    return Parser(
        parser_of_sentences().grammar, engine="phases", limits=Limits(seconds=1.0, rounds=3, assignments=2_000)
    )


def _parsers() -> None:
    """Load the parsers, and search once, because the compiled grammar grows with its first sentences."""
    parser_of_sentences().parse("the cat sees a dog")


def _parse_sentences(rng: Random, path: str) -> object:
    """Parse each line in one of the ways in which a sentence may be given, and ask for a view of it."""
    parser = by_phases() if rng.random() < 0.1 else parser_of_sentences()
    way = rng.random()
    for line in lines_of(path):
        if line.lstrip().startswith("("):
            trees = _found(read_brackets([line], path))
            shown: Iterator[Parse] = (judge_tree(each, parser) for each in trees)  # type: ignore[arg-type]
        elif "/" in line and way < 0.8:
            shown = iter([parser.parse(read_tagged(line, parser.words))])
        else:
            shown = iter(parser.n_best(line, 2 if way < 0.1 else 1))
        for parse in shown:
            rng.choice((parse.tree, parse.to_brackets, parse.to_json, parse.summary, parse.explain))()
    return None


def _read_sequences(rng: Random, path: str) -> object:
    lines = [(number, line) for number, line in enumerate(lines_of(path), start=1) if line.strip()]
    read = [read_sequence(line, f"{path}:{number}") for number, line in lines]
    return [decode(one.lattice, None, one.own).labels for one in read]


def _table(header: Sequence[str], *rows: Sequence[str]) -> Make:
    return lambda rng: "".join("\t".join(row) + "\n" for row in (header, *rng.sample(rows, len(rows)))).encode()


def _some(*lines: str) -> Make:
    return lambda rng: "".join(f"{line}\n" for line in rng.sample(lines, rng.randint(1, len(lines)))).encode()


FILES: Final = (
    text_kind("grammar", "g.pg", valid.grammar, read_grammar, prepare=partial(_grammars, "pg"), beside=valid.BESIDE),
    text_kind("yaml", "g.yaml", valid.yaml, read_grammar, prepare=partial(_grammars, "yaml")),
    text_kind("lexicon", "words.tsv", valid.lexicon, _read_lexicon, prepare=read_once),
    text_kind("treebank", "trees.txt", treebank, _read_trees),
    text_kind("suite", "suite.tsv", valid.suite, lambda rng, path: read_suite(path)),
    text_kind("sentence", "sentences.txt", valid.sentences, _parse_sentences, places=False, prepare=_parsers),
)
"""Kinds of files that linguists write, of which fuzzing tries hundreds of thousands."""

TABLES: Final = (
    text_kind("sequences", "s.jsonl", valid.sequences, _read_sequences, places=False),
    text_kind("att", "s.att", valid.automata, lambda rng, path: _found(read_att(lines_of(path), path))),
    text_kind(
        "tag-map",
        "t.map",
        _some("NN\tN[number=sg]", "NNS\tN[number=pl]", "DT\tDet", "JJ\tAdj?|N?", "-NONE-\t-", "VBZ\tV[form=fin]"),
        lambda rng, path: read_tag_map(path, parser_of_sentences().grammar),
        prepare=parser_of_sentences,
    ),
    text_kind(
        "penalties",
        "p.tsv",
        _table(
            ("constraint", "cost", "violated", "sequences"), ("NP: oblig N", "1.5", "1", "20"), ("no", "2", "0", "3")
        ),
        lambda rng, path: read_table(lines_of(path), path),
    ),
    text_kind(
        "evalb",
        "e.prm",
        _some("DELETE_LABEL TOP", "EQ_LABEL ADVP PRT", "CUTOFF_LEN 40", "DEBUG 0", "# a comment", "LABELED 1"),
        lambda rng, path: read_parameters(lines_of(path), path),
    ),
    text_kind(
        "expected",
        "s.expected.tsv",
        _table(
            ("id", "verdict", "cost", "violated"), ("g1", "well-formed", "0", ""), ("g2", "partial", "11", "oblig N")
        ),
        lambda rng, path: read_expected(Path(path)),
    ),
    text_kind(
        "fitted",
        "f.tsv",
        lambda rng: _FITTED.replace("english", parser_of_sentences().grammar.name).encode(),
        lambda rng, path: read_fitted(path, parser_of_sentences().grammar),
        prepare=parser_of_sentences,
    ),
)
"""Smaller files beside them."""

_FITTED: Final = """\
# fitted model for the grammar english
# ratings: corpora/english.tsv
feature	weight	mean	scale	items
intercept	0.5	0.0	1.0	0
violated linearity	-1.25	0.4	0.75	12
violated dependency	-0.5	0.1	0.25	3
"""
