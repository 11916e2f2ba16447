"""Grammars that are read from the texts of their files, and those that come with Numbat."""

from __future__ import annotations

import hashlib
import json
from errno import ENOENT
from os import strerror
from pathlib import Path
from typing import Final

from numbat.errors import UsageError, close_match
from numbat.files import packaged_folder
from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import SUFFIXES, LoadedGrammar, find, load_grammar, packaged, read_grammar
from numbat.web.requests import GrammarText

READABLE: Final = (*SUFFIXES, ".tsv")
"""The endings of packaged files that a grammar may name: grammars and lexicons."""


def digest_of(text: GrammarText) -> str:
    """A name of all the texts of a grammar: the same for the same texts."""
    content = json.dumps([text.main, sorted(text.files.items())], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def loaded_of(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """The grammar of the texts as far as it can be read, with its mistakes; what `earlier` texts had is not read again.

    Raises UsageError for a name of none.
    """
    if all(given == _packaged_content(name) for name, given in text.files.items()):
        grammar = load_grammar(_packaged_file(text.main))
        return LoadedGrammar(grammar, (), {Path(name): Path(name).read_bytes() for name in grammar.files})
    return reread(text, earlier)


def reread(text: GrammarText, earlier: Rereading | None = None) -> LoadedGrammar:
    """The grammar of the texts, read line by line but for what `earlier` texts had. Raises UsageError."""
    main = Path(text.main)
    if text.main not in text.files:
        main = Path(_packaged_file(text.main).name)
    return read_grammar(main, content_of=lambda path: _content(path, text), earlier=earlier)


def packaged_texts(name: str) -> GrammarText:
    """A packaged grammar as the text of its first file. Raises UsageError."""
    file = _packaged_file(name)
    return GrammarText(file.name, {file.name: file.read_text(encoding="utf-8")})


def _packaged_content(name: str) -> str | None:
    """The text of a grammar or lexicon file that comes with Numbat, None where there is none of that name."""
    try:
        return _content(Path(name), GrammarText()).decode("utf-8")
    except OSError:
        return None


def _packaged_file(name: str) -> Path:
    """The first file of a packaged grammar: no other file is looked for."""
    stems = packaged()
    if name.rpartition(".")[0] in stems and name.endswith(SUFFIXES):
        name = name.rpartition(".")[0]
    if name not in stems:
        hint = close_match(name, stems) or f"the packaged grammars are: {', '.join(stems)}"
        raise UsageError(f'"{name}" has no text, and no packaged grammar is called so\n  {hint}')
    return find(str(packaged_folder("grammars") / _with_suffix(name)))


def _with_suffix(name: str) -> str:
    folder = packaged_folder("grammars")
    return next(f"{name}{suffix}" for suffix in SUFFIXES if (folder / f"{name}{suffix}").is_file())


def _content(path: Path, text: GrammarText) -> bytes:
    """What a file holds: its text, else that of the packaged file of this name. Raises OSError where there is none."""
    given = text.files.get(path.as_posix())
    if given is not None:
        return given.encode("utf-8", "replace")
    file = packaged_folder("grammars") / path.name
    if path.name != str(path) or path.suffix not in READABLE or not file.is_file():
        raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))
    return file.read_bytes()
