"""The beginning of a project: a folder with a grammar, its words, judged sentences, and how to go on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from numbat.errors import UnwritableError, UsageError
from numbat.files import packaged_folder
from numbat.grammar.loading import load_grammar, packaged
from numbat.grammar.names import is_name, quoted

_GRAMMAR: Final = """\
# {name}: a Property Grammar. A line here says what must hold; numbat check {name}.pg tells mistakes and doubts.
grammar: {name}
language: {language}
lexicon_file: "words.tsv"            # a word a line: form, category, features, with TAB between them
leaves: Det, N, V                    # parts of speech
roots: S                             # what may be a whole sentence
features:
    number: sg, pl

S "sentence":
    oblig VP
    uniq {{NP, VP}}
    NP < VP                          # linearity: the NP comes first
    NP ~> VP [number]                # dependency: they agree
NP "noun phrase":
    oblig N                          # obligation
    uniq {{Det, N}}                    # uniqueness: one of each at most
    Det < N
    N[number=sg] => Det              # requirement: a singular noun needs a determiner
VP "verb phrase":
    oblig V
    uniq V
"""


_GRAMMAR_ON_TOP: Final = """\
# {name}: {base} and what is different here. numbat check {name}.pg tells mistakes and doubts.
grammar: {name}
language: {language}
include: {base}
lexicon_file: "words.tsv"            # further words: form, category, features, with TAB between them
# override NP: Det < N cost 5        # another cost of a property; numbat show {base} lists them
# without NP: Det < N                # a property that is left out
# without word the: Det              # readings that a word loses
"""


_WORDS: Final = """\
# form	category	features
the	Det
cat	N	number=sg
cats	N	number=pl
sleeps	V	number=sg
sleep	V	number=pl
"""


_SUITE: Final = "the cat sleeps\nthe cats sleep\n* the cat sleep\n* cat sleeps\n* sleeps the cat\n"


_READ_ME: Final = """\
# {name}

    numbat check {name}.pg                         mistakes and doubts
    numbat parse -g {name}.pg "{sentence}"
    numbat test -g {name}.pg suite.txt             does it judge these sentences as their marks do?

`{name}.pg` is the grammar, `words.tsv` its words, `suite.txt` sentences, those with `*` being bad ones.
"""


def begin_project(folder: str, base: str | None = None, language: str = "en") -> list[Path]:
    """Write a new project into an empty or new folder; return its files.

    Its grammar is a small one, or changes the grammar `base`. Raises UsageError for a folder that is not empty or
    has no name that a grammar can have, and the errors of files and of `base`.
    """
    place = Path(folder)
    name = place.resolve().name
    if not is_name(name) or name in packaged():
        told = "the name of a packaged grammar" if name in packaged() else "no name of a grammar"
        raise UsageError(f'"{name}" is {told}\n  a folder is named with letters, digits, - and _, as in my-grammar')
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{folder}: there is something already\n  name a new folder, or an empty one")
    words, suite, sentence = _WORDS, _SUITE, "the cat sleep"
    if base is not None:
        language = load_grammar(base).language or language
        included = base if base in packaged() else quoted(os.path.relpath(base, place))
        good, bad = _judged_sentences(base)
        words, suite, sentence = "# form\tcategory\tfeatures\n", f"{good}\n* {bad}\n" if good else "", good
        grammar = _GRAMMAR_ON_TOP.format(name=name, base=included, language=language)
    else:
        grammar = _GRAMMAR.format(name=name, language=language)
    contents = {
        f"{name}.pg": grammar,
        "words.tsv": words,
        "suite.txt": suite,
        "README.md": _READ_ME.format(name=name, sentence=sentence),
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (place / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None
    return [place / file for file in contents]


def _judged_sentences(base: str) -> tuple[str, str]:
    """Return a good and a bad sentence of the packaged suite of a grammar; empty where there is none."""
    corpus = packaged_folder("corpora") / f"{base}.tsv"
    if not corpus.is_file():
        return "", ""
    rows = [line.split("\t") for line in corpus.read_text(encoding="utf-8").splitlines()[1:]]
    good, bad = (next((row[2] for row in rows if row[1] == judged), "") for judged in ("ok", "*"))
    return good, bad
