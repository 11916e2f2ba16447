"""Sentences of treebanks and CG-3 streams as inputs of a parser, with tags mapped to the grammar."""

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
from numbat.treebanks.notes import BY_XPOS, EMPTY_NODES, SUBREADINGS, Notes
from numbat.treebanks.reading import TreebankSentence, read_treebank
from numbat.treebanks.trees import bare_label
from numbat.words.cg3 import cohort_lattice, read_cohorts
from numbat.words.lexical_lookup import Words
from numbat.words.tag_maps import CODES, PUNCTUATION, TagMap, tagged_lattice
from numbat.words.tokens import is_word, spelled

MARK: Final = "PUNCT"
"""Tag of punctuation in CoNLL-U without tags, such as the output of a tokenizer."""
UNTAGGED: Final = "use --words to read only the words, or --tagger MODEL to tag them"


def sentences_of_file(
    path: str, settings: SentenceSettings, mapped: TagMap, words: Words, notes: Notes | None = None
) -> Iterator[InputSentence | DataError]:
    """Return the sentences of a treebank or a CG-3 stream, as requested by the settings."""
    lenient, form = bool(settings.words or settings.tagger), settings.source or "auto"
    if is_cohorts(path, form):
        return up_to(settings.max_length, cohort_sentences(path, mapped, words, lenient, notes))
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
    """Return the tagged sentences of a treebank with tags mapped to categories, and with their trees if `gold`.

    `form`, `notes` and errors are as in `read_treebank`. If `lenient`, tags without a category are not mistakes.
    """
    sentences = read_treebank(path, form, notes)
    return _trees(sentences, shown(path), mapped, words, gold, lenient, notes)


def cohort_sentences(
    path: str, mapped: TagMap, words: Words, lenient: bool = False, notes: Notes | None = None
) -> Iterator[InputSentence | DataError]:
    """Yield the sentences of a CG-3 stream with all readings of their words; errors as in `lines_as_they_come`."""
    name, wrong = shown(path), list[Problem]()
    for cohorts in read_cohorts(_decoded(path, name, wrong), name):
        if wrong:
            yield data_error(*wrong)
            wrong.clear()
        elif isinstance(cohorts, Problem):
            yield data_error(cohorts)
        else:
            try:
                lattice = cohort_lattice(cohorts, mapped, words, name, lenient)
            except DataError as error:
                yield error
                continue
            id = f"{name}:{cohorts[0].line}"
            if notes is not None and any(cohort.has_parts for cohort in cohorts):
                notes.add(SUBREADINGS, id)
            if lattice.tokens:
                yield InputSentence(id, lattice)


def _decoded(path: str, name: str, wrong: list[Problem]) -> Iterator[str]:
    for number, content in numbered_lines(path):
        text, problem = decoded(content, name, number, SAVE_OR_NAME)
        wrong += [] if problem is None else [problem]
        yield text


def is_cohorts(path: str | None, form: str | None = None) -> bool:
    """Return True for a CG-3 stream, by the named format or, for `auto`, by the content of the file."""
    if form == "cg3" or path in (None, "-") or form not in (None, "auto"):
        return form == "cg3"
    assert path is not None
    lines = (line.decode("utf-8", "replace") for line in bare_lines(path))
    return recognised(opening_of(lines)).form == "cg3"


def without_tags(mapped: TagMap) -> TagMap:
    """Return a map for reading words only, which skips the tags of punctuation that it lacks."""
    return replace(mapped, rows={**dict.fromkeys(CODES | PUNCTUATION, ()), **mapped.rows})


def up_to(longest: int | None, every: Iterable[InputSentence | DataError]) -> Iterator[InputSentence | DataError]:
    """Yield the sentences of up to `longest` words, without skipped punctuation; errors pass through."""
    for sentence in every:
        if longest is None or isinstance(sentence, DataError) or len(sentence.lattice.tokens) <= longest:
            yield sentence


def _trees(
    sentences: Iterable[TreebankSentence | Problem],
    name: str,
    mapped: TagMap,
    words: Words,
    gold: bool,
    lenient: bool,
    notes: Notes | None,
) -> Iterator[InputSentence | DataError]:
    skipped = CODES | {tag for tag, readings in mapped.rows.items() if not readings}
    reported: set[str] = set()
    comments = CommentReader()
    for sentence in sentences:
        if isinstance(sentence, Problem):
            yield data_error(sentence)
            continue
        source = sentence.tree if isinstance(sentence.tree, DependencyTree) else None
        known = comments.pairs(source.comments) if source is not None else ()
        if source is not None:
            if notes is not None and any("." in row.columns[0] for row in source.other_rows):
                notes.add(EMPTY_NODES, sentence.id)
            sentence = sentence if lenient else replace(sentence, tree=_as_mapped(source, sentence.id, mapped, notes))
        place, spoken = Span(name, sentence.tree.line), list(_spoken(sentence, mapped.is_identity, words))
        if lenient:
            spoken = [(form, tag if tag != NONE or is_word(form, words) else MARK) for form, tag in spoken]
        elif spoken and all(tag == NONE for _, tag in spoken):
            yield data_error(Problem("no word of the sentence has a tag", place, hint=UNTAGGED))
            continue
        try:
            whole = to_phrases(sentence, notes) if gold else None
            tree = whole and cleaned_crossing(whole, functions=True, dropped=skipped, joined=False)
            lattice = tagged_lattice(spoken, mapped, words, lenient=lenient or mapped.is_identity, place=place)
        except DataError as error:
            yield _once(error, place, [tag for _, tag in spoken], mapped, reported) if error.problems else error
            continue
        if lattice.tokens:
            yield InputSentence(sentence.id, lattice, tree, source, known)


def _once(error: DataError, place: Span, tags: Sequence[str], mapped: TagMap, reported: set[str]) -> DataError:
    """Return the error about tags that are not mapped, in full if one of them was not reported before."""
    strange = dict.fromkeys(tag for tag in tags if mapped.readings(tag) is None)
    before = reported.copy()
    reported.update(strange)
    if strange.keys() <= before:
        return DataError(f"{place}: tags that are not mapped: {', '.join(strange)}", error.problems)
    if before or len(strange) < len(set(tags)):
        return error
    return DataError(f"{error}\n  use --words to read the words without their tags", error.problems)


def _as_mapped(tree: DependencyTree, id: str, mapped: TagMap, notes: Notes | None) -> DependencyTree:
    """Return a sentence, with XPOS tags instead of UPOS tags if the map has readings for more of them."""
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


def _spoken(sentence: TreebankSentence, bare: bool, words: Words) -> Iterator[tuple[str, str]]:
    """Return the words of a tree with their tags: in CoNLL-U the UPOS, or XPOS for words without UPOS."""
    tree = sentence.tree
    tagged: Iterable[tuple[str, str]]
    if isinstance(tree, DependencyTree):
        tags = [word.upos if word.upos != NONE else word.xpos for word in tree.words]
        tagged = zip(_as_rewritten(tree, words), tags, strict=True)
    else:
        tagged = tree.words(empty=False)
    return ((form, bare_label(tag) if bare else tag) for form, tag in tagged if tag not in CODES)


def _as_rewritten(tree: DependencyTree, words: Words) -> list[str]:
    """Return the forms of the words; those of a multiword token as the grammar rewrites it: `de`, `=le` for `du`."""
    forms = [word.form for word in tree.words]
    for written, place in tree.contractions():
        rewritten = words.rewritten.get(spelled(written).lower(), ())
        if len(rewritten) == len(forms[place]):
            forms[place] = rewritten
    return forms
