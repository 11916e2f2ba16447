"""Read, write and score files of labelled tokens in three formats, and find the scheme of their labels.

- `columns`, as in the shared tasks: one token per line, an empty line after each sentence. Columns are separated by
  TABs if the file has any, else by blanks. The first has the word, the last the label, the others further features.
- `conllu`: the word is in the field FORM, the label in LEMMA, UPOS, XPOS, FEATS or DEPREL; multiword tokens and empty
  nodes are left out.
- `text`: one sentence per line, words separated by blanks, with labels as word/LABEL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from numbat.errors import DataError, Problem, Span, UsageError, counted, data_error
from numbat.files import cut_into_lines, table_row
from numbat.records import frozen
from numbat.words.chunk_labels import SIGNS, Misfit, Scheme, guessed, misfit, scheme_named, schemes_with

FileForm = Literal["columns", "conllu", "text"]
"""The three formats of files."""
CONLLU_FIELDS: Final = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
LABEL_FIELDS: Final = ("lemma", "upos", "xpos", "feats", "deprel")

FEWER_LABELS: Final = "give labels that are far fewer than the tokens: is the label the last column?"
"""Hint for data with too many labels."""

TokenColumns = tuple[str, ...]
"""The columns of a token except its label: the word and further features."""


@frozen
class Sample:
    """A sentence of a file: columns, label and line number of each token; lines are counted from 1.

    `labels` is empty if the file has none. `source` has the original lines.
    """

    rows: tuple[TokenColumns, ...]
    labels: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    source: tuple[str, ...] = ()
    first_line: int = 1


@frozen
class Layout:
    """Layout of a file of tokens: its format, whether it has labels, and the `field` of CoNLL-U that has them.

    `columns` is the number of columns that each token must have, None for as many as the first; `separator` is the text
    between word and label in the format `text`.
    """

    form: FileForm = "columns"
    labelled: bool = True
    field: str = "upos"
    columns: int | None = None
    separator: str = "/"

    def __post_init__(self) -> None:
        if self.field not in LABEL_FIELDS:
            raise UsageError(f'"{self.field}" is not a field with labels\n  the fields are: {", ".join(LABEL_FIELDS)}')


def form_by_name(path: str) -> FileForm:
    """Return the format that the name of a file suggests: conllu or columns."""
    return "conllu" if path.lower().endswith((".conllu", ".conll-u")) else "columns"


def read_samples(text: str, path: str, layout: Layout) -> list[Sample]:
    """Return the sentences in the `text` of a file. Raises DataError that lists all bad lines, or for an empty file."""
    problems: list[Problem] = []
    lines = cut_into_lines(text.removeprefix("\ufeff"))
    first = next((number for number, line in enumerate(lines, start=1) if line.strip()), 1)
    if (layout.labelled or layout.form != "text") and _TREE.match(lines[first - 1]):
        hint = "numbat trees FILE -f conllu writes their words with their tags: read these with --label xpos"
        raise data_error(Problem("these are trees in brackets, not tokens with labels", Span(path, first), hint=hint))
    reader = _SampleReader(path, layout, "\t" if "\t" in text else None, problems, layout.columns)
    if layout.form == "text":
        samples = [reader.line(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    else:
        blocks = [
            (first, block) for first, block in _blocks(lines) if not (layout.labelled and _begins_document(block))
        ]
        samples = [sample for first, block in blocks if (sample := reader.sample(first, block))]
    if not samples and not problems:
        hint = "write one sentence per line" if layout.form == "text" else "write one token per line"
        problems.append(Problem("no sentence", Span(path, 0), hint=hint))
    if problems:
        raise data_error(*problems)
    return samples


def _begins_document(block: Sequence[str]) -> bool:
    """Return True for the line of CoNLL-2003 and -2012 that begins a document and is no sentence."""
    return len(block) == 1 and block[0].startswith("-DOCSTART-")


def _blocks(lines: Sequence[str]) -> Iterable[tuple[int, list[str]]]:
    """Yield a first line number and a list of lines for each block between empty lines, empty between two of these."""
    block: list[str] = []
    last = max((number for number, line in enumerate(lines, start=1) if line.strip()), default=0)
    for number, line in enumerate(lines[:last], start=1):
        if line.strip():
            block.append(line)
        else:
            yield number - len(block), block
            block = []
    if block:
        yield last - len(block) + 1, block


@dataclass
class _SampleReader:
    """Turns blocks of lines into samples, and collects what is wrong with them in `problems`.

    `separator` is the text between columns, None for any blanks; `columns` is their number, None before the first line.
    """

    path: str
    layout: Layout
    separator: str | None
    problems: list[Problem]
    columns: int | None

    def sample(self, first: int, block: list[str]) -> Sample | None:
        rows, labels, numbers = [], [], []
        for number, line in enumerate(block, start=first):
            read = self._conllu(number, line) if self.layout.form == "conllu" else self._columns(number, line)
            if read is not None:
                rows.append(read[0])
                labels.append(read[1])
                numbers.append(number)
        broken = any(first <= problem.span.line < first + len(block) for problem in self.problems[-len(block) - 1 :])
        if not rows and not broken:
            self._complain(first, "an empty sentence", "one empty line ends a sentence; a second one is too many")
        if not rows:
            return None
        kept = tuple(labels) if self.layout.labelled else ()
        return Sample(tuple(rows), kept, tuple(numbers), tuple(block), first)

    def line(self, number: int, line: str) -> Sample:
        rows, labels = [], []
        sign, is_labelled = self.layout.separator, self.layout.labelled
        for written in line.split():
            word, _, label = written.rpartition(sign) if is_labelled else (written, "", "")
            if is_labelled and not (word and label):
                other = next((mark for mark in "_|" if mark in written[1:-1] and mark != sign), None)
                hint = f"labelled words are written word{sign}LABEL"
                hint += f"; --separator '{other}' reads word{other}LABEL" if other else ""
                self._complain(number, f'"{written}" has no label', hint)
            rows.append((word,))
            labels.append(label)
        kept = tuple(labels) if self.layout.labelled else ()
        return Sample(tuple(rows), kept, (number,) * len(rows), (line,), number)

    def _columns(self, number: int, line: str) -> tuple[TokenColumns, str] | None:
        cells = line.strip("\r\n ").split(self.separator)
        if self.columns is None:
            self.columns = len(cells)
            if self.layout.labelled and len(cells) < 2:
                self._complain(number, "a token without label", "a line is: word, further features, label")
        if len(cells) != self.columns:
            sentences = not self.layout.labelled and self.columns == 1
            hint = _SAME if not sentences else "a line should be one token; with --from text it is a sentence"
            self._complain(number, f"{counted(len(cells), 'column')} instead of {self.columns}", hint, line)
        elif not all(cell.strip() for cell in cells):
            self._complain(number, "an empty column", "write _ for an empty value", line)
        else:
            split = self.columns - self.layout.labelled
            return tuple(cells[:split]), cells[-1] if self.layout.labelled else ""
        return None

    def _conllu(self, number: int, line: str) -> tuple[TokenColumns, str] | None:
        if line.startswith("#"):
            return None
        cells = line.split("\t")
        if len(cells) != len(CONLLU_FIELDS):
            self._complain(
                number, f"{counted(len(cells), 'column')} instead of 10", "CoNLL-U has 10, separated by TABs", line
            )
            return None
        if not cells[0].isdigit():
            if not all(part.isdigit() for part in cells[0].replace(".", "-", 1).split("-", 1)):
                self._complain(number, f'"{cells[0]}" is not the number of a token', "as in 3, 3-4 or 3.1", line)
            return None
        if not cells[1]:
            self._complain(number, "a token without form", "the second column is the word", line)
            return None
        return (cells[1],), cells[CONLLU_FIELDS.index(self.layout.field)] or "_"

    def _complain(self, number: int, message: str, hint: str, line: str = "") -> None:
        self.problems.append(Problem(message, Span(self.path, number, 1, len(line) + 1), hint=hint, source_line=line))


_TREE: Final = re.compile(r"\s*\(\s*\(?[^\s()]+\s+\(")
_SAME: Final = "every token of a file has as many columns as the first"


def with_labels(sample: Sample, labels: Sequence[str], layout: Layout) -> str:
    """Return the text of a sentence as it was read, with these labels in the CoNLL-U field or the last column.

    Labels that were already there are replaced. The text ends with what separates sentences.
    """
    if layout.form == "text":
        return " ".join(f"{row[0]}/{label}" for row, label in zip(sample.rows, labels, strict=True)) + "\n"
    separator = "\t" if any("\t" in line for line in sample.source) or layout.form == "conllu" else " "
    tokens = dict(zip(sample.lines, zip(sample.rows, labels, strict=True), strict=True))
    written = []
    for number, line in enumerate(sample.source, start=sample.first_line):
        if number not in tokens:
            written.append(line)
            continue
        row, label = tokens[number]
        if layout.form == "conllu":
            cells = line.split("\t")
            cells[CONLLU_FIELDS.index(layout.field)] = label
            written.append("\t".join(cells))
        else:
            written.append(separator.join((*row, label)))
    return "\n".join(written) + "\n\n"


def check_known_labels(samples: Sequence[Sample], known: Iterable[str], path: str) -> None:
    """Raise DataError that lists every label not in `known`, or says that no label of the file is."""
    known_labels = set(known)
    seen = [label for sample in samples for label in sample.labels]
    if seen and known_labels.isdisjoint(seen):
        field, others = _field_with(known_labels, samples)
        column = f"; --label {field} reads those" if field else ""
        hint = f"it has labels such as {_first_names(seen)}, the model others such as {_first_names(others)}{column}"
        raise DataError(f"{path}: no label of this file was seen in training\n  {hint}")
    problems = [
        Problem(f'the label "{label}" was not seen in training', Span(path, line), hint=_UNSEEN)
        for sample in samples
        for line, label in zip(sample.lines, sample.labels, strict=True)
        if label not in known_labels
    ]
    if problems:
        raise data_error(*problems)


def _field_with(labels: set[str], samples: Sequence[Sample]) -> tuple[str, list[str]]:
    """Return the CoNLL-U field in which most tokens have one of `labels`, and these; "" and all labels if none has."""
    rows = [
        cells for sample in samples for line in sample.source if len(cells := line.split("\t")) == len(CONLLU_FIELDS)
    ]
    having = {name: [row[CONLLU_FIELDS.index(name)] for row in rows] for name in LABEL_FIELDS}
    field, values = max(having.items(), key=lambda pair: sum(value in labels for value in pair[1]))
    known = [value for value in values if value in labels]
    return (field, known) if 2 * len(known) > len(rows) else ("", sorted(labels))


def _first_names(labels: Iterable[str]) -> str:
    """Return the first three different labels that begin with a letter or digit, separated by commas."""
    return ", ".join([label for label in dict.fromkeys(labels) if label[:1].isalnum()][:3])


_UNSEEN: Final = "correct it, or count it as a mistake with --unseen count"


# Labels of chunks: the scheme of the labels in a file


def scheme_of(samples: Sequence[Sample], path: str, name: str | None = None) -> Scheme | None:
    """Return the scheme of the labels in a file: the one called `name` or, for None, the first that allows all labels.

    Returns None if no scheme is named and the labels are not those of chunks. Raises DataError with the place of the
    first label that the named scheme lacks or, if no scheme allows all labels, that the nearest scheme does not allow.
    """
    labels = [sample.labels for sample in samples]
    if name is None:
        guess = guessed(labels)
        if not isinstance(guess, Misfit):
            return guess
        near = f"no scheme allows all labels of the file, {guess.scheme.name} all but {guess.number:,}"
        cure = f"correct it, or read them by it: --scheme {guess.scheme.name}"
        raise misfit_error(guess, samples, path, f"{near}\n  {cure if guess.before else 'correct it'}")
    every = {label for sentence in labels for label in sentence}
    scheme = scheme_named(name, every)
    wrong = misfit(scheme, labels, pairs=False)
    if wrong is None:
        return scheme
    others = ", ".join(other.name for other in schemes_with(every))
    signs = ", ".join(sign for sign in SIGNS if sign in scheme.signs)
    hint = f"all labels of the file are labels of: {others}" if others else f"the signs of {name} are {signs}"
    raise misfit_error(wrong, samples, path, hint)


def misfit_error(wrong: Misfit, samples: Sequence[Sample], path: str, hint: str) -> DataError:
    """Return the error about a label that a scheme does not allow, with the file and line of the label."""
    line = samples[wrong.sentence].lines[wrong.token]
    return data_error(Problem(wrong.message, Span(path, line), hint=hint))


# Scores of predicted labels: accuracy for tokens and sentences, and precision, recall and F for chunks.
#
# A chunk is right if its type and both ends are right, as in the shared tasks (Tjong Kim Sang & Buchholz 2000,
# `conlleval`).


@frozen
class LabellingScore:
    """Counts of all and of right tokens, sentences and chunks; `unknown` counts words not seen in training."""

    tokens: int = 0
    right: int = 0
    unknown: int = 0
    unknown_right: int = 0
    sentences: int = 0
    sentences_right: int = 0
    gold_chunks: int = 0
    found_chunks: int = 0
    right_chunks: int = 0

    @property
    def accuracy(self) -> float:
        return _share(self.right, self.tokens)

    @property
    def unknown_accuracy(self) -> float:
        return _share(self.unknown_right, self.unknown)

    @property
    def sentence_accuracy(self) -> float:
        return _share(self.sentences_right, self.sentences)

    @property
    def precision(self) -> float:
        return _share(self.right_chunks, self.found_chunks)

    @property
    def recall(self) -> float:
        return _share(self.right_chunks, self.gold_chunks)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if no chunk is right."""
        return _share(2 * self.right_chunks, self.gold_chunks + self.found_chunks)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def score_labels(
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    known: Sequence[Sequence[bool]] | None = None,
    scheme: Scheme | None = None,
    strict: bool = False,
) -> LabellingScore:
    """Compare predicted labels with gold ones; `known` is True for tokens whose word was seen in training.

    With a `scheme`, chunks are counted, too, with `strict` as in `Scheme.chunks`. Raises ValueError if lengths differ.
    """
    counts: Counter[str] = Counter()
    for number, (right, mine) in enumerate(zip(gold, predicted, strict=True)):
        hits = [one == two for one, two in zip(right, mine, strict=True)]
        new = [not seen for seen in known[number]] if known is not None else [False] * len(hits)
        counts["tokens"] += len(hits)
        counts["right"] += sum(hits)
        counts["unknown"] += sum(new)
        counts["unknown_right"] += sum(hit and fresh for hit, fresh in zip(hits, new, strict=True))
        counts["sentences"] += 1
        counts["sentences_right"] += all(hits)
        if scheme is not None:
            wanted = set(scheme.chunks(right, strict))
            made = wanted if all(hits) else set(scheme.chunks(mine, strict))
            counts["gold_chunks"] += len(wanted)
            counts["found_chunks"] += len(made)
            counts["right_chunks"] += len(wanted & made)
    return LabellingScore(**counts)


def tagger_lines(scores: Mapping[str, LabellingScore], chunks: bool) -> Iterator[str]:
    """Yield the lines of a table with a tagger's scores by each inference; `chunks` adds the scores for chunks."""
    titles = ["inference", "tokens", "unknown words", "whole sentences"]
    yield table_row([*titles, *(["precision", "recall", "F"] if chunks else [])])
    for name, one in scores.items():
        shares = [one.accuracy, one.unknown_accuracy if one.unknown else None, one.sentence_accuracy]
        shares += [one.precision, one.recall, one.f1] if chunks else []
        yield table_row([name, *("-" if share is None else f"{100 * share:.2f}" for share in shares)])
