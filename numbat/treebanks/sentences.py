"""Sentences of treebanks and of CG-3 streams as inputs of a parser, their tags mapped to the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from numbat.errors import DataError, Problem, Span, data_error
from numbat.files import SAVE_OR_NAME, bare_lines, decoded, shown
from numbat.runs.metadata import CommentReader
from numbat.runs.sentences import InputSentence, numbered_lines
from numbat.runs.settings import SentenceSettings
from numbat.treebanks.conllu import NONE, DependencyTree
from numbat.treebanks.converting import to_phrases
from numbat.treebanks.crossing import cleaned_crossing
from numbat.treebanks.formats import opening_of, recognised
from numbat.treebanks.notes import BY_XPOS, EMPTY_NODES, Notes
from numbat.treebanks.reading import TreebankSentence, read_treebank
from numbat.treebanks.trees import bare_label
from numbat.words.cg3 import cohort_lattice, read_cohorts
from numbat.words.lexical_lookup import Words
from numbat.words.tag_maps import CODES, PUNCTUATION, TagMap, tagged_lattice
from numbat.words.tokens import is_word

MARK: Final = "PUNCT"
"""What a mark of CoNLL-U is where nothing has a tag: an output of a tokenizer alone."""
UNTAGGED: Final = "--words takes the words alone, --tagger MODEL gives them tags"


def sentences_of_file(
    path: str, settings: SentenceSettings, mapped: TagMap, words: Words, notes: Notes | None = None
) -> Iterator[InputSentence | DataError]:
    """Return the sentences of an annotated file, as the settings ask for them: of a treebank, or of a CG-3 stream."""
    lenient, form = bool(settings.words or settings.tagger), settings.source or "auto"
    if is_cohorts(path, form):
        return up_to(settings.max_length, cohort_sentences(path, mapped, words, lenient))
    return up_to(settings.max_length, treebank_sentences(path, form, mapped, words, settings.gold, lenient, notes))


def treebank_sentences(
    path: str,
    form: str,
    mapped: TagMap,
    words: Words,
    gold: bool = False,
    lenient: bool = False,
    notes: Notes | None = None,
) -> Iterator[InputSentence | DataError]:
    """Return the tagged sentences of a treebank, their tags mapped to categories; with `gold` their trees too.

    `form`, `notes` and errors as in `read_treebank`; `lenient`: tags do not count, so that one without category is no
    mistake.
    """
    found = read_treebank(path, form, notes)
    return _trees(found, shown(path), mapped, words, gold, lenient, notes)


def cohort_sentences(
    path: str, mapped: TagMap, words: Words, lenient: bool = False
) -> Iterator[InputSentence | DataError]:
    """Return the sentences of a CG-3 stream with all readings of their words; errors as in `lines_as_they_come`."""
    name, wrong = shown(path), list[Problem]()
    for each in read_cohorts(_decoded(path, name, wrong), name):
        if wrong:
            yield data_error(*wrong)
            wrong.clear()
        elif isinstance(each, Problem):
            yield data_error(each)
        else:
            try:
                lattice = cohort_lattice(each, mapped, words, name, lenient)
            except DataError as error:
                yield error
                continue
            if lattice.tokens:
                yield InputSentence(f"{name}:{each[0].line}", lattice)


def _decoded(path: str, name: str, wrong: list[Problem]) -> Iterator[str]:
    for number, content in numbered_lines(path):
        text, problem = decoded(content, name, number, SAVE_OR_NAME)
        wrong += [] if problem is None else [problem]
        yield text


def is_cohorts(path: str | None, form: str | None = None) -> bool:
    """True for a file whose format is that of a CG-3 stream, by its name or, where that is `auto`, by its content."""
    if form == "cg3" or path in (None, "-") or form not in (None, "auto"):
        return form == "cg3"
    assert path is not None
    lines = (line.decode("utf-8", "replace") for line in bare_lines(path))
    return recognised(opening_of(lines)).form == "cg3"


def without_tags(mapped: TagMap) -> TagMap:
    """Return the map where only words count: tags of punctuation that it does not have are skipped."""
    return replace(mapped, rows={**dict.fromkeys(CODES | PUNCTUATION, ()), **mapped.rows})


def up_to(longest: int | None, every: Iterable[InputSentence | DataError]) -> Iterator[InputSentence | DataError]:
    """Return the sentences of so many words at most, skipped punctuation not counted; errors pass through."""
    for sentence in every:
        if longest is None or isinstance(sentence, DataError) or len(sentence.lattice.tokens) <= longest:
            yield sentence


def _trees(
    found: Iterable[TreebankSentence | Problem],
    name: str,
    mapped: TagMap,
    words: Words,
    gold: bool,
    lenient: bool,
    notes: Notes | None,
) -> Iterator[InputSentence | DataError]:
    skipped = CODES | {tag for tag, readings in mapped.rows.items() if not readings}
    told: set[str] = set()
    comments = CommentReader()
    for each in found:
        if isinstance(each, Problem):
            yield data_error(each)
            continue
        source = each.tree if isinstance(each.tree, DependencyTree) else None
        known = comments.pairs(source.comments) if source is not None else ()
        if source is not None:
            if notes is not None and any("." in row.columns[0] for row in source.other_rows):
                notes.add(EMPTY_NODES, each.id)
            each = each if lenient else replace(each, tree=_as_mapped(source, each.id, mapped, notes))
        place, spoken = Span(name, each.tree.line), list(_spoken(each, bare=mapped.is_identity))
        if lenient and source is not None:
            spoken = [(form, tag if tag != NONE or is_word(form, words) else MARK) for form, tag in spoken]
        elif spoken and all(tag == NONE for _, tag in spoken):
            yield data_error(Problem("no word of the sentence has a tag", place, hint=UNTAGGED))
            continue
        try:
            whole = to_phrases(each, notes) if gold else None
            tree = whole and cleaned_crossing(whole, functions=True, dropped=skipped, joined=False)
            lattice = tagged_lattice(spoken, mapped, words, lenient=lenient or mapped.is_identity, place=place)
        except DataError as error:
            yield _once(error, place, [tag for _, tag in spoken], mapped, told) if error.problems else error
            continue
        if lattice.tokens:
            yield InputSentence(each.id, lattice, tree, source, known)


def _once(error: DataError, place: Span, tags: Sequence[str], mapped: TagMap, told: set[str]) -> DataError:
    """Return the error about tags that are not mapped: in full if one was not reported before."""
    strange = dict.fromkeys(tag for tag in tags if mapped.readings(tag) is None)
    before = told.copy()
    told.update(strange)
    if strange.keys() <= before:
        return DataError(f"{place}: tags that are not mapped: {', '.join(strange)}", error.problems)
    if before or len(strange) < len(set(tags)):
        return error
    return DataError(f"{error}\n  --words takes the words without their tags", error.problems)


def _as_mapped(tree: DependencyTree, id: str, mapped: TagMap, notes: Notes | None) -> DependencyTree:
    """Return a sentence with the tags of XPOS in UPOS if the map has more of them; UPOS counts where it has as many."""
    by_upos, by_xpos = (
        sum(mapped.readings(tag) is not None for tag in column)
        for column in ([word.upos for word in tree.words], [word.xpos for word in tree.words])
    )
    if by_xpos <= by_upos:
        return tree
    if notes is not None and any(word.upos != NONE for word in tree.words):
        notes.add(BY_XPOS, id)
    words = [replace(word, upos=word.xpos) if word.xpos != NONE else word for word in tree.words]
    return replace(tree, words=tuple(words))


def _spoken(sentence: TreebankSentence, bare: bool) -> Iterator[tuple[str, str]]:
    """Return the words of a tree with their tags; of CoNLL-U UPOS, or where that is not given XPOS."""
    tree = sentence.tree
    tagged: Iterable[tuple[str, str]]
    if isinstance(tree, DependencyTree):
        tagged = ((word.form, word.upos if word.upos != NONE else word.xpos) for word in tree.words)
    else:
        tagged = tree.words(empty=False)
    return ((form, bare_label(tag) if bare else tag) for form, tag in tagged if tag not in CODES)
