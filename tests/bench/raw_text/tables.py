"""Speed on raw sentences that were not seen before: `python -m tests.bench.raw_text.tables FILE ...`.

FILES are in CoNLL-U, from which the texts are read, or have one sentence per line. There are two tables: sentences by
length, where each row is the first pass of a new process, compared with link-parser if it is installed; and all
sentences in one process. Times are CPU milliseconds from the text to the parse with both property sets, without output;
each figure is the median over the rounds. `--sentences OUT` writes the result for each sentence, to compare engines:
words, milliseconds, cost, full or partial, limit met, text. `--plot OUT.svg` plots the time over the number of words.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Final

from numbat.grammar.properties import UNIT
from tests.bench.raw_text import link_parser
from tests.bench.raw_text.first_pass import Taken, first_pass
from tests.bench.raw_text.growth import growth
from tests.bench.raw_text.sentences import Row, read_sentences, words_in

ROWS: Final = ("8-12", "18-22", "28-32", "38-45")
THOUSAND: Final = 1000
DICTIONARIES: Final = {"english": "en"}
"""Dictionary of link-parser to compare with a packaged grammar."""
HEADINGS: Final = (
    "words", "median, mean, 90th percentile", "found whole", "limit met",
    "link-parser, mean", "found whole", "times",
)  # fmt: skip


def main() -> None:
    options = arguments()
    sentences = read_sentences(options.files)
    with TemporaryDirectory() as folder:
        environment = {"NUMBAT_CACHE": folder} if options.empty_cache else {}

        def run(chosen: Sequence[str]) -> list[Taken]:
            return list(first_pass(chosen, options.grammar, options.valuation, environment))

        print(f"{len(sentences):,} sentences, grammar {options.grammar}, valuation {options.valuation}", flush=True)
        if options.only != "whole":
            dictionary = options.dictionary or DICTIONARIES.get(options.grammar, "")
            beside = dictionary if link_parser.is_here() else ""
            rows = {row: row.sample(sentences, options.number) for row in map(Row.read, options.rows)}
            for line in table(rows, run, options.rounds, beside):
                print(line, flush=True)
        if options.only != "rows":
            chosen = sentences[:: options.every]
            taken = run(chosen)
            for line in whole(taken, options.every):
                print(line)
            if options.plot:
                options.plot.write_text(
                    growth(chosen, taken, f"First pass over raw text, {options.grammar}"), encoding="utf-8"
                )
            if options.sentences:
                options.sentences.write_text("".join(records(chosen, taken)), encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed on sentences as they are typed.")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-g", "--grammar", default="english")
    parser.add_argument("--valuation", default="relaxation")
    parser.add_argument("--rows", nargs="+", default=ROWS, help="words of a row: 8-12")
    parser.add_argument("--number", type=int, default=40, help="sentences of a row")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=1, help="take every so manyth sentence for the whole")
    parser.add_argument("--only", choices=("rows", "whole"))
    parser.add_argument("--empty-cache", action="store_true", help="nothing is kept from earlier runs")
    parser.add_argument("--dictionary", help="of link-parser (en for the packaged English, else none)")
    parser.add_argument("--sentences", type=Path, help="write what was found for each sentence of the whole")
    parser.add_argument("--plot", type=Path, help="draw how the time grows with the words, as SVG")
    return parser.parse_args()


def table(
    rows: Mapping[Row, Sequence[str]], run: Callable[[Sequence[str]], list[Taken]], rounds: int, dictionary: str
) -> Iterator[str]:
    """One line for each row; Numbat and link-parser take turns."""
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|---" * len(HEADINGS) + "|"
    for row, sentences in rows.items():
        if not sentences:
            yield f"| {row} | no sentences |{' |' * (len(HEADINGS) - 2)}"
            continue
        passes, linked = [], []
        for _ in range(rounds):
            passes.append(run(sentences))
            if dictionary:
                linked.append(link_parser.link(sentences, dictionary))
        figures = [median(of(each) for each in passes) for of in (_median, _mean, _ninetieth)]
        first = passes[0]
        cells = [
            str(row), ", ".join(map(_milliseconds, figures)), f"{sum(each.is_full for each in first)} of {len(first)}",
            str(sum(each.stopped_by is not None for each in first)),
        ]  # fmt: skip
        if linked:
            seconds = median(each.seconds for each in linked)
            cells += [_milliseconds(seconds), f"{linked[0].whole} of {len(first)}", f"{seconds / figures[1]:.2f}"]
        yield f"| {' | '.join([*cells, *[''] * (len(HEADINGS) - len(cells))])} |"


def whole(taken: Sequence[Taken], every: int) -> Iterator[str]:
    """Yield the time of one process over all sentences, and its memory on the way."""
    seconds = sum(each.seconds for each in taken)
    stopped = sum(each.stopped_by is not None for each in taken)
    note = f", every {every}th" if every > 1 else ""
    yield f"{len(taken):,} sentences{note}: {seconds:.1f} CPU seconds, {len(taken) / seconds:.1f} sentences a second"
    yield f"limit met by {stopped}; found whole {sum(each.is_full for each in taken):,}; peak {taken[-1].peak:.0f} MiB"
    ends = range(THOUSAND, len(taken) + THOUSAND, THOUSAND)
    thousands = [taken[end - THOUSAND : end] for end in ends]
    yield "MiB behind each thousand: " + ", ".join(f"{each[-1].mebibytes:.0f}" for each in thousands)
    rates = (len(each) / sum(one.seconds for one in each) for each in thousands)
    yield "a second in each thousand: " + ", ".join(f"{rate:.1f}" for rate in rates)


def records(sentences: Sequence[str], taken: Sequence[Taken]) -> Iterator[str]:
    """A line for each sentence, its columns separated by tabs."""
    yield "words\tmilliseconds\tcost\tparse\tlimit\ttext\n"
    for text, each in zip(sentences, taken, strict=True):
        parse, limit = "full" if each.is_full else "partial", each.stopped_by or ""
        figures = f"{words_in(text)}\t{THOUSAND * each.seconds:.2f}\t{each.cost / UNIT:g}"
        yield f"{figures}\t{parse}\t{limit}\t{' '.join(text.split())}\n"


def _median(taken: Sequence[Taken]) -> float:
    return median(each.seconds for each in taken)


def _mean(taken: Sequence[Taken]) -> float:
    return mean(each.seconds for each in taken)


def _ninetieth(taken: Sequence[Taken]) -> float:
    return sorted(each.seconds for each in taken)[9 * len(taken) // 10]


def _milliseconds(seconds: float) -> str:
    return f"{THOUSAND * seconds:.1f}"


if __name__ == "__main__":
    main()
