"""Makes new projects: a project is a folder with a grammar, its words, judged sentences and a README."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from numbat.errors import UnwritableError, UsageError
from numbat.files import packaged_folder
from numbat.grammar.loading import load_grammar, packaged
from numbat.grammar.names import is_name, quoted

_GRAMMAR: Final = """\
# {name}: a Property Grammar. Each line states what must hold; numbat check {name}.pg finds mistakes.
grammar: {name}
language: {language}
lexicon_file: "words.tsv"            # one word per line: form, category, features, separated by TAB
leaves: Det, N, V                    # parts of speech
roots: S                             # constructions that may be a whole sentence
features:
    number: sg, pl

S "sentence":
    oblig VP
    uniq {{NP, VP}}
    NP < VP                          # linearity: the NP comes first
    NP ~> VP [number]                # dependency: they agree
NP "noun phrase":
    oblig N                          # obligation
    uniq {{Det, N}}                    # uniqueness: at most one of each
    Det < N
    N[number=sg] => Det              # requirement: a singular noun needs a determiner
VP "verb phrase":
    oblig V
    uniq V
"""


_GRAMMAR_ON_TOP: Final = """\
# {name}: {base} with changes. numbat check {name}.pg finds mistakes.
grammar: {name}
language: {language}
include: {base}
lexicon_file: "words.tsv"            # more words: form, category, features, separated by TAB
# override NP: Det < N cost 5        # change the cost of a property; numbat show {base} lists the properties
# without NP: Det < N                # remove a property
# without word the: Det              # remove readings of a word
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

    numbat check {name}.pg                         find mistakes
    numbat parse -g {name}.pg "{sentence}"
    numbat test -g {name}.pg suite.txt             compare its judgements with the marks of the sentences

`{name}.pg` is the grammar, `words.tsv` its words, `suite.txt` has sentences, with `*` before bad ones.
"""


def begin_project(folder: str, base: str | None = None, language: str = "en") -> list[Path]:
    """Write a new project into a new or empty folder; return the files that were written.

    The grammar of the project is a small one, or includes the grammar `base`. Raises UsageError for a folder that is
    not empty or whose name cannot be a grammar's name, and errors for files and a `base` that cannot be used.
    """
    place = Path(folder)
    name = place.resolve().name
    if not is_name(name) or name in packaged():
        why = "is the name of a packaged grammar" if name in packaged() else "cannot be the name of a grammar"
        raise UsageError(f'"{name}" {why}\n  name the folder with letters, digits, - and _, such as my-grammar')
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{folder}: this folder is not empty\n  name a new folder, or an empty one")
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
    """Return a good and a bad sentence from the suite that comes with a grammar; empty strings if it has none."""
    corpus = packaged_folder("corpora") / f"{base}.tsv"
    if not corpus.is_file():
        return "", ""
    rows = [line.split("\t") for line in corpus.read_text(encoding="utf-8").splitlines()[1:]]
    good, bad = (next((row[2] for row in rows if row[1] == judged), "") for judged in ("ok", "*"))
    return good, bad
