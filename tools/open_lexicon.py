"""Makes a grammar `english-wide`: `english` with words that it does not have, from the Open English WordNet.

    python -m tools.open_lexicon WORDNET FOLDER

WORDNET is the folder `src/yaml` of a checkout of https://github.com/globalwordnet/english-wordnet (CC BY 4.0). FOLDER
gets `english-wide.tsv`, whose head says which files it was made of, and `english-wide.pg`, which includes `english`.

A word that `english` knows gets no reading, in whatever part of speech: the rare ones of common words are what would
do harm. So a form of a verb is left out where `english` has it, and with it the lemma where nothing else is left of it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from numbat.errors import Problem
from numbat.grammar.inflection import forms_by_slot
from numbat.grammar.lexicon import read_lemmas
from numbat.grammar.loading import load_grammar

ROOT: Final = Path(__file__).parents[1]
NAME: Final = "english-wide"
GRAMMAR: Final = f"""# english, and the words of the Open English WordNet (CC BY 4.0) that it does not have.
grammar: {NAME}
language: en
include: english
lexicon_file: "{NAME}.tsv"
"""
PARADIGMS: Final = ("%noun", "%verb", "%verbd", "%adjm")
"""The paradigms of `english.tsv` that are taken over."""
WORD: Final = re.compile(r"[a-z]+(-[a-z]+)*")
SHORTEST: Final = 3
"""Letters of the shortest word: shorter ones are abbreviations and letters of alphabets."""
COUNTED: Final = frozenset({"05", "06", "08", "15", "18", "20"})
"""The fields of nouns that are counted: animals, artefacts, parts of the body, places, people, plants."""
PERSON: Final = "18"
GROUP: Final = "14"
CLAUSAL: Final = frozenset({"via-that", "via-to-inf", "via-whether-inf", "via-ger", "via-inf"})
"""Frames that say nothing of an object, but of a clause."""
FEATURE_OF_FRAME: Final = {
    "via-that": "that_clause=full",
    "via-to-inf": "to_infinitive=yes",
    "vtaa-to-inf": "object_infinitive=yes",
    "via-ger": "ing_clause=yes",
    "via-adj": "adjective=yes",
    "vii-adj": "adjective=yes",
}

Entry = Mapping[str, Any]
"""What the Open English WordNet says of a word as one part of speech."""


class Line(NamedTuple):
    """A line of the lexicon: a lemma, or a form where the second column is no paradigm."""

    word: str
    kind: str
    features: str = ""
    irregular: Sequence[str] = ()

    def written(self) -> str:
        return "\t".join((self.word, self.kind, self.features, "", " ".join(self.irregular))).rstrip("\t")


def entries(files: Sequence[bytes]) -> dict[str, Mapping[str, Entry]]:
    """Return the entries of all words of some files, by part of speech."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Mapping[str, Entry]] = {}
    for content in files:
        found.update(yaml.load(content, loader))
    return found


def lines_of(word: str, parts: Mapping[str, Entry]) -> Iterator[Line]:
    """Yield the lines of a word, one for each part of speech."""
    done = set()
    for part, entry in parts.items():
        kind = "a" if part[0] == "s" else part[0]  # homographs are n-1, n-2; s is an adjective like another one
        if kind in done:
            continue
        done.add(kind)
        forms = [form for form in entry.get("form", ()) if WORD.fullmatch(form)]
        if kind == "n":
            yield noun(word, entry, forms, also_verb="v" in {each[0] for each in parts})
        elif kind == "v":
            yield from verb(word, entry, forms)
        elif kind == "a":
            yield Line(word, "%adjm")
        elif kind == "r":
            yield Line(word, "Adv", "kind=manner" if word.endswith("ly") else "")


def noun(word: str, entry: Entry, forms: Sequence[str], also_verb: bool) -> Line:
    """Return the line of a noun, whose first sense tells what it is."""
    field = entry["sense"][0]["id"].split("%")[1].split(":")[1]
    features = ["kind=count"] if field in COUNTED else []
    features.append("gender=" + ("h" if field == PERSON else "o" if field == GROUP else "n"))
    features += ["also_verb=yes"] if also_verb else []
    return Line(word, "%noun", " ".join(features), [f"pl={forms[0]}"] if len(forms) == 1 else ())


def verb(word: str, entry: Entry, forms: Sequence[str]) -> Iterator[Line]:
    """Yield the line of a verb with the frames of all its senses; none of a strong one, whose forms are not sorted."""
    frames = {frame for sense in entry["sense"] for frame in sense.get("subcat", ())}
    doubles = any(form.startswith(word + word[-1]) for form in forms)
    if any(not form.endswith(("ed", "ing", "s")) for form in forms):
        return
    has_object = any(frame.startswith("vt") or frame == "ditransitive" for frame in frames)
    has_none = any(frame.startswith(("vi", "nonref")) for frame in frames - CLAUSAL)
    object_of = {(True, True): "opt", (True, False): "yes", (False, True): "no", (False, False): "opt"}
    features = ["object=" + ("any" if "ditransitive" in frames else object_of[has_object, has_none])]
    features += dict.fromkeys(FEATURE_OF_FRAME[frame] for frame in sorted(frames & FEATURE_OF_FRAME.keys()))
    yield Line(word, "%verbd" if doubles else "%verb", " ".join(features))


def new_lines(lines: Sequence[Line], paradigms: str, known: Collection[str]) -> Iterator[Line]:
    """Yield what is new in these lines: forms that are known, or that a line before gives as well, are taken out."""
    given: set[tuple[str, object]] = set()
    found, lemmas = read_lemmas(paradigms + "".join(f"{line.written()}\n" for line in lines), "lexicon")
    of_word = {(str(lemma.form), str(lemma.paradigm)): lemma for lemma in lemmas}
    for line in lines:
        lemma = of_word.get((line.word, line.kind))
        if lemma is None:
            if line.word not in known and (line.word, line.kind) not in given:
                given.add((line.word, line.kind))
                yield line
            continue
        gone, left = [], 0
        paradigm = found.of(lemma)
        assert not isinstance(paradigm, Problem), paradigm
        for made in forms_by_slot(lemma, paradigm):
            assert not isinstance(made, Problem), made
            keys = {(form, str(made.operand)) for form in made.forms}
            if any(form in known for form in made.forms) or keys & given:
                gone.append(made.slot)
            else:
                left += 1
                given |= keys
        if left and (line.word not in known or line.kind.startswith("%verb")):
            kept = [each for each in line.irregular if each.split("=")[0] not in gone]
            yield line._replace(irregular=[*kept, *(f"{slot}=-" for slot in gone)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wordnet", type=Path, metavar="WORDNET")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    files = [path.read_bytes() for path in sorted(given.wordnet.glob("entries-*.yaml"))]
    if not files:
        parser.error(f"{given.wordnet}: no file entries-*.yaml is here; name the folder src/yaml of a checkout")
    own = (ROOT / "grammars/english.tsv").read_text(encoding="utf-8").splitlines()
    paradigms = "".join(f"{line}\n" for line in own if line.split("\t")[0] in PARADIGMS)
    known = {entry.form.lower() for entry in load_grammar("english").lexicon}
    words = sorted(entries(files).items())
    lines = [
        line
        for word, parts in words
        if WORD.fullmatch(word) and len(word) >= SHORTEST
        for line in lines_of(word, parts)
    ]
    digest = hashlib.sha256(b"".join(files)).hexdigest()[:16]
    head = (
        "# Words that english.tsv does not have, from the Open English WordNet by `python -m tools.open_lexicon`.\n"
        f"# Digest of its files entries-*.yaml: {digest}. Licence: CC BY 4.0, the authors of the Open\n"
        "# English WordNet and of the Princeton WordNet: words, frames and fields of meaning are theirs.\n"
    )
    kept = [line.written() for line in new_lines(lines, paradigms, known)]
    given.folder.mkdir(parents=True, exist_ok=True)
    (given.folder / f"{NAME}.tsv").write_text(head + paradigms + "\n".join(kept) + "\n", encoding="utf-8")
    (given.folder / f"{NAME}.pg").write_text(GRAMMAR, encoding="utf-8")
    print(f"{given.folder / NAME}.pg: {len(kept):,} lines of words")


if __name__ == "__main__":
    main()
