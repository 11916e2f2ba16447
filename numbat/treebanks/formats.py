"""Formats of treebanks and tagged sentences, and their recognition from the content of a file.

The first line that fits only one format decides. Empty lines, comments (`#`, in NEGRA's export format `%%`, before
brackets `;;`) and a byte order mark decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from numbat.errors import DataError

FORMATS: Final = {
    "ptb": "trees in brackets",
    "prd": "trees in brackets whose words have no tags",
    "square": "trees in square brackets",
    "discbracket": "brackets with numbered words (discbracket)",
    "export": "NEGRA's export format",
    "tiger": "TIGER-XML",
    "sinica": "trees of the Sinica Treebank",
    "alpino": "Alpino's XML",
    "conllu": "CoNLL-U",
    "conllup": "CoNLL-U Plus",
    "malt": "the columns of MaltTab, CoNLL-X or CoNLL-2009",
    "pos": "tagged words of the Penn Treebank",
    "cg3": "a CG-3 stream",
    "text": "tagged words",
    "columns": "a word and its tag on each line",
}
"""Descriptions of the formats for messages, by their names in `--from`."""
WITH_TREES: Final = (
    *("ptb", "prd", "square", "discbracket", "export", "tiger", "alpino", "sinica"),
    *("conllu", "conllup", "malt", "pos"),
)
"""Formats with trees, or with sentences that have the shape of trees without heads."""
FOREIGN: Final = (
    (re.compile(r"#FORMAT=WebAnno"), "WebAnno TSV", "export it as CoNLL-U"),
    (re.compile(r"<TEI\b|<teiCorpus\b"), "TEI", "export its trees as CoNLL-U or TIGER-XML"),
    (re.compile(r"[TREANM]\d+\t\S+ (?:\d+ \d+|\S+:T\d)"), "a file of brat", "export it as CoNLL-U"),
    (re.compile(r"\\(?:_sh|id|ref|tx|lx)\b"), "a file of Toolbox", "export it as CoNLL-U, or its lexicon as a table"),
    (re.compile(r"\^[^\s/^$]+/[^$]*\$"), "an Apertium stream", "convert it: cg-conv --in-apertium --out-cg"),
    (re.compile(r"[\[{]\s*(?:[\[{\"]|$)"), "JSON", "convert it to CoNLL-U, as Stanza's CoNLL.write_doc2conll does"),
)
"""Formats that are recognised and not read: the beginning of a line, a name, and what to do."""
BLANKS: Final = "\ufeff \t\r\n"
BETWEEN: Final = re.compile(r"\s+", re.ASCII)
"""Blanks between words; a no-break space is part of a form, as in the French `10 000`."""
MOST: Final = 10_000
"""Maximum number of lines to look at, as a file of comments may be long."""


class Guess(NamedTuple):
    """The format of a file, and the number of the line that decides, 0 for none."""

    form: str
    line: int

    def says(self, verb_reads: Iterable[str] = WITH_TREES) -> str:
        """Return a hint that names the guessed format, and the other formats that the command reads (`verb_reads`)."""
        by = f", by its line {self.line}" if self.line else ""
        others = ", ".join(form for form in verb_reads if form != self.form)
        trees = "" if self.form in verb_reads else ", which have no trees" if self.form != "cg3" else ", without trees"
        return f"the file was read as {FORMATS[self.form]}{by}{trees}; name another format with --from: {others}"


def word_form(text: str) -> str:
    """Return a form without blanks around it, and with single ones inside."""
    return text if text.isalnum() else BETWEEN.sub(" ", text).strip(" ")


def check_read(lines: Iterable[str], name: str) -> None:
    """Raise DataError for a file in a format that is recognised and not read."""
    for line in lines:
        for beginning, what, remedy in FOREIGN:
            if beginning.match(line.strip(BLANKS)):
                raise DataError(f"{name}: this is {what}, which Numbat does not read\n  {remedy}")


def recognised(lines: Iterable[str]) -> Guess:
    """Return the format of a file by its first lines: `conllu` if they are all comments, `text` if all empty."""
    comment = weak = None
    is_xml = False
    for number, line in enumerate(lines, start=1):
        text = line.strip(BLANKS)
        if not text:
            continue
        form = form_of_line(text)
        is_xml = is_xml or form == DECLARED
        if is_xml and text.startswith("<") and form not in (*WEAK, "alpino"):
            return Guess("tiger", number)
        if form in WEAK and number < MOST:
            weak = weak or (Guess(WEAK[form], number) if WEAK[form] else None)
            comment = comment or Guess("conllu", number)
        elif form not in WEAK:
            is_in_tree = weak is not None and weak.form == "ptb" and form in ("text", "columns")
            return weak if weak is not None and is_in_tree else Guess(form, number)
        else:
            break
    return weak or comment or Guess("text", 0)


def opening_of(lines: Iterator[str]) -> list[str]:
    """Consume and return the lines of a file up to the one that decides its format."""
    opening: list[str] = []
    for line in lines:
        opening.append(line)
        text = line.strip(BLANKS)
        if (text and form_of_line(text) not in WEAK) or len(opening) == MOST:
            break
    return opening


COMMENT: Final = "comment"
HASHED: Final = "hashed"
UNNUMBERED: Final = "brackets without words"
DECLARED: Final = "xml"
WEAK: Final = {COMMENT: "", HASHED: "columns", UNNUMBERED: "ptb", DECLARED: "tiger"}
"""Kinds of lines that do not decide, and the format of a file of such lines."""
SINICA: Final = re.compile(r"#\d+:[^\s()]+\s*[^\s()]+\(")
GLOBAL_COLUMNS: Final = re.compile(r"# *global\.columns *=")
ALPINO: Final = re.compile(r"(?:<\?xml[^>]*>\s*)?<(?:alpino_ds|treebank)\b")
DECLARATION: Final = re.compile(r"<\?xml[^>]*>|<!--.*?-->")
POS: Final = re.compile(r"\[(?: +[^\s/]\S*/\S+)+ +\]|={5,}")
SQUARE: Final = re.compile(r"\[\.?[^\s\[\]\"',.]+(?:\s*\[|\s+[^\[\]]*\]\s*\[|$)|\[\.\S")
XML: Final = re.compile(r"<(?:\?xml|!DOCTYPE|!--|corpus|subcorpus|body|s\b)")
EXPORT: Final = re.compile(r"#(?:FORMAT|BOT|BOS|EOT)\b")
BRACKETS: Final = re.compile(r"\(\s*(?:[^\s()]*\s*\(|[^\s()]+\s+[^\s()]|[^\s()]*$)")
LEAF: Final = re.compile(r"\(\s*[^\s()]+\s+((?:\\[()]|[^\s()])+)\s*\)")
NUMBERED: Final = re.compile(r"\d+=.+", re.DOTALL)
NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
ID: Final = re.compile(r"\d+(?:[-.]\d+)?", re.ASCII)


def form_of_line(text: str) -> str:
    """Return the format of a line without surrounding blanks, or a key of `WEAK`."""
    if SINICA.match(text):
        return "sinica"
    if GLOBAL_COLUMNS.match(text):
        return "conllup"
    if ALPINO.match(text):
        return "alpino"
    if EXPORT.match(text):
        return "export"
    if POS.fullmatch(text):
        return "pos"
    if text.startswith(("%%", ";; ")):
        return COMMENT
    if DECLARATION.fullmatch(text):
        return DECLARED
    if XML.match(text):
        return "tiger"
    if SQUARE.match(text) and not all("/" in word for word in text.split()):
        return "square"
    if text.startswith('"<'):
        return "cg3"
    if text.startswith("(") and _is_bracketed(text):
        words = LEAF.findall(text)
        return UNNUMBERED if not words else "discbracket" if all(map(NUMBERED.match, words)) else "ptb"
    if "\t" in text:
        return _of_row(text)
    if text.startswith("#") and not text.startswith("#/"):
        return COMMENT
    words = text.split()
    return "text" if len(words) == 1 or any("/" in word for word in words) else "columns"


def _is_bracketed(text: str) -> bool:
    """Return True for a line of a tree; rows of columns and tagged words may begin with a bracket too."""
    first, tab, others = text.partition("\t")
    if not tab:
        return BRACKETS.match(text) is not None and not ("/" in text and all("/" in word for word in text.split()))
    if first == "(":
        return re.match(r"\s*\([^\s()]", others) is not None
    return BRACKETS.match(text) is not None and ("(" in others or ")" in others)


def _is_of_x(cells: list[str]) -> bool:
    """Return True for a row of CoNLL-X that is invalid in CoNLL-U: a feature without value, or a numeric PHEAD."""
    has_bare_features = cells[5] != "_" and not all("=" in pair or pair == "_" for pair in cells[5].split("|"))
    return has_bare_features or NUMBER.fullmatch(cells[8]) is not None


def _of_row(text: str) -> str:
    cells = text.split("\t")
    if text.startswith("#"):
        return HASHED if not text.startswith("# ") else COMMENT
    if len(cells) == 10 and ID.fullmatch(cells[0]):
        return "malt" if _is_of_x(cells) else "conllu"
    if len(cells) >= 14 and ID.fullmatch(cells[0]) and NUMBER.fullmatch(cells[8]) and NUMBER.fullmatch(cells[9]):
        return "malt"
    if len(cells) in (3, 4) and NUMBER.fullmatch(cells[2]) and not NUMBER.fullmatch(cells[1]):
        return "malt"
    return "columns"
