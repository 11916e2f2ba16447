"""Parse many sentences, print the parses of each, and keep a journal so that a later run can resume."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from numbat.acceptability.scorers import parser_of
from numbat.errors import DataError, UsageError, counted, data_error, first_of
from numbat.files import as_table, check_is_file, is_replaceable
from numbat.grammar.properties import UNIT
from numbat.parses.formats import FORMATS, TreeStyle, asides
from numbat.parses.job import ParsedSentence, ParseFacts, ParseJob, ParseTally, Tracing
from numbat.parses.sentences import Reading, inputs_of, reading_of, tag_map_of
from numbat.parses.settings import STORE, ParseSettings, check_chunks, check_limits
from numbat.parsing.policies import Overdue, granularity_of, never
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.reports.answers import Console
from numbat.reports.run_notes import SentenceRemarks, remarks_on
from numbat.runs.executors import executor_of
from numbat.runs.loop import BatchRun, Executor, Failure, Record, held_back, in_this_process
from numbat.runs.metadata import known_of_all
from numbat.runs.sentences import HashLines, InputSentence, ListLabels, NamedText
from numbat.settings import Typed, mapping_of, record_of
from numbat.treebanks.scores import SentenceScore
from numbat.words.chunk_labels import SCHEMES

if TYPE_CHECKING:
    from numbat.grammar.model import Grammar
    from numbat.runs.journal import Resumable
    from numbat.runs.record import RunRecord
    from numbat.treebanks.scores import EvalbParameters
    from numbat.treebanks.ud_maps import UdMap
    from numbat.words.tag_maps import TagMap

NAMED: Final = 5
"""Maximum number of lost sentences named in a message."""


def parse_sentences(
    parser: SentenceParser,
    sentences: Iterable[InputSentence | DataError],
    n: int = 1,
    tracing: Tracing | None = None,
    overdue: Overdue = never,
    executor: Executor = in_this_process,
) -> BatchRun[InputSentence, ParsedSentence]:
    """Return a run that finds up to `n` parses of each sentence from `parses.sentences.sentences_of` when iterated.

    `overdue` is the clock for all sentences together.
    """
    return BatchRun(ParseJob(parser, n, tracing), sentences, overdue, executor)


@frozen
class NotedSentence:
    """The journal entry for a sentence: everything that is counted and reported at the end of the run.

    The sentence `failed` if it could not be read or written, is `lost` if it was given up, and has `facts` if it was
    parsed. `score` compares the best parse with a gold tree.
    """

    id: str
    failed: bool = False
    lost: bool = False
    facts: ParseFacts | None = None
    remarks: SentenceRemarks | None = None
    score: SentenceScore | None = None


@frozen
class PrintedSentence:
    """The parses of a sentence as texts to be printed, notes for standard error, and the sentence's journal entry."""

    pieces: tuple[str, ...]
    asides: tuple[str, ...]
    noted: NotedSentence


@frozen
class PrintJob:
    """Reads a sentence, parses it and writes its parses in the format `form`.

    `names_guessed`: guessed words are reported by name, because the format does not show them. With `gold`, the best
    parse is scored against the sentence's tree in the treebank, or its dependencies against those in CoNLL-U.
    """

    read: Reading
    parse: ParseJob
    form: str
    style: TreeStyle
    names_guessed: bool = False
    gold: EvalbParameters | None = None

    def __call__(self, given: NamedText | InputSentence) -> PrintedSentence:
        overdue = self.parse.parser.limits.clock()
        sentence = self.read(given)
        parsed = self.parse(sentence, overdue)
        pieces, unwritten = FORMATS[self.form].pieces_of(parsed, self.style)
        noted = NotedSentence(sentence.id, failed=bool(unwritten))
        if pieces or not unwritten:
            facts = ParseFacts.from_parsed(parsed, self.parse.parser.states)
            remarks = remarks_on(sentence.id, sentence.lattice, parsed.parses[0].guessed, self.names_guessed)
            noted = replace(noted, facts=facts, remarks=remarks, score=self._score(parsed))
        notes = (*(f"numbat: {error}" for error in unwritten), *asides(parsed, self.form))
        return PrintedSentence(tuple(pieces), notes, noted)

    def _score(self, parsed: ParsedSentence) -> SentenceScore | None:
        sentence, best = parsed.sentence, parsed.parses[0]
        source = sentence.source if sentence.source is not None and sentence.source.has_heads else None
        if self.gold is None or (sentence.gold is None and source is None):
            return None
        from numbat.treebanks.converting import score_parse
        from numbat.treebanks.dependencies import dependency_tree
        from numbat.treebanks.link_scores import characters_of, count_links, count_relations, uncounted

        if sentence.gold is None:
            score = SentenceScore(sentence.id, len(sentence.lattice.tokens), error="no brackets: dependencies cross")
        else:
            score = score_parse(sentence.id, sentence.gold, best, self.gold)
        if source is None:
            return score
        tree = dependency_tree(best, sentence.id, self.style.ud, source)
        both, is_same = ([source], [tree]), characters_of([source]) == characters_of([tree])
        links = (count_links if is_same else uncounted)(*both)
        return replace(score, links=links, relations=count_relations(*both, is_same))


def noted_in(journal: Resumable) -> Iterator[NotedSentence]:
    """Yield the entries in the journal of an earlier run. Raises UsageError for a line that is not an entry."""
    from numbat.runs.journal import damaged, unread

    for number, done in enumerate(journal.done, start=2):
        try:
            sentence = record_of(NotedSentence, done.kept, "its sentence")
        except UsageError as error:
            raise unread(journal.path, number, error, journal.record.version) from None
        if (sentence.facts is None) != (sentence.remarks is None) or any(count < 0 for count in _numbers(done.kept)):
            raise damaged(journal.path, number, "its numbers are impossible")
        yield sentence


def _numbers(value: object) -> Iterator[float]:
    """Yield every number in a JSON value; recursion is safe because values read as records are never deep."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)


# A run


def parser_for(options: ParseSettings, grammar: Grammar, typed: Typed) -> SentenceParser:
    """Return the parser for these options. Raises UsageError for typed options that this parser does not use."""
    settings = options.parser
    if options.shallow:
        from numbat.grammar.shallow import shallow_grammar

        grammar = shallow_grammar(grammar, options.fragment_cost)
    elif options.fragment_cost is not None:
        settings = replace(settings, granularity=granularity_of(options.fragment_cost, grammar))
    if options.by_expansions.expansions:
        from numbat.parsing.treebank_parser import DEFAULT_LIMITS
        from numbat.runs.parsers import treebank_parser_of

        limits = settings.limits
        if "max_items" not in typed.given:
            limits = replace(limits, items=DEFAULT_LIMITS.items)
        return treebank_parser_of(grammar, options.by_expansions, limits)
    parser = parser_of(grammar, settings)
    if options.shallow:
        check_chunks(options, parser.profile)
    check_limits(parser, options.trace, typed)
    return parser


def ud_map_for(options: ParseSettings, grammar: Grammar) -> UdMap | None:
    """Return the grammar's map to Universal Dependencies; None unless dependencies are written, drawn or scored."""
    if not (options.has_dependencies or options.reading.gold):
        return None
    from numbat.treebanks.ud_maps import ud_map_of

    return ud_map_of(grammar, options.ud_map)


def style_for(options: ParseSettings, color: bool, width: int, record: RunRecord | None) -> TreeStyle:
    """Return what the output shows; `color` and `width` are those of the terminal."""
    scheme = SCHEMES["iob2"]
    if options.form == "columns":
        from numbat.labels.verbs import scheme_of_columns

        scheme = scheme_of_columns(options.scheme, options.reading.tagger)
    return TreeStyle(
        color,
        width,
        options.all_features,
        options.compact,
        options.positions,
        None if record is None else record.of_whole().as_json(),
        scheme,
        options.dependencies,
        known=known_of_all(options.meta, options.path),
    )


class ParseRun:
    """A run over sentences: prints the parses of each, keeps a journal, and at the end reports on all sentences."""

    def __init__(
        self,
        options: ParseSettings,
        parser: SentenceParser,
        style: TreeStyle,
        record: RunRecord | None,
        console: Console,
    ) -> None:
        from numbat.reports.run_notes import RunNotes
        from numbat.treebanks.notes import Notes

        typed = () if options.sentences == ("-",) else options.sentences
        reading = options.reading
        self._chosen, self._asked, self._parser = options.format, options, parser
        self._style, self._console = style, console
        self._mapped = tag_map_of(reading, parser.grammar)
        self._hash_lines, self._of_treebank = HashLines(options.hash_lines), Notes()
        self._labels = ListLabels()
        self._before = 0
        """Number of sentences before the part that is parsed."""
        self._inputs = self._given()
        self.tally = ParseTally()
        grammar = None if options.has_tags else parser.grammar
        self._notes = RunNotes(grammar, typed, as_typed=not reading.is_treebank, is_split=reading.split is not None)
        self._scored: list[SentenceScore] = []
        self._record = None if record is None else record.of_whole()
        self._journal = None if record is None or options.output is None else _begun(options, record, parser.grammar)
        self._done = [] if self._journal is None else self._journal.done
        self._number = self._before + len(self._done)
        """Number of the last sentence in the whole file."""
        self._is_empty, self._is_closed = True, False

    def over(self, of_file: bool, trace: Callable[[str], object]) -> BatchRun[InputSentence, PrintedSentence]:
        """Parse all sentences and print their parses; return the run, with `stopped_by`.

        With `of_file`, the sentences of a file are counted first, to show progress. `trace` receives the trace as text,
        unless it is part of the output.
        """
        options = self._asked
        executor = self._console.over(executor_of(options.run, as_they_come=options.file == "-" or options.trace))
        total = None
        if (
            of_file
            and options.file is not None
            and os.path.isfile(options.file)
            and not (self._mapped or options.shard)
        ):
            total = sum(1 for _ in self._given()) - len(self._done)
        run = BatchRun(self._job(trace), self._still_to_do(self._inputs), executor=executor, total=total)
        with self._kept_whole():
            run.hand_on(self._take)
            self._close(run.is_interrupted)
        return run

    def _given(self) -> Iterable[Any]:
        options = self._asked
        inputs = partial(
            inputs_of, self._parser, options.sentences, options.file, options.reading, self._mapped, self._hash_lines
        )
        if options.shard is None:
            return inputs(notes=self._of_treebank, labels=self._labels)
        from numbat.parses.parts import part_of

        # No notes, as they would count sentences before the part.
        self._before, sentences = part_of(inputs, *options.shard)
        return sentences

    def _job(self, trace: Callable[[str], object]) -> PrintJob:
        options, gold = self._asked, None
        if options.reading.gold and self._mapped is not None:
            from numbat.treebanks.converting import gold_parameters

            gold = gold_parameters(self._mapped)
        tracing = Tracing(None if self._chosen.has_trace else trace, options.trace_all) if options.trace else None
        names_guessed = self._chosen.is_brief and not options.reading.is_treebank
        job = ParseJob(self._parser, options.n, tracing, options.margin, options.suggest)
        return PrintJob(reading_of(self._parser, options.reading), job, options.form, self._style, names_guessed, gold)

    def _still_to_do(self, inputs: Iterable[Any]) -> Iterator[Any]:
        """Count the sentences that an earlier run has done, and return the inputs after them."""
        if self._journal is not None and self._done:
            self._console.say(f"numbat: continuing after {counted(len(self._done), 'record')}")
            for noted in noted_in(self._journal):
                self._remember(noted)
        self._is_empty = not self._done or self._done[-1].length == 0
        return islice(inputs, len(self._done), None)

    def _take(self, record: Record[PrintedSentence]) -> None:
        """Print the parses of one sentence, or its error, and write its journal entry."""
        if isinstance(record, Failure):
            self._console.complain(record.as_error())
            lost = (self._chosen.lost(record.id, record.reason),) if record.lost else ()
            printed = PrintedSentence(lost, (), NotedSentence(record.id, True, record.lost))
        else:
            printed = record.value
        self._number += 1
        for piece in printed.pieces:
            text = self._chosen.placed(self._chosen.unfolded(piece, self._number), self._is_empty)
            self._write(as_table(text, self._asked.for_spreadsheets))
            self._is_empty = False
        for aside in printed.asides:
            self._console.say(aside)
        self._remember(printed.noted)
        if self._journal is not None:
            self._journal.note(mapping_of(printed.noted))

    def _write(self, text: str) -> None:
        if self._journal is not None:
            self._journal.write(text)
        else:
            self._console.write(text, painted=self._chosen.is_painted and self._style.color)

    def _remember(self, noted: NotedSentence) -> None:
        """Count a sentence that this run or an earlier one has done."""
        if noted.lost:
            self.tally.lost.append(noted.id)
        elif noted.failed:
            self.tally.failed += 1
        if noted.facts is None or noted.remarks is None:
            return
        self.tally.add(noted.facts)
        self._notes.add(noted.remarks)
        if noted.score is not None:
            self._scored.append(noted.score)

    @contextmanager
    def _kept_whole(self) -> Iterator[None]:
        """Close the output properly if the block of the `with` fails, and tell the user how to continue."""
        try:
            yield
        except BaseException:
            if self._journal is not None:
                self._journal.abandon()
                self._tell_how_to_go_on(self._journal)
            elif not (self._is_empty or self._is_closed):
                with suppress(OSError):
                    self._console.write(self._chosen.closing(empty=False, record=self._record))
            raise

    def _close(self, is_interrupted: bool) -> None:
        """Write the text that ends the output, and close it; an interrupted run can be resumed."""
        closing = self._chosen.closing(self._is_empty, self._record)
        if self._journal is None:
            with held_back():
                self._console.write(closing)
                self._is_closed = True
            return
        self._journal.write(closing)
        if is_interrupted:
            self._journal.stop()
            self._tell_how_to_go_on(self._journal)
        else:
            self._write_manifest(self._journal)
            self._journal.finish()

    def _write_manifest(self, journal: Resumable) -> None:
        """Write the manifest that `numbat join` needs, if this is a run over a part of a file."""
        options = self._asked
        if options.shard is not None and options.path is not None and options.form != STORE:
            from numbat.parses.parts import asked_of_whole, write_manifest

            journal.flush()
            end = self._chosen.after(self._record)
            whole = asked_of_whole(journal.record.asked(), options.path, options.form, self._style.width)
            write_manifest(journal.path, whole, options.shard, options.form, self.tally, end)

    def _tell_how_to_go_on(self, journal: Resumable) -> None:
        if journal.unfinished is not None and os.path.exists(journal.unfinished):
            self._console.tell(
                f"numbat: the parses so far are in {journal.unfinished}\n  the same command with --resume continues"
            )

    def conclude(self, is_interrupted: bool) -> bool:
        """Print notes, tally and scores at the end of the run; return True if all sentences satisfy `--strict`."""
        tally, console = self.tally, self._console
        if not tally.seconds and not tally.failed and not tally.lost and not is_interrupted:
            console.tell("numbat: nothing to parse: no sentence was given")
        for line in chain(
            self._hash_lines.notes(), self._labels.notes(), self._of_treebank.lines(), self._notes.lines()
        ):
            console.say(line)
        if self._style.ud is not None and self._asked.has_dependencies:
            from numbat.treebanks.arcs import map_notes

            for line in map_notes(self._style.ud, self._parser.grammar):
                console.say(line)
        if tally.lost:
            console.tell(f"numbat: {counted(len(tally.lost), 'sentence')} lost: {first_of(tally.lost, NAMED)}")
        if self._asked.stats:
            console.tell(str(tally))
        if self._mapped is not None and self._asked.reading.gold:
            console.tell("\n".join(self._score_lines(self._mapped)))
        most = self._asked.threshold
        return tally.well_formed == len(tally.seconds) if most is None else tally.dearest <= most * UNIT

    def _score_lines(self, mapped: TagMap) -> Iterable[str]:
        from numbat.treebanks.converting import gold_parameters
        from numbat.treebanks.report import nothing_to_score, score_report
        from numbat.treebanks.scores import TreebankScores

        scores = TreebankScores(tuple(self._scored))
        if not scores.compared:
            return [f"numbat: {nothing_to_score(scores)}"]
        return score_report(scores, gold_parameters(mapped).longest).lines()


def _begun(options: ParseSettings, record: RunRecord, grammar: Grammar) -> Resumable:
    """Return the journal for the output: a file or a run in a store; a pipe or a device has none.

    Raises UsageError for an option that needs a file, and UnwritableError.
    """
    path = options.output
    assert path is not None
    if options.form == STORE:
        check_is_file(path, "a store")
    if not is_replaceable(path):
        needing = "--resume" if options.resume else "--shard" if options.shard else ""
        if needing:
            raise UsageError(f"{path}: {needing} needs a regular file as output\n  name one with -o")
        from numbat.runs.journal import Unresumable

        return Unresumable(path, record)
    if options.form == STORE:
        from numbat.corpus.writing import StoreJournal

        return StoreJournal.begin(path, record, options.resume, grammar, options.shard)
    from numbat.runs.journal import Journal

    return Journal.begin(path, record, options.resume)


def parse_by_structure(
    options: ParseSettings, put: Callable[[Iterator[str]], object], console: Console
) -> tuple[int, int]:
    """Parse tagged sentences by a dependency model, and pass the texts of the output to `put`.

    Return how many sentences could not be parsed, and how many were parsed.
    """
    from numbat.structure import report
    from numbat.structure.model import read_model
    from numbat.structure.parsing import StructureTally, parse_structure, tagged_arguments, tagged_for, words_of

    assert options.structure is not None
    model = read_model(options.structure)
    if options.file is None:
        file = tagged_arguments(model, options.sentences)
    else:
        file = tagged_for(model, options.file, options.reading.source or "text")
    for problem in file.problems:
        console.complain(data_error(problem))
    longest = options.reading.max_length
    sentences = [sentence for sentence in file.sentences if longest is None or words_of(sentence) <= longest]
    if len(sentences) < len(file.sentences):
        number = counted(len(file.sentences) - len(sentences), "sentence")
        console.say(f"numbat: {number} longer than --max-length left out")
    write = FORMATS[options.form].dependencies
    assert write is not None, "`check_options` lets only formats with dependencies pass"
    tally = StructureTally()
    put(write(sentence) for sentence in parse_structure(model, sentences, tally, console.advance))
    for line in report.told_of(tally):
        console.say(f"numbat: {line}")
    return len(file.problems) + len(tally.too_long), tally.parsed
