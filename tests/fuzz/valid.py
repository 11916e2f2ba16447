"""Valid inputs, drawn by a seeded generator: grammars, lexicons, treebanks, suites, sentences, sequences."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, Literal

from numbat.authoring.verbs import convert_grammar
from numbat.grammar.expressions import Always
from numbat.grammar.model import Grammar
from tests.strategies import random_grammar

ROOT: Final = Path(__file__).parents[2]
BESIDE: Final = tuple(ROOT / "tests" / "cases" / "include" / name for name in ("nouns.pg", "words.tsv"))
"""Files that a grammar among the cases names."""
CASES: Final = tuple(sorted((ROOT / "tests" / "cases").glob("*/grammar.pg")))
_TEXT: Final = "the a this cats cat dog sees sleeps see old very in with John who that and quickly l' can't"
WORDS: Final = tuple(_TEXT.split(" "))
TAGS: Final = ("DT", "NN", "NNS", "VBZ", "JJ", "IN", ".", "-NONE-", "PRP$")
PHRASES: Final = ("S", "NP", "VP", "PP", "NP-SBJ", "SBAR", "ADJP=2", "NP|PP")
UNIVERSAL: Final = ("DET", "NOUN", "VERB", "ADJ", "PUNCT", "ADP")
TAGS_OF_SINICA: Final = ("Nab", "VC2", "DM", "V_11")
JUDGEMENTS: Final = ("ok", "*", "?", "??")


@cache
def _case(path: Path) -> str:
    return path.read_text(encoding="utf-8")


DRAWN: Final = 60
"""Number of random grammars: drawing one takes longer than reading it."""


def grammar(rng: Random) -> bytes:
    """A grammar in the notation: one of the cases that people wrote, or a random one."""
    if rng.random() < 0.6:
        return _case(rng.choice(CASES)).encode()
    return _drawn_text(rng.randrange(DRAWN), "pg")


def yaml(rng: Random) -> bytes:
    """A random grammar in YAML."""
    return _drawn_text(rng.randrange(DRAWN), "yaml")


def draw_grammars(form: Literal["pg", "yaml"]) -> None:
    """Draw all random grammars, once for all processes that are forked from this one."""
    for number in range(DRAWN):
        _drawn_text(number, form)


@cache
def _drawn_text(number: int, form: Literal["pg", "yaml"]) -> bytes:
    return convert_grammar(_drawn_grammar(Random(f"grammar {number}")), form).encode()


def _drawn_grammar(rng: Random) -> Grammar:
    """Return a random grammar that the notation can express: its own relations have one clause without guard."""
    while True:
        drawn = random_grammar(rng)
        if all([clause.guard for clause in relation.clauses] == [Always(True)] for relation in drawn.relations):
            return drawn


LEXICON_GRAMMAR: Final = """\
leaves: Det, N, V, A
features:
    number: sg, pl
    form: fin, part
    kind: a, b, c
lexicon_file: "words.tsv"
template t(f): V[form=$f]
template u(f): t($f)[kind=a] weight 2, N[number=sg|pl]
NP: uniq Det; uniq N
"""


PARADIGMS: Final = (
    "%n\tsg\tN\tnumber=sg\t+",
    "%n\tpl\tN\tnumber=pl\ta>ä|au>äu@last -t+ten\t*a*t",
    "%n\tpl\tN\tnumber=pl\tge+ +s",
    "%o\t%n",
    "%o\tpart\tV\tform=part\tge+ o>u@all +en",
)
LEMMAS: Final = ("Boot", "Hort", "Wort", "Tonart")
"""Lemmas of each of these paradigms."""


def lexicon(rng: Random) -> bytes:
    """A lexicon file for LEXICON_GRAMMAR."""
    lines = ["# form\tcategory\tfeatures\tweight"] * rng.randint(0, 1)
    for _ in range(rng.randint(1, 12)):
        form = rng.choice((*WORDS, "New York", "=le", "été", "50%", "A"))
        features = rng.choice(("", "number=sg", "number=sg|pl", "number=sg kind=a|b", "form=fin|part"))
        cells = [form, rng.choice(("Det", "N", "V", "A")), features, rng.choice(("", "1", "0.5", "2", "1.25"))]
        lines.append("\t".join(cells[: rng.choice((2, 3, 4, 4))]))
    if rng.random() < 0.4:
        of = ("%n", "%o", "%o + t(part)", "%o + u(fin|part)")
        lines += [*PARADIGMS, *(f"{lemma}\t{rng.choice(of)}" for lemma in rng.sample(LEMMAS, 3))]
    if rng.random() < 0.3:
        lines += [f"verb\t{rng.choice(('t(fin)', 'u(part), A', 't( fin|part )'))}\tkind=b\t2"]
    return ("\n".join(lines) + "\n").encode()


def tree(rng: Random, depth: int = 4) -> str:
    """A tree in brackets."""
    if depth == 0 or rng.random() < 0.35:
        return f"({rng.choice(TAGS)} {rng.choice(WORDS)})"
    inner = " ".join(tree(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    return f"({rng.choice(PHRASES)} {inner})"


def brackets(rng: Random) -> bytes:
    trees = [tree(rng) for _ in range(rng.randint(1, 5))]
    frame = rng.choice(("{}", "({})", "(TOP {})", "( {}\n )"))
    return "".join(f"{frame.format(each)}\n" for each in trees).encode()


def conllu(rng: Random) -> bytes:
    lines: list[str] = []
    for number in range(rng.randint(1, 3)):
        lines += [f"# sent_id = s{number}"] * rng.randint(0, 1)
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 7))]
        lines += [f"# text = {' '.join(words)}"] * rng.randint(0, 1)
        root = rng.randint(1, len(words))
        for place, word in enumerate(words, start=1):
            if place < len(words) and rng.random() < 0.1:
                lines.append(f"{place}-{place + 1}\t{word}x" + "\t_" * 8)
            head = 0 if place == root else root
            features = rng.choice(("_", "Number=Sing", "Case=Nom|Gender=Masc,Fem"))
            relation = "root" if head == 0 else rng.choice(("det", "nsubj:pass", "punct"))
            tags = (rng.choice(UNIVERSAL), rng.choice(TAGS), features)
            rest = ("_", rng.choice(("_", "SpaceAfter=No")))
            lines.append("\t".join((str(place), word, word, *tags, str(head), relation, *rest)))
            if rng.random() < 0.05:
                lines.append(f"{place}.1\t{word}" + "\t_" * 8)
        lines.append("")
    return ("\n".join(lines) + "\n").encode()


def sinica(rng: Random) -> bytes:
    def part(depth: int) -> str:
        role = rng.choice(("Head", "agent", "goal", "property", "quantifier"))
        return (
            f"{role}:{phrase(depth - 1)}" if depth and rng.random() < 0.4 else f"{role}:{rng.choice(TAGS_OF_SINICA)}:貓"
        )

    def phrase(depth: int) -> str:
        parts = "|".join(part(depth) for _ in range(rng.randint(1, 3)))
        return f"{rng.choice(('S', 'NP', 'VP', 'PP'))}({parts})"

    return "".join(f"#{number}:1.[0] {phrase(2)}#。(PERIODCATEGORY)\n" for number in range(rng.randint(1, 4))).encode()


def sentence(rng: Random) -> str:
    words = [rng.choice(WORDS) for _ in range(rng.choice((1, 2, 3, 4, 5, 8)))]
    return " ".join(words) + rng.choice(("", ".", "?", " .", "..."))


def tagged(rng: Random) -> str:
    tags = ("Det", "N", "V", "P", "A", "N[number=pl]", "N|V", "Det[number=sg]", "?")
    return " ".join(f"{rng.choice(WORDS)}/{rng.choice(tags)}" for _ in range(rng.randint(1, 5)))


def drawn(rng: Random) -> str:
    """A tree as `numbat judge` takes it, in the categories of the grammar of English."""

    def phrase(depth: int) -> str:
        if depth == 0 or rng.random() < 0.4:
            leaf = rng.choice(("Det", "N", "V", "P", "A", "N[number=pl]"))
            return f"({leaf} {rng.choice(WORDS)})"
        name = rng.choice(("S", "NP", "VP", "PP", "AP", "VP[form=fin]"))
        return f"({name} {' '.join(phrase(depth - 1) for _ in range(rng.randint(1, 3)))})"

    return phrase(3)


def sentences(rng: Random) -> bytes:
    """Sentences of some way of writing, a line each."""
    way = rng.choice((sentence, sentence, sentence, tagged, drawn))
    return "".join(f"{way(rng)}\n" for _ in range(rng.randint(1, 2))).encode()


def suite(rng: Random) -> bytes:
    """Judged sentences: a table with TABs, with commas, objects of JSON, a list with marks, results of PCIbex."""
    return rng.choice((_tsv, _tsv, _csv, _jsonl, _marked, _ibex))(rng)


def _columns(rng: Random) -> tuple[str, ...]:
    if rng.random() < 0.2:
        return ("good", "bad", *rng.sample(("id", "phenomenon"), 1))
    return ("sentence", *rng.sample(("id", "judgement", "phenomenon", "rating", "participant", "pair", "expected"), 3))


def _cell(rng: Random, column: str, row: int) -> str:
    if column in ("sentence", "good", "bad"):
        return sentence(rng)
    values = {
        "judgement": JUDGEMENTS,
        "rating": ("1", "7", "3.5", "-0.2", "1e3"),
        "id": (f"i{row}",),
        "pair": (f"p{row // 2}",),
        "expected": ("ok", "bad"),
    }
    return rng.choice(values.get(column, ("agreement", "order", "")))


def _table(rng: Random, separator: str) -> bytes:
    columns = _columns(rng)
    rows = [[_cell(rng, column, row) for column in columns] for row in range(rng.randint(1, 6))]
    return "".join(f"{separator.join(row)}\n" for row in (columns, *rows)).encode()


def _tsv(rng: Random) -> bytes:
    return _table(rng, "\t")


def _csv(rng: Random) -> bytes:
    return _table(rng, rng.choice((",", ";")))


def _jsonl(rng: Random) -> bytes:
    columns = _columns(rng)
    rows = [{column: _cell(rng, column, row) for column in columns} for row in range(rng.randint(1, 6))]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _marked(rng: Random) -> bytes:
    return "".join(f"{rng.choice(('', '*', '?', '??'))}{sentence(rng)}\n" for _ in range(rng.randint(1, 6))).encode()


def _ibex(rng: Random) -> bytes:
    columns = (
        "Results reception time",
        "MD5 hash of participant's IP address",
        "Controller name",
        "Item number",
        "Element number",
        "Type",
        "Group",
        "Question (NULL if none).",
        "Answer",
        "Whether or not answer was correct (NULL if N/A)",
        "Time taken to answer.",
    )
    lines = ["# Results of an experiment.", *(f"# {i}. {name}." for i, name in enumerate(columns, start=1))]
    for row in range(rng.randint(1, 4)):
        start = f"1500000000,abc{row % 2},AcceptabilityJudgment,{row},0,good,1"
        lines += [f"{start},{sentence(rng)},NULL,NULL,NULL", f"{start},NULL,{rng.randint(1, 7)},NULL,812"]
    return ("\n".join(lines) + "\n").encode()


def sequences(rng: Random) -> bytes:
    """Sequences to be labelled, as lines of JSON."""
    labels = ("Det", "N", "V")
    lines = []
    for _ in range(rng.randint(1, 2)):
        size = rng.randint(1, 5)
        scores = [{label: round(-3 * rng.random(), 2) for label in rng.sample(labels, 2)} for _ in range(size)]
        line: dict[str, object] = {"labels": scores}
        if rng.random() < 0.3:
            line["arcs"] = [[0, size, "N", -1.5]]
        if rng.random() < 0.3:
            line["fixed"] = {"0": rng.choice(labels)}
        if rng.random() < 0.3:
            line["disallow"] = {"name": "no", "cost": 1.5, "value": ["V"]}
        if rng.random() < 0.3:
            line["spans"], line["pairs"] = [[0, 1]], {"Det": {"N": -0.5, "V": None}}
        lines.append(json.dumps(line))
    return "".join(f"{line}\n" for line in lines).encode()


def automata(rng: Random) -> bytes:
    """Automata in the text form of AT&T."""
    lines = []
    size = rng.randint(1, 5)
    for state in range(size):
        for label in rng.sample(("Det", "N", "V"), rng.randint(1, 2)):
            lines.append(f"{state}\t{state + 1}\t{label}\t{3 * rng.random():.2f}")
    return ("\n".join([*lines, str(size)]) + "\n").encode()
