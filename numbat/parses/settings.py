"""Settings for parsing many sentences, and checks that those chosen fit together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.errors import UsageError, either
from numbat.parses.formats import FORMATS, OutputFormat
from numbat.parsing.policies import MARGIN, ParserSettings
from numbat.records import frozen
from numbat.runs.settings import TAGGED_FILES, TREEBANKS, ExpansionSettings, RunSettings, SentenceSettings
from numbat.settings import Typed, option_name, setting, settings_of

if TYPE_CHECKING:
    from numbat.grammar.profiles import Profile
    from numbat.parsing.parser import Parser

STORE: Final = "store"
"""The output format that writes a run to a store."""
OF_PHASES: Final = ("max_assignments", "max_rounds", "max_constituents")
OF_EXACT: Final = ("max_items", "max_states")
"""Limits that only the exact engine has."""
OF_EXPANSIONS: Final = ("items", "seconds")
"""Settings of a parser that also apply to parsing by expansions."""
OF_STRUCTURE: Final = {"sentences", "path", "form", "tagged", "source", "max_length", "structure", "output"}
"""Options that can be combined with --structure."""

CHUNKS: Final = "chunks"
CHUNKS_TAGGER: Final = "penn"
"""Default grammar for `--shallow`, and the tagger that finds the categories of its words."""


@frozen
class ParseSettings:
    """Settings for parsing many sentences: the options of `numbat parse`."""

    sentences: tuple[str, ...]
    grammar: str
    path: str | None
    form: str
    for_spreadsheets: bool
    scheme: str | None
    meta: tuple[str, ...]
    parser: ParserSettings
    by_expansions: ExpansionSettings
    reading: SentenceSettings
    hash_lines: bool
    must_hold: bool
    threshold: float | None
    run: RunSettings
    color: str
    shard: tuple[int, int] | None
    n: int = setting(1, "-n", "How many parses, best first.", least=1, heading="Output")
    override: tuple[str, ...] = setting(
        (),
        "--set",
        "Override a property for this run: 'NP: Det < N cost 5'; may be repeated.",
        metavar="CHANGE",
        heading="Grammar",
        advanced=True,
    )
    without_property: tuple[str, ...] = setting(
        (),
        "--without-property",
        "Leave a property out for this run: 'NP: Det < N'; may be repeated.",
        metavar="PROPERTY",
        heading="Grammar",
        advanced=True,
    )
    shallow: bool = setting(
        False, "--shallow", "Find flat phrases (chunks); default grammar: chunks.", heading="Grammar"
    )
    fragment_cost: float | None = setting(
        None, "--fragment-cost", "Cost of a fragment, instead of the grammar's.", least=0, heading="Grammar"
    )
    all_features: bool = setting(
        False,
        "--all-features",
        "Show all features, not only the grammar's tree_features.",
        heading="Output",
        advanced=True,
    )
    dependencies: bool = setting(
        False,
        "--dependencies",
        "With -f svg or html: draw dependencies, in html below the tree.",
        heading="Output",
        advanced=True,
    )
    ud_map: str | None = setting(
        None,
        "--ud-map",
        "File that maps the grammar to UD (default: the packaged one with its name, else X and dep).",
        reads="file",
        metavar="FILE",
        heading="Output",
        advanced=True,
    )
    positions: bool = setting(
        False, "--positions", "Show the token positions of each constituent.", heading="Output", advanced=True
    )
    compact: bool = setting(
        False, "--compact", "With -f json or jsonl: write numbers instead of names.", heading="Output", advanced=True
    )
    suggest: bool = setting(False, "--suggest", "Show the change that repairs a sentence best.", heading="Output")
    trace: bool = setting(False, "--trace", "Print each round and phase on standard error.", heading="Output")
    trace_all: bool = setting(
        False,
        "--trace-all",
        "Like --trace, with all combinations and dropped items.",
        heading="Output",
        advanced=True,
    )
    stats: bool = setting(
        False, "--stats", "Print a tally of the run on standard error.", heading="Output", advanced=True
    )
    within: float | None = setting(
        None,
        "--within",
        "Also tell the reasons of parses that cost at most X more (default: 0.3, with -f jsonl none).",
        metavar="X",
        least=0,
        heading="Output",
        advanced=True,
    )
    watch: bool = setting(False, "--watch", "Parse again when a file of the grammar changes.", heading="Output")
    output: str | None = setting(
        None, "--output", "File for the parses (default: standard output).", writes="file", short="-o", heading="Output"
    )
    resume: bool = setting(False, "--resume", "With -o: continue where a run was stopped.", heading="Many sentences")
    structure: str | None = setting(
        None,
        "--structure",
        "Find dependencies of tagged words with this model.",
        reads="file",
        metavar="MODEL",
        heading="Grammar",
    )

    @property
    def file(self) -> str | None:
        """The file with the sentences, `-` for standard input; None if sentences were typed on the command line."""
        return "-" if self.sentences == ("-",) else self.path

    @property
    def margin(self) -> float | None:
        """Margin of other diagnoses; None if none are told, as by default in lines of JSON for many sentences."""
        is_told = "within" in self.format.options and self.form != "jsonl"
        return self.within if self.within is not None or not is_told else MARGIN

    @property
    def has_tags(self) -> bool:
        """True if words get their categories from tags: from a file, from a tagger, or typed as word/TAG."""
        reading = self.reading
        return bool(reading.tagger or reading.tagged or (reading.is_treebank and not reading.words))

    @property
    def has_dependencies(self) -> bool:
        """True if dependencies are written or drawn."""
        return self.form == "conllu" or self.dependencies

    @property
    def has_record(self) -> bool:
        """True if the run writes its record: to a file beside its output, or as part of an output in this format."""
        return self.output is not None or self.format.has_record

    def with_chunks(self, is_named: bool) -> ParseSettings:
        """Return the settings for `--shallow`, with its default grammar and tagger unless a grammar `is_named`."""
        if not self.shallow or is_named:
            return self
        reading = self.reading
        if not (reading.tagged or reading.tagger) and (reading.words or not reading.is_treebank):
            reading = replace(reading, tagger=CHUNKS_TAGGER, words=False)
        return replace(self, grammar=CHUNKS, reading=reading)

    @property
    def format(self) -> OutputFormat:
        """The format of the output."""
        return FORMATS[self.form]


def check_options(options: ParseSettings, typed: Typed) -> None:
    """Raise UsageError for options that have no effect or exclude each other, and if there is no sentence."""
    check_sentences(options.sentences, options.path, typed.verb)
    check_reading(options.path, options.reading, typed)
    if options.reading.gold and not options.reading.is_treebank:
        raise UsageError("--gold needs a treebank\n  add --from auto")
    if options.reading.gold and options.reading.source == "cg3":
        raise UsageError("--gold and --from cg3 exclude each other\n  a CG-3 stream has no trees: leave --gold out")
    if "separator" in typed.given and not options.reading.tagged:
        raise UsageError("--separator needs tagged words\n  add --tagged")
    check_threshold(options.threshold, options.must_hold)
    if options.must_hold and options.structure is not None:
        raise UsageError(
            "--strict and --structure exclude each other\n"
            "  a dependency model evaluates no properties: leave one of them out"
        )
    _check_format(options, typed)
    _check_output(options, typed)
    _check_structure(options, typed)
    _check_shallow(options, typed)
    _check_expansions(options, typed)


def check_sentences(sentences: tuple[str, ...], path: str | None, verb: str) -> None:
    """Raise UsageError if there is no sentence, or if sentences come from two sources."""
    if not sentences and path is None:
        raise UsageError(
            f'no sentence\n  type one in quotes, as in numbat {verb} "The cat sleeps", give a file with -i, or - '
            "to read the standard input"
        )
    if sentences and path is not None:
        raise UsageError("sentences and -i FILE exclude each other\n  leave one of them out")
    if "-" in sentences and len(sentences) > 1:
        raise UsageError(
            '"-" and sentences exclude each other\n  "-" alone reads the standard input: leave one of them out'
        )


def _check_format(options: ParseSettings, typed: Typed) -> None:
    form = options.format
    for name in sorted({option for other in FORMATS.values() for option in other.options}):
        if (name in typed.given or getattr(options, name)) and name not in form.options:
            able = either(form for form, other in FORMATS.items() if name in other.options)
            raise UsageError(
                f"{typed.written[name]} and -f {options.form} exclude each other\n"
                f"  take -f {able}, or leave {typed.written[name]} out"
            )
    if options.ud_map and not (options.has_dependencies or options.reading.gold):
        raise UsageError("--ud-map has no effect without dependencies\n  add -f conllu, --dependencies or --gold")
    is_one = options.n == 1 and len(options.sentences) == 1 and options.sentences != ("-",)
    if form.is_one_drawing and not is_one:
        raise UsageError(f"-f {options.form} can draw only one parse of one sentence\n  -f html puts several on a page")


def _check_output(options: ParseSettings, typed: Typed) -> None:
    if options.form == STORE and options.output is None:
        raise UsageError("-f store writes to a file\n  name it with -o FILE")
    if options.form == STORE and options.n > 1:
        raise UsageError("-f store keeps the best parse of each sentence\n  leave -n out")
    if options.form == STORE and options.trace:
        raise UsageError("-f store keeps no trace\n  leave --trace out, or take -f json")
    if options.shard is not None and options.path in (None, "-"):
        raise UsageError("--shard selects part of a file\n  name the file with -i FILE")
    if options.shard is not None and options.output is None:
        raise UsageError("--shard writes an output for numbat join\n  name it with -o FILE")
    if options.resume and options.output is None:
        raise UsageError("--resume continues a file\n  name it with -o FILE")
    if options.resume and "-" in (options.path, *options.sentences):
        raise UsageError("--resume cannot read standard input again\n  give the sentences as a file with -i")
    for name in ("suggest", "within"):
        if options.trace and name in typed.given:
            raise UsageError(
                f"{typed.written['trace']} and {typed.written[name]} exclude each other\n  leave one of them out"
            )
    if options.trace and options.compact:
        raise UsageError(
            "--compact and --trace exclude each other\n  a trace has one form, with names: leave one of them out"
        )
    if options.trace and (options.run.jobs or 1) > 1:
        raise UsageError(
            "--trace and --jobs exclude each other\n"
            "  a trace follows one sentence after the other: leave one of them out"
        )
    if options.trace and options.run.cluster is not None:
        raise UsageError(
            "--trace and --cluster exclude each other\n"
            "  a trace follows one sentence after the other: leave one of them out"
        )


def check_reading(path: str | None, reading: SentenceSettings, typed: Typed) -> None:
    """Raise UsageError for options that contradict each other about where words and tags come from."""
    if reading.source and path is None:
        raise UsageError("--from reads a file\n  name it with -i FILE")
    if reading.is_treebank and reading.tagged:
        raise UsageError("--tagged and --from exclude each other\n  a treebank already has tags: leave --tagged out")
    if reading.split is not None and (reading.source or reading.tagged):
        other = "--from" if reading.source else "--tagged"
        raise UsageError(
            f"--split and {other} exclude each other\n"
            "  --split divides running text, and this text is divided already: leave one of them out"
        )
    if reading.max_length is not None and not reading.is_treebank:
        raise UsageError("--max-length needs a treebank\n  add --from auto")
    if reading.words and not reading.is_treebank:
        raise UsageError("--words needs a treebank\n  add --from auto")
    if reading.words and reading.tagger:
        raise UsageError(
            "--words and --tagger exclude each other\n"
            "  the lexicon or the tagger gives categories: leave one of them out"
        )
    if reading.tag_map is not None and not reading.source and not reading.tagger:
        raise UsageError("--tag-map needs tags\n  add --from auto or --tagger MODEL")
    if "tagger_output" in typed.given and not reading.tagger:
        raise UsageError("--tagger-output needs a tagger\n  add --tagger MODEL")
    if reading.tagger and reading.tagged:
        raise UsageError("--tagged and --tagger exclude each other\n  words carry tags already: leave one of them out")


def _check_shallow(options: ParseSettings, typed: Typed) -> None:
    if options.fragment_cost is not None and not options.shallow and "granularity" in typed.given:
        cure = "the first sets the cost of a fragment, the second multiplies it: leave one of them out"
        raise UsageError(f"--fragment-cost and --granularity exclude each other\n  {cure}")
    if not options.shallow:
        if options.form == "columns":
            raise UsageError("-f columns needs chunks, whose labels it writes\n  add --shallow, which finds them")
        return
    if options.by_expansions.expansions:
        raise UsageError(
            "--shallow and --expansions exclude each other\n"
            "  expansions make whole trees, not chunks: leave one of them out"
        )


def check_chunks(options: ParseSettings, profile: Profile) -> None:
    """Raise UsageError for a profile without one of the heuristics that finding chunks requires."""
    reasons = {"H2": "chunks have no holes", "H5": "chunks and the words between them are the whole sentence"}
    for heuristic, why in reasons.items():
        if heuristic not in profile.heuristics:
            named = f"--without {heuristic}" if heuristic in options.parser.without else f"--profile {profile.name}"
            raise UsageError(f"--shallow and {named} exclude each other\n  {why}: leave one of them out")


def _check_expansions(options: ParseSettings, typed: Typed) -> None:
    if not options.by_expansions.expansions:
        of_search = {option_name(field) for field in settings_of(ExpansionSettings)} - {"expansions"}
        if needy := typed.first_of(sorted(of_search)):
            raise UsageError(f"{needy} needs expansions\n  add --expansions FILE")
        return
    others = [option_name(field) for field in settings_of(ParserSettings) if field.name not in OF_EXPANSIONS]
    idle = typed.written["trace"] if options.trace else typed.first_of([*others, "fragment_cost", "suggest", "within"])
    if idle:
        raise UsageError(
            f"{idle} and --expansions exclude each other\n"
            "  expansions find the likeliest tree without the other engines: leave one of them out"
        )


def _check_structure(options: ParseSettings, typed: Typed) -> None:
    source = options.reading.source
    if options.structure is None:
        if source in TAGGED_FILES and source not in TREEBANKS:
            raise UsageError(
                f"--from {source} has no trees\n  add --structure MODEL, or give tagged words with --tagged"
            )
        return
    if idle := typed.first_of(name for name in typed.written if name not in OF_STRUCTURE):
        raise UsageError(
            f"{idle} and --structure exclude each other\n"
            "  a dependency model finds the likeliest tree without a grammar: leave one of them out"
        )
    if not source and not options.reading.tagged:
        raise UsageError("--structure needs tags\n  add --from auto, or --tagged for words written word/TAG")
    if "form" in typed.given and options.format.dependencies is None:
        able = either(form for form, other in FORMATS.items() if other.dependencies is not None)
        raise UsageError(f"--structure and -f {options.form} exclude each other\n  take -f {able}")


def check_limits(parser: Parser, trace: bool, typed: Typed) -> None:
    """Raise UsageError for a limit that only another engine or election has than the parser's."""
    if parser.engine == "exact" and not trace and (idle := typed.first_of(OF_PHASES)):
        raise UsageError(
            f"{idle} limits only the phases engine, which is not used here\n"
            "  take --engine phases, or limit the exact one with --max-items or --max-seconds"
        )
    if parser.engine == "phases" and not parser.asks_best_cost and (idle := typed.first_of(OF_EXACT)):
        raise UsageError(
            f"{idle} limits only the exact engine, which is not used here\n"
            "  limit the phases engine with --max-assignments or --max-seconds"
        )
    if "beam" in typed.given and parser.profile.election != "beam":
        raise UsageError("--beam has no effect without the election beam\n  add --election beam")


def check_threshold(threshold: float | None, must_hold: bool) -> None:
    """Raise UsageError for a threshold without `--strict`."""
    if threshold is not None and not must_hold:
        raise UsageError("--threshold has no effect without --strict\n  add --strict, or leave it out")
