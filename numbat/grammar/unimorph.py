"""Lexicons of other programs: those of UniMorph become tables of entries, others are named.

    loopt	lopen	V;PRS;3;SG          loopt	V	number=sg person=3 tense=prs

A line of UniMorph has a lemma, a form and tags; the first tag is the category, the others are values of features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from numbat.errors import DataError, Problem, Span, counted, data_error, first_of, quotable
from numbat.records import frozen

DIMENSIONS: Final[Mapping[str, str]] = {
    "animacy": "ANIM INAN HUM NHUM",
    "aspect": "IPFV PFV PRF PROG HAB PROSP ITER",
    "case": "NOM ACC ABS ERG NOMS DAT GEN INS COM VOC LOC ABL ALL ESS INESS ILL ELA ADE TRANS PRT BEN PRIV TERM VERS "
    "IN ON AT AB SUB PER EQTV INTER FRML REL",
    "definite": "DEF INDF SPEC NSPEC",
    "degree": "CMPR SPRL RL EQT",
    "form": "FIN NFIN PTCP MSDR CVB INF GER SUP",
    "gender": "MASC FEM NEUT",
    "mood": "IND SBJV IMP COND OPT POT PURP ADM INTEN OBLIG DEDUC JUS",
    "number": "SG PL DU TRI PAUC GPL",
    "person": "0 1 2 3 4 INCL EXCL",
    "polarity": "POS NEG",
    "politeness": "INFM FORM POL ELEV HUMB COL",
    "tense": "PRS PST FUT IMMED RCT RMT HOD",
    "voice": "ACT PASS MID ANTIP CAUS REFL RECP",
}
"""The values of each feature, as UniMorph writes them."""
FEATURES: Final = {tag: feature for feature, tags in DIMENSIONS.items() for tag in tags.split()}
TAGS: Final = re.compile(r"(?:N|V|ADJ|ADV|PRO|DET|ADP|NUM|CONJ|COMP|PART|INTJ|PROPN|AUX|ART|CLF)(?:\.[A-Z]+)?(?:;\S*)?")
NO_FORM: Final = ("", "-", "—", "–")
FIRST: Final = 20
"""Number of lines by which a lexicon is recognised."""
OTHERS: Final = (
    (
        re.compile(r"[^\t]+\t(?:[^\t]*\t)?[^\t]+\t\[?pred="),
        "Lefff",
        "keep form, category and features, separated by TAB",
    ),
    (
        re.compile(r"[^\t,]+,[^\t,]*\.[A-Z]+\b[^\t]*$"),
        "a dictionary DELA of Unitex",
        "write form TAB category TAB features",
    ),
    (re.compile(r"<\?xml|<(?:dictionary|lexicon|LexicalResource)\b"), "XML", "write form TAB category TAB features"),
    (re.compile(r"\d+\\[^\\\t]+\\"), "a table of CELEX", "write form TAB category TAB features"),
    (re.compile(r"[^\t/]+/[A-Z]{1,8}\s*$"), "a dictionary of Hunspell", "expand it with unmunch, and add categories"),
)
"""Lexicons that are not read: how a line begins, the name, and what to do."""


@frozen
class ConvertedLexicon:
    """A table of entries, and notes on what it leaves out."""

    table: str
    notes: tuple[str, ...]


def is_unimorph(lines: Iterable[str]) -> bool:
    """Return True if the first lines have three or four columns, the third with tags of UniMorph."""
    rows = [line.rstrip("\r\n").split("\t") for line in islice((line for line in lines if line.strip()), FIRST)]
    has_tags = any(len(row) > 2 and ";" in row[2] for row in rows)
    return has_tags and all(len(row) in (3, 4) and TAGS.fullmatch(row[2]) is not None for row in rows)


def check_lexicon(lines: Sequence[str], path: str) -> Problem | None:
    """Return the problem of a file that is certainly the lexicon of another program; None for any other file."""
    if is_unimorph(lines):
        hint = f"convert it: numbat convert {path} -o words.tsv"
        return Problem("this is a lexicon of UniMorph", Span(path, 1), hint=hint)
    rows = list(islice((line for line in lines if line.strip() and not line.startswith("#")), FIRST))
    for begins, name, remedy in OTHERS:
        if rows and (begins.match(rows[0]) if name == "XML" else all(map(begins.match, rows))):
            return Problem(f"this is {name}, which is not read as a lexicon", Span(path, 1), hint=remedy)
    return None


def convert_unimorph(lines: Iterable[str], path: str) -> ConvertedLexicon:
    """Return the entries of a lexicon of UniMorph, each once, below a comment that declares their features.

    Raises DataError with the lines that have no third column.
    """
    entries: dict[tuple[str, str, tuple[tuple[str, str], ...]], None] = {}
    values: dict[str, dict[str, None]] = {}
    unknown: dict[str, None] = {}
    problems: list[Problem] = []
    missing = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) < 3 or not columns[2].strip():
            hint = "a line of UniMorph is: lemma TAB form TAB tags"
            problems.append(Problem("no tags", Span(path, number), hint=hint, source_line=quotable(line)))
            continue
        form = columns[1].strip()
        if form in NO_FORM:
            missing += 1
            continue
        category, *tags = columns[2].strip().split(";")
        category, _, kind = category.partition(".")
        features = _features([*tags, *([kind] if kind else [])], unknown)
        for feature, value in features.items():
            values.setdefault(feature, {}).update(dict.fromkeys(value.split("|")))
        entries[form, category, tuple(sorted(features.items()))] = None
    if problems:
        raise data_error(*problems)
    if not entries:
        raise DataError(f"{path}: no form in this lexicon")
    categories = dict.fromkeys(category for _, category, _ in entries)
    declared = [f"#     {feature}: {', '.join(sorted(known))}" for feature, known in sorted(values.items())]
    head = [
        "# The grammar declares:",
        f"# leaves: {', '.join(categories)}",
        *(["# features:", *declared] * bool(declared)),
    ]
    rows = [f"{form}\t{category}\t{' '.join(map('='.join, said))}".rstrip("\t") for form, category, said in entries]
    notes = []
    if unknown:
        notes.append(f"tags without a feature left out: {first_of(list(unknown), 5)}")
    if missing:
        notes.append(f"{counted(missing, 'cell')} without a form left out")
    notes.append(f"{counted(len(entries), 'entry', 'entries')}; lemmas are not kept")
    return ConvertedLexicon("\n".join((*head, *rows)) + "\n", tuple(notes))


def _features(tags: Iterable[str], unknown: dict[str, None]) -> dict[str, str]:
    """Return the features of tags: `SG/PL` and `{SG/PL}` are alternatives; collect the tags that have no feature."""
    features: dict[str, str] = {}
    for tag in filter(None, tags):
        parts = re.split("[/+]", tag.strip("{}"))
        names = {FEATURES.get(part) for part in parts}
        name = names.pop() if len(names) == 1 else None
        if name is None or name in features:
            unknown[tag] = None
        elif "+" in tag:
            features[name] = "_".join(parts).lower()
        else:
            features[name] = "|".join(dict.fromkeys(part.lower() for part in parts))
    return features
