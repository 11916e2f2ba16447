"""Keeps grammars in cache files, so that the program need not parse them with Lark at each start.

A cached grammar is used only as long as the text of each of its files, the version of Numbat and the code of this
package are unchanged, and the cache file itself is intact (`numbat.files`). The cache is in `$NUMBAT_CACHE`, else in
`numbat` in the user's cache folder; `NUMBAT_CACHE=off` switches it off. If it cannot be written, nothing is cached;
if there are too many grammars, the least recently used ones are deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, overload

from numbat import errors
from numbat.files import digest_of, keep, kept
from numbat.grammar import expressions, model, profiles, properties, relations
from numbat.grammar.model import Entry, Grammar, Reading, remembered_lately
from numbat.grammar.properties import Demand
from numbat.records import cached_property
from numbat.version import __version__

MAX_FILES: Final = 200
"""Maximum number of cached grammars."""

SECTION: Final = "\0"
"""Separates the four parts of a cache file: the grammar without its lexicon, in JSON; the forms, one on each line; the
readings, one on each line, with an empty line after those of a form; the distinct readings without weight and lemma."""
DIGITS: Final = 24
"""The number of digits of the digest at the end of a cache file name; only files with such names are deleted."""


def folder() -> Path | None:
    """Return the cache folder, None if the cache is switched off."""
    chosen = os.environ.get("NUMBAT_CACHE", "")
    if chosen.lower() in ("off", "no", "false", "0"):
        return None
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(home or os.path.expanduser("~/.cache")) / "numbat"


def get(path: Path) -> Grammar | None:
    """Return the cached grammar of a file; None if there is none or one of its files has changed."""
    file = _file(path)
    if file is None:
        return None
    content = kept(file)
    if content is None:
        return None
    try:
        header, *sections = content.split(SECTION.encode())
        record = json.loads(header)
        if record["made"] != made_of(path):
            return None
        if any(digest_of(Path(name)) != digest for name, digest in record["files"].items()):
            return None
        grammar = decode(record["grammar"])
        if not isinstance(grammar, Grammar):
            return None
        forms, readings, bare = [section.decode() for section in sections]
        columns = forms.split("\n")[:-1], readings.split("\n\n")[:-1]
        if len(columns[0]) != len(columns[1]):
            return None
        grammar = replace(grammar, lexicon=LazyLexicon(*columns, bare.split("\n") if bare else []))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        os.utime(file)
    return grammar


def put(path: Path, grammar: Grammar, files: Mapping[Path, bytes]) -> None:
    """Cache a grammar that was read from these files; do nothing if the cache cannot be written."""
    file = _file(path)
    if file is None:
        return
    forms, readings, bare = encoded_readings(grammar.lexicon)
    if any("\n" in form or SECTION in form for form in forms):
        return
    record = {
        "made": made_of(path),
        "files": {str(name): hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "grammar": encode(replace(grammar, lexicon=())),
    }
    lines = "".join([form + "\n" for form in forms]), "".join([lines + "\n\n" for lines in readings])
    sections = json_line(record), *lines, "\n".join(bare)
    with contextlib.suppress(OSError, ValueError):
        keep(file, SECTION.join(sections).encode())
        ours = f"*-{'[0-9a-f]' * DIGITS}.*"  # also temporary files of interrupted runs, but no other files
        for old in sorted(file.parent.glob(ours), key=_last_use)[:-MAX_FILES]:
            old.unlink()


def _last_use(file: Path) -> float:
    return file.stat().st_mtime


def file_of(stem: str, key: object) -> Path | None:
    """Return the cache file for a key, None if the cache is switched off."""
    where = folder()
    name = hashlib.sha256(repr(key).encode()).hexdigest()[:DIGITS]
    return None if where is None else where / f"{stem}-{name}.kept"


def _file(path: Path) -> Path | None:
    """Return the cache file for a grammar file. Each name of a file has its own, because spans contain the name."""
    return file_of(path.stem, tuple(_names(path)))


def _names(path: Path) -> list[str]:
    return [os.path.abspath(path), str(path)]


def made_of(path: Path) -> list[Any]:
    """Return what a cached grammar was made from: the names of its file, Numbat's version, a digest of the code."""
    return [_names(path), __version__, _code_digest()]


@cache
def _code_digest() -> str:
    """Return a digest of the times and sizes of this package's modules: changed code makes the cache invalid."""
    walked = [(folder, name) for folder, _, names in os.walk(os.path.dirname(__file__)) for name in names]
    code = sorted(os.path.join(*pair) for pair in walked if pair[1].endswith((".py", ".lark")))
    statuses = [(path, status.st_mtime_ns, status.st_size) for path in code if (status := os.stat(path))]
    return hashlib.sha256(repr(statuses).encode()).hexdigest()


RECORDS: Final[dict[str, Callable[..., Any]]] = {
    name: record
    for module in (model, profiles, properties, relations, expressions, errors)
    for name, record in vars(module).items()
    if isinstance(record, type) and is_dataclass(record)
}


def encode(value: Any, texts: tuple[type, ...] = ()) -> list[Any]:
    """Return the value as a list of its distinct parts; each part follows the parts that it contains.

    The last part is the value itself. A record becomes a list of its class name and the indexes of its fields, a tuple
    a list of "" and the indexes of its members; other values stay as they are. `texts` are classes of texts with a
    `span`; such a text becomes a list of the class name, the index of the text, and the indexes of the span's fields.
    """
    parts: list[Any] = []
    places: dict[tuple[Any, ...], int] = {}
    records: dict[type, tuple[str, ...]] = {}
    met: dict[int, int] = {}  # by identity: in a decoded grammar equal parts are one object

    def put(key: tuple[Any, ...], part: Any) -> int:
        known = places.setdefault(key, len(parts))
        if known == len(parts):
            parts.append(part)
        return known

    def place(value: Any) -> int:
        known = met.get(id(value))
        if known is not None:
            return known
        kind = type(value)
        if kind not in records:
            records[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
        if names := records[kind]:
            key: tuple[Any, ...] = kind.__name__, *[place(getattr(value, name)) for name in names]
        elif isinstance(value, tuple):
            key = "", *map(place, value)
        elif texts and isinstance(value, texts):
            text, span = str(value), getattr(value, "span")  # noqa: B009 (of these types)
            key = kind.__name__, put((text, str), text), *[place(getattr(span, name)) for name in span.__slots__]
        else:
            known = met[id(value)] = put((value, kind), value)  # because 1 == 1.0 == True
            return known
        known = met[id(value)] = put(key, list(key))
        return known

    place(value)
    return parts


def decode(parts: list[Any], records: Mapping[str, Callable[..., Any]] = RECORDS) -> Any:
    """Return the value that `encode` turned into these parts; equal parts become one object."""
    made: list[Any] = []
    at = made.__getitem__
    for part in parts:
        if type(part) is list:
            kind, inner = part[0], map(at, part[1:])
            made.append(records[kind](*inner) if kind else tuple(inner))
        else:
            made.append(part)
    return made[-1]


# Lexicon decoded on demand, because a sentence uses only a few of thousands of forms


_NUMBER: Final = re.compile(r"^\d+", re.MULTILINE)


class LazyLexicon(Sequence[Entry]):
    """Sequence of entries in the order of the file, equal to a tuple of them; entries are decoded on first use.

    `readings` has one text for each of the `forms`, with one reading per line. A line has three columns: an index into
    `bare`, the weight, and the lemma in JSON, which escapes separators. `bare` lists, in JSON, the distinct readings
    without weight and lemma.
    """

    def __init__(self, forms: Sequence[str], readings: Sequence[str], bare: Sequence[str]) -> None:
        self.forms, self._readings, self._bare = forms, readings, bare
        self._known: dict[int, Reading] = {}

    def __len__(self) -> int:
        return len(self.forms)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return tuple(map(self._entry, self.forms[index], self._readings[index]))
        return self._entry(self.forms[index], self._readings[index])

    def __iter__(self) -> Iterator[Entry]:
        return map(self._entry, self.forms, self._readings)

    def _entry(self, form: str, readings: str) -> Entry:
        fields = (line.split("\t") for line in readings.split("\n"))
        return Entry(form, tuple(self._reading(int(i), float(weight), lemma) for i, weight, lemma in fields))

    def _reading(self, number: int, weight: float, lemma: str) -> Reading:
        bare = self._bare_reading(number)
        return replace(bare, weight=weight, lemma=json.loads(lemma) if lemma else "")

    def _bare_reading(self, number: int) -> Reading:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = bare_reading(self._bare[number])
        return known

    @cached_property
    def _places(self) -> dict[str, int]:
        return {form: i for i, form in enumerate(self.forms)}

    @property
    def categories(self) -> set[str]:
        """The categories of all readings in this lexicon."""
        return {json.loads(line)[0] for line in self._bare}

    def readings_of(self, form: str) -> tuple[Reading, ...]:
        """Return the readings of a form; empty if the lexicon does not have the form."""
        place = self._places.get(form)
        return () if place is None else self[place].readings

    def changed(self, readings: Mapping[str, Sequence[Reading]]) -> LazyLexicon:
        """Return this lexicon with new readings for some forms; a form with none is removed, new forms come last.

        The result is encoded exactly as a lexicon made from the changed entries would be.
        """
        bare = list(self._bare)
        numbers = {line: i for i, line in enumerate(bare)}
        lines = dict(zip(self.forms, self._readings, strict=True))
        for form, several in readings.items():
            if several:
                bare_lines = [json_line((reading.category, reading.features)) for reading in several]
                places = [numbers.setdefault(line, len(numbers)) for line in bare_lines]
                lines[form] = "\n".join(map(_line_of, places, several))
            else:
                lines.pop(form, None)
        bare += [line for line, i in numbers.items() if i >= len(bare)]
        if self._places.keys().isdisjoint(readings):  # the indexes of earlier readings are unchanged
            return LazyLexicon(list(lines), list(lines.values()), bare)
        text = "\n\n".join(lines.values())
        order = {number: str(i) for i, number in enumerate(dict.fromkeys(_NUMBER.findall(text)))}
        text = _NUMBER.sub(lambda match: order[match[0]], text)
        return LazyLexicon(list(lines), text.split("\n\n") if lines else [], [bare[int(number)] for number in order])

    def first_of_each(self) -> dict[str, str]:
        """Return the first form without spaces of each category."""
        seen: set[str] = set()
        forms: dict[str, str] = {}
        for form, readings in zip(self.forms, self._readings, strict=True):
            for number in (line.partition("\t")[0] for line in readings.split("\n")):
                if number not in seen and " " not in form:
                    seen.add(number)
                    forms.setdefault(self._bare_reading(int(number)).category, form)
        return forms

    def of_lemma(self, lemma: str) -> list[str]:
        """Return the forms of a lemma."""
        end = "\t" + _encoded_lemma(lemma)
        both = zip(self.forms, self._readings, strict=True)
        return [form for form, lines in both if end in lines and end + "\n" in lines + "\n"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"<LazyLexicon of {len(self)} forms>"


def encoded_readings(lexicon: Sequence[Entry]) -> tuple[list[str], list[str], list[str]]:
    """Return the arguments `forms`, `readings` and `bare` that make a `LazyLexicon` equal to this lexicon."""
    if isinstance(lexicon, LazyLexicon):
        return list(lexicon.forms), list(lexicon._readings), list(lexicon._bare)
    numbers: dict[tuple[str, Demand], int] = {}
    readings = []
    for entry in lexicon:
        places = [numbers.setdefault((reading.category, reading.features), len(numbers)) for reading in entry.readings]
        readings.append("\n".join(map(_line_of, places, entry.readings)))
    return list(forms_of(lexicon)), readings, list(map(json_line, numbers))


def _line_of(number: int, reading: Reading) -> str:
    return f"{number}\t{reading.weight!r}\t{_encoded_lemma(reading.lemma)}"


def bare_reading(line: str) -> Reading:
    """Return the reading without weight and lemma that is encoded in a line."""
    category, features = json.loads(line)
    return Reading(category, tuple([(feature, tuple(values)) for feature, values in features]))


def json_line(value: Any) -> str:
    """Return a value as compact JSON in one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _encoded_lemma(lemma: str) -> str:
    return json_line(lemma) if lemma else ""


def forms_of(lexicon: Sequence[Entry]) -> Sequence[str]:
    """Return the forms of a lexicon without decoding its entries."""
    return lexicon.forms if isinstance(lexicon, LazyLexicon) else [entry.form for entry in lexicon]


@remembered_lately
def kinds_of(lexicon: Sequence[Entry]) -> dict[tuple[str, Demand], str]:
    """Return the first form of each kind of word (category and features), in the order of the file."""
    kinds: dict[tuple[str, Demand], str] = {}
    for entry in lexicon:
        for reading in entry.readings:
            kinds.setdefault((reading.category, reading.features), entry.form)
    return kinds


def forms_of_lemma(lexicon: Sequence[Entry], lemma: str) -> Sequence[str]:
    """Return the forms of a lemma in the order of the file."""
    if isinstance(lexicon, LazyLexicon):
        return lexicon.of_lemma(lemma)
    return [entry.form for entry in lexicon if any(reading.lemma == lemma for reading in entry.readings)]


def first_of_each(lexicon: Sequence[Entry]) -> dict[str, str]:
    """Return the first form without spaces of each category."""
    if isinstance(lexicon, LazyLexicon):
        return lexicon.first_of_each()
    forms: dict[str, str] = {}
    for entry in lexicon:
        if " " not in entry.form:
            for reading in entry.readings:
                forms.setdefault(reading.category, entry.form)
    return forms
