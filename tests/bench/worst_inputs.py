"""`python -m tests.bench.worst_inputs`: for each verb the slowest input under 1 MB, with a limit on seconds.

Each input is a product of two things that a user writes, as large as 1 MB allows. Every verb runs with `--max-seconds
2` in a separate process; the table has its CPU seconds (a verb that parses may use two for its input and two for each
sentence), the excess over the limit, and its memory. `--free SECONDS` runs without `--max-seconds` and kills the verb
after SECONDS, to measure the cost of the product itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, dropwhile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final, NamedTuple

import click

from numbat.cli.main import cli

LIMIT: Final = 2.0
MEMORY: Final = 500
"""Maximal memory of a verb in megabytes."""
BY_CPU: Final = """
import runpy, signal, time
time.monotonic = time.process_time
signal.ITIMER_REAL, signal.SIGALRM = signal.ITIMER_PROF, signal.SIGPROF
runpy.run_module("numbat", run_name="__main__", alter_sys=True)
"""
"""The program with a clock of the CPU, as if it were alone on the machine."""
HEAD: Final = "grammar: g\nleaves: A\nS:\n    oblig A\n    uniq A\n"
LARGEST: Final = 1_000_000
TIMES: Final = {"ablate": 14, "compare": 2, "granularity": 6, "judge": 2_000}
"""Number of times that some verbs parse each sentence."""
Command = tuple[str, ...]
G: Final[Command] = ("-g", "g.pg")
ON_GRAMMAR: Final[tuple[Command, ...]] = (
    ("check", "g.pg"),
    ("show", "g.pg"),
    ("show", "g.pg", "-f", "html"),
    ("convert", "g.pg"),
    ("parse", *G, "w0 w1 w2 w3 w4"),
)
ON_TREES: Final[tuple[Command, ...]] = (
    ("induce", "t.mrg", "-o", "o.pg"),
    ("induce", "t.mrg", "-o", "o/"),
    ("trees", "t.mrg"),
    ("expansions", "t.mrg", "-o", "o.exp"),
    ("score", "t.mrg", "t.mrg"),
    ("judge", "-i", "t.mrg", "-g", "english"),
    ("tag", "train", "t.mrg", "-o", "o.model"),
    ("learn", "structure", "--from", "ptb", "t.mrg", "-o", "o"),
)


class Case(NamedTuple):
    """A product, the files that make it, by name, and the verbs that meet it.

    `sentences` is how many sentences a verb parses, `before` makes a file that the verbs read.
    """

    product: str
    files: dict[str, str]
    commands: Sequence[Command]
    sentences: int = 1
    before: Command = ()


def names(number: int) -> str:
    return ", ".join(f"C{i}" for i in range(number))


def words(number: int, kinds: int) -> str:
    return " ".join(f"w{i % kinds}" for i in range(number))


def suite(sentences: Sequence[str]) -> str:
    rows = (f"{'good' if i % 2 else 'bad'}\t{sentence}\n" for i, sentence in enumerate(sentences))
    return "judgement\tsentence\n" + "".join(rows)


def all_pairs(number: int, relation: str = "", readings: int = 1) -> str:
    """Return a grammar with a property for each pair of categories, and words with several readings."""
    both = f"r({{{names(number)}}}, {{{names(number)}}})" if relation else f"{{{names(number)}}} < {{{names(number)}}}"
    lexicon = "".join(
        f"    w{i}: {', '.join(f'C{(i + k) % number}' for k in range(readings))}\n" for i in range(number)
    )
    form = f"S:\n    oblig C0\n    uniq C0\n    {both}\n"
    return f"grammar: g\nleaves: {names(number)}\n{relation}{form}lexicon:\n{lexicon}"


def in_searches() -> Iterator[Case]:
    """Products of sentences, suites and grammars."""
    on_suite: list[Command] = [(verb, "s.tsv", *G) for verb in ("test", "report", "ablate", "coverage", "theories")]
    on_suite += [("learn", "costs", "s.tsv", *G, "-o", "o.tsv"), ("compare", "g.pg", "g.pg", "s.tsv")]
    on_suite += [("check", "g.pg", "--suite", "s.tsv")]
    dense = all_pairs(60, readings=4)
    yield Case("suite × grammar", {"g.pg": dense, "s.tsv": suite([words(9 + i, 60) for i in range(6)])}, on_suite, 6)
    long = [words(150 + i, 60) for i in range(2)]
    yield Case("long sentences × grammar", {"g.pg": dense, "s.tsv": suite(long)}, on_suite, 2)
    once = [f"w{i % 60} w{i // 60 % 60} w{i // 3600}" for i in range(5_000)]
    few: list[Command] = [
        ("report", "s.tsv", *G),
        ("theories", "s.tsv", *G),
        ("learn", "costs", "s.tsv", *G, "-o", "o.tsv"),
    ]
    flat = f"grammar: g\nleaves: {names(60)}\nS:\n    oblig C0\n    {{C0}} < {{{names(60)}}}\nlexicon:\n"
    flat += "".join(f"    w{i}: C{i}\n" for i in range(60))
    yield Case("rows × statistics", {"g.pg": flat, "s.tsv": suite(once)}, few, 5_000)
    text = words(20, 60)
    on_sentence: list[Command] = [(verb, text, *G) for verb in ("parse", "repair", "explain")]
    on_sentence += [("why-not", "0-5:S", text, *G), ("contrast", text, words(19, 60), *G)]
    on_sentence += [("generate", *G, "-n", "1000"), ("generate", *G, "--violate", "S: C1 < C2", "-n", "100")]
    on_sentence += [("granularity", text, *G), ("bench", *G, "-i", "in.txt"), ("parse", "-n", "1000", text, *G)]
    yield Case("n-best × length × readings", {"g.pg": dense, "in.txt": f"{text}\n"}, on_sentence)
    many = words(300, 60)
    on_long: list[Command] = [("parse", many, *G), ("parse", "-n", "1000", many, *G), ("parse", *G, words(5_000, 60))]
    on_long += [("parse", many, *G, "--engine", "phases"), ("parse", many, *G, "--profile", "discontinuous")]
    on_long += [("repair", many, *G), ("explain", many, *G), ("contrast", many, words(299, 60), *G)]
    on_long += [("why-not", "0-250:S", many, *G), ("granularity", many, *G)]
    yield Case("length × grammar", {"g.pg": dense}, on_long)
    loop = "".join(
        f"X{i}:\n    oblig X{(i + 1) % 40} | A\n    X{i} < A\n    X{(i * 7 + 1) % 40} < A\n" for i in range(40)
    )
    loops = f"grammar: g\nleaves: A\nunary_limit: 40\n{loop}lexicon:\n    w0: A\n"
    yield Case(
        "phrases over phrases", {"g.pg": loops}, [("parse", *G, words(n, 1)) for n in (6, 40)] + list(ON_GRAMMAR)
    )
    own = "relation r(B, C) for each B, C: distance(B, C) <= 4999 and (index(B) < index(C) or distance(B, C) >= 300)\n"
    distant = {"g.pg": all_pairs(60, own)}
    yield Case("own relation × length", distant, [("parse", *G, words(n, 60)) for n in (60, 600, 5_000)])
    stored = {"g.pg": all_pairs(8), "in.txt": "".join(f"{words(6 + i % 9, 8)}\n" for i in range(300))}
    chain_of = " and ".join(["x0: S", *(f"x{i}: S before x{i - 1}" for i in range(1, 8))])
    any_of = " or ".join(f"(S has C{i % 8} and words ~ 'w.*{i}')" for i in range(200))
    yield Case(
        "query × store",
        stored,
        [("query", "o.db", text, *tail) for text in (chain_of, any_of) for tail in ((), ("--count",))]
        + [("statistics", "o.db"), ("coverage", "o.db"), ("query", "o.db", 'words ~ "(w|w1)*(w|w1)*(w|w1)*x"')],
        before=("parse", *G, "-i", "in.txt", "-f", "store", "-o", "o.db", "-q"),
    )


def in_grammars() -> Iterator[Case]:
    """Products of two things of a grammar."""
    draw = random.Random(0)
    yield Case("braces", {"g.pg": all_pairs(223)}, ON_GRAMMAR)
    three = "relation r(B, C, D) for each B, C, D: index(B) < index(C) or index(C) < index(D)\n"
    sets = f"{{{names(46)}}}"
    form = f"S:\n    oblig C0\n    uniq C0\n    r({sets}, {sets}, {sets})\n"
    yield Case("braces³", {"g.pg": f"grammar: g\nleaves: {names(46)}\n{three}{form}"}, ON_GRAMMAR)
    distant = "relation r(B, C) for each B, C: distance(B, C) <= 4999\n"
    on_distant = (*ON_GRAMMAR, ("parse", *G, words(400, 223)))
    yield Case("own relation × categories", {"g.pg": all_pairs(223, distant)}, on_distant)
    clauses = " or ".join(f"(index(B) = {i} and count(C) <= {i})" for i in range(2_000))
    own = f"relation r(B, C) for each B, C: {clauses}\n"
    yield Case("own relation × clauses", {"g.pg": all_pairs(60, own)}, (*ON_GRAMMAR, ("parse", *G, words(40, 60))))
    paradigms = {"g.pg": 'grammar: g\nleaves: A\nlexicon_file: "w.tsv"\nS:\n    oblig A\n    uniq A\n'}
    for number, product in ((700, "paradigms"), (310, "paradigms within the limit")):
        rows = "".join(f"%n\ts{i}\tA\t\t+{i}\n" for i in range(number)) + "".join(f"{i}x\t%n\n" for i in range(number))
        yield Case(product, paradigms | {"w.tsv": rows}, ON_GRAMMAR)
    declared = "".join(f"    f{i}: a, b, c, d\n" for i in range(4))
    demands = ", ".join(f"f{i}=a|b|c|d" for i in range(4))
    lexicon = "".join(f"    w{i}: A[{demands}]\n" for i in range(16_000))
    readings = f"grammar: g\nleaves: A\nfeatures:\n{declared}S:\n    oblig A\n    uniq A\nlexicon:\n{lexicon}"
    yield Case("readings × words", {"g.pg": readings}, (*ON_GRAMMAR, ("parse", *G, words(300, 300))))
    given = ", ".join(f"A[f{i}=a]" for i in range(400))
    listed = ", ".join(f"w{i}" for i in range(120_000))
    features = "".join(f"    f{i}: a, b\n" for i in range(400))
    templates = f"grammar: g\nleaves: A\nfeatures:\n{features}template t: {given}\nS:\n    oblig A\n    uniq A\n"
    yield Case("templates × words", {"g.pg": f"{templates}lexicon:\n    {listed}: t\n"}, ON_GRAMMAR)
    doubled = "template t0: A\n" + "".join(f"template t{i + 1}: t{i}, t{i}\n" for i in range(49))
    yield Case("templates in templates", {"g.pg": f"{HEAD}{doubled}lexicon:\n    w0: t49\n"}, ON_GRAMMAR)
    stars = "".join(f'    "*{"*".join(draw.choices("ab", k=14))}*": A\n' for _ in range(20_000))
    unknown = " ".join(f"x{i}" for i in range(3_000))
    yield Case("patterns", {"g.pg": f"{HEAD}guess:\n{stars}"}, (*ON_GRAMMAR, ("parse", *G, unknown)))
    endings = "".join(f'    "*{"".join(draw.choices("ab", k=14))}": A[f=a]\n' for _ in range(15_000))
    forms = "".join(f"    {''.join(draw.choices('ab', k=14))}: A\n" for _ in range(15_000))
    spelt = f"grammar: g\nleaves: A\nfeatures:\n    f: a, b\nS:\n    oblig A\n    uniq A\nspelling:\n{endings}"
    yield Case("spelling × lexicon", {"g.pg": f"{spelt}lexicon:\n{forms}"}, ON_GRAMMAR)
    cut = ", ".join(f'"{"a" * (i + 1)}"' for i in range(400))
    every = "".join(f"    {'a' * (i + 1)}: A\n" for i in range(800))
    text = " ".join("a" * (20 + i % 600) for i in range(280))
    tokens = f"{HEAD}tokens:\n    suffix {cut}\n    prefix {cut}\nlexicon:\n{every}"
    on_tokens = (*ON_GRAMMAR[:2], ("parse", *G, "a" * 1_000), ("parse", *G, text), ("parse", *G, "a" * 64))
    yield Case("affixes × words", {"g.pg": tokens}, on_tokens)
    rows = "".join(f'    "{" ".join("a" * (i % 90 + 1))}{" b" * (i // 90)}": A\n' for i in range(3_000))
    several = ("parse", *G, " ".join("ab"[i % 91 == 90] for i in range(5_000)))
    yield Case("words of several tokens × length", {"g.pg": f"{HEAD}lexicon:\n{rows}"}, (*ON_GRAMMAR, several))
    dots = "".join(f"    {'語' * (i + 1)}: A\n" for i in range(600))
    blanks = f"{HEAD}tokens:\n    segment\nlexicon:\n{dots}"
    segmented = tuple(("parse", *G, "語" * n) for n in (600, 5_000, 30_000))
    yield Case("segments × length", {"g.pg": blanks}, (*ON_GRAMMAR, *segmented))
    many = "".join(f"    C{i}[f{i}=a] < C{i + 1}\n" for i in range(7_000))
    two = "".join(f"    f{i}: a, b\n" for i in range(7_000))
    form = f"S:\n    oblig C0\n    uniq C0\n{many}"
    yield Case("features", {"g.pg": f"grammar: g\nleaves: {names(7_001)}\nfeatures:\n{two}{form}"}, ON_GRAMMAR)
    values = ", ".join(f"v{i}" for i in range(3_000))
    shared = "".join(f"    C{i}[f=$x] => C{i + 1}[f=$x]\n" for i in range(8))
    agreeing = f"grammar: g\nleaves: {names(31)}\nfeatures:\n    f: {values}\nS:\n    oblig C0\n{shared}"
    yield Case("shared values × values", {"g.pg": agreeing}, ON_GRAMMAR)
    unequal = "".join(f"    C{i}[f != v{i}] < C{i + 1}\n" for i in range(3_000))
    negated = f"grammar: g\nleaves: {names(3_001)}\nfeatures:\n    f: {values}\nS:\n    oblig C0\n{unequal}"
    yield Case("other values × values", {"g.pg": negated}, ON_GRAMMAR)
    each = [", ".join(f"C{i * 60 + k}" for k in range(60)) for i in range(100)]
    types = "types:\n" + "".join(f"    T{i}: {members}\n" for i, members in enumerate(each))
    typed = "".join(f"    T{i} < T{i + 1}\n" for i in range(27))
    members = f"grammar: g\nleaves: {names(6_000)}\n{types}S:\n    oblig C0\n{typed}"
    yield Case("types × types", {"g.pg": members}, ON_GRAMMAR)
    parents = ", ".join(f"X{i}" for i in range(2_000))
    inherited = "".join(f"X{i}:\n    oblig A\n    A x X{(i * 7 + 1) % 2_000}\n" for i in range(2_000))
    heirs = "".join(f"Y{i} like {parents[:8_000].rpartition(',')[0]}:\n    uniq A\n" for i in range(80))
    yield Case("parents × heirs", {"g.pg": f"grammar: g\nleaves: A\n{inherited}{heirs}"}, ON_GRAMMAR)
    line = "X0:\n    oblig A\n" + "".join(f"X{i} like X{i - 1}:\n    A x X{i - 1}\n" for i in range(1, 3_000))
    yield Case("heirs of heirs", {"g.pg": f"grammar: g\nleaves: A\n{line}"}, ON_GRAMMAR)
    constructions = "".join(f"X{i}:\n    oblig A\n    uniq A\n    A x X{(i * 7 + 1) % 15_000}\n" for i in range(15_000))
    yield Case("constructions²", {"g.pg": f"grammar: g\nleaves: A\n{constructions}lexicon:\n    w0: A\n"}, ON_GRAMMAR)
    steps = "".join(f"X{i}:\n    oblig X{i + 1}\n    uniq X{i + 1}\n" for i in range(8_000))
    heads = ", ".join(f"v{i}" for i in range(5_000))
    bottom = "X8000:\n    oblig A\n    uniq A\nlexicon:\n" + "".join(f"    w{i}: A[f=v{i}]\n" for i in range(5_000))
    chained = f"grammar: g\nleaves: A\nroots: X0\nfeatures:\n    f: {heads}\n{steps}{bottom}"
    yield Case("heads × features", {"g.pg": chained}, ON_GRAMMAR)
    circle = "".join(f"    C{i} < C{i ^ 1}\n" for i in range(30_000))
    circles = f"grammar: g\nleaves: {names(30_000)}\nS:\n    oblig C0\n    uniq C0\n{circle}"
    yield Case("circles of linearity", {"g.pg": circles}, ON_GRAMMAR)
    odd = "".join(f"    D{i}x{i % 7} < C{i}\n" for i in range(20_000))
    misspelt = f"grammar: g\nleaves: {names(20_000)}\nS:\n    oblig C0\n{odd}"
    yield Case("misspelt names × names", {"g.pg": misspelt}, ON_GRAMMAR)
    conditions = " or ".join(f"(C{i} and no C{i + 1} or C{i + 2}[f=a])" for i in range(3_000))
    tables = (
        f"grammar: g\nleaves: {names(3_003)}\nfeatures:\n    f: a, b\nS:\n    oblig C0\n    f = a if {conditions}\n"
    )
    yield Case("conditions × daughters", {"g.pg": tables}, ON_GRAMMAR)
    nested = "(" * 2_000 + "C0" + ")" * 2_000
    yield Case("depth of conditions", {"g.pg": f"{HEAD}    A if {nested.replace('C0', 'A')}\n"}, ON_GRAMMAR)
    files = {f"g{i}.pg": f'include: "g{i + 1}.pg", "g{i + 2}.pg"\n' for i in range(60)}
    files |= {"g60.pg": HEAD, "g61.pg": "features:\n    f: a\n", "g.pg": 'include: "g0.pg"\n'}
    yield Case("files that include files", files, ON_GRAMMAR)


def in_trees_and_tables() -> Iterator[Case]:
    """Products of treebanks, tagged words, sequences and tables."""
    draw = random.Random(0)
    trees = "".join(f"(S {' '.join(f'(C{draw.randrange(900)} w)' for _ in range(40))})\n" for _ in range(2_000))
    yield Case("categories² in induction", {"t.mrg": trees}, ON_TREES)
    wide = "".join(f"(S {' '.join('(A w)' for _ in range(3_000))})\n" for _ in range(50))
    yield Case("width of trees", {"t.mrg": wide}, ON_TREES)
    deep = "".join("(X " * 400 + "(A w)" + ")" * 400 + "\n" for _ in range(450))
    yield Case("depth of trees", {"t.mrg": deep}, ON_TREES)
    rows = []
    for i in range(300):
        arcs = [f"{k}\tw{i}x{k}\t_\tT{k % 17}\t_\t_\t{k - 1}\tr{(i + k) % 200}\t_\t_\n" for k in range(2, 60)]
        rows.append(f"1\tw\t_\tT\t_\t_\t0\troot\t_\t_\n{''.join(arcs)}\n")
    yield Case(
        "dependencies × relations",
        {"t.conllu": "".join(rows)},
        [("induce", "t.conllu", "-o", "o.pg"), ("induce", "t.conllu", "-o", "o/"), ("score", "t.conllu", "t.conllu")],
    )
    one = [f"{k}\tw{k}\t_\tT\t_\t_\t{k - 1}\tr\t_\t_\n" for k in range(1, 12_000)]
    other = [f"{k}\tv{k}\t_\tT\t_\t_\t{k - 1}\tr\t_\t_\n" for k in range(1, 12_000)]
    yield Case(
        "tokens × tokens in scores",
        {"t.conllu": "".join(one) + "\n", "u.conllu": "".join(other) + "\n"},
        [("score", "t.conllu", "u.conllu"), ("induce", "t.conllu", "-o", "o.pg")],
    )
    flat = f"grammar: g\nleaves: {names(900)}\nS:\n    oblig C0\n    C0 < {{{names(900)}}}\n"
    expanded = {"g.pg": flat, "t.mrg": trees[:200_000].rpartition("\n")[0] + "\n"}
    yield Case(
        "expansions × length",
        expanded,
        [
            ("parse", *G, "--expansions", "o.exp", "--tagged", " ".join(f"w/C{i % 900}" for i in range(n)))
            for n in (40, 300, 3_000)
        ],
        before=("expansions", "t.mrg", "-o", "o.exp"),
    )
    tagged = "".join(
        f"w{draw.randrange(20_000)}\tT{draw.randrange(400)}\n" + "\n" * (i % 30 == 0) for i in range(70_000)
    )
    yield Case("words × tags", {"t.txt": tagged}, [("tag", "train", "t.txt", "-o", "o.model")])
    roles = "leaves: A, B, C\nX:\n" + "".join(f"    {a} < {b}\n    uniq {a}\n" for a, b in ("AB", "BC", "CA"))
    segments = [[k, k + 1, label, -1.0] for k in range(60) for label in "ABC"]
    lattices = "".join(
        json.dumps({"id": f"{i}", "tokens": [f"t{k}" for k in range(60)], "arcs": segments}) + "\n" for i in range(240)
    )
    lattices = lattices[: LARGEST - 1_000].rpartition("\n")[0] + "\n"
    yield Case(
        "lattices × constraints",
        {"g.pg": roles, "l.jsonl": lattices},
        [("decode", *G, "l.jsonl"), ("learn", "penalties", *G, "l.jsonl")],
    )
    labels = [f"C{i}" for i in range(60)]
    each = names(60)
    pairs = f"leaves: {each}\nX:\n    {{{each}}} < {{{each}}}\n    uniq {{{each}}}\n"
    choices = [[k, k + 1, name, -1.0] for k in range(90) for name in labels]
    one_row = json.dumps({"id": "1", "tokens": [f"t{k}" for k in range(90)], "arcs": choices}) + "\n"
    yield Case(
        "labels² × arcs",
        {"g.pg": pairs, "l.jsonl": one_row},
        [("decode", *G, "l.jsonl"), ("learn", "penalties", *G, "l.jsonl")],
    )
    items = "item,structure,length,sentence\n" + "".join(
        f"{i},{'ab'[k % 2]},{'cd'[k // 2]},sentence {i} {k}\n" for i in range(6_000) for k in range(4)
    )
    on_items = [("design", "i.csv", "--factors", "structure,length", "-o", "o")]
    yield Case("items × lists", {"i.csv": items}, on_items, 24_000)
    conditions = "item,structure,length,sentence\n" + "".join(
        f"{i},a{j},b{k},sentence {i} {j} {k}\n" for i in range(2) for j in range(100) for k in range(100)
    )
    yield Case("conditions × conditions", {"i.csv": conditions}, on_items, 20_000)
    answers = "participant,item,condition,sentence,rating\n" + "".join(
        f"p{i % 90},{i // 90},{'ab'[i % 2]},sentence {i},{i % 7}\n" for i in range(20_000)
    )
    yield Case("participants × items", {"r.csv": answers}, [("ratings", "r.csv", "-o", "o")])
    pilot = "participant,item,structure,length,rating\n" + "".join(
        f"p{i % 90},{i // 4 % 400},{'ab'[i % 2]},{'cd'[i // 2 % 2]},{(i * 7) % 5}\n" for i in range(30_000)
    )
    on_pilot: list[Command] = [("power", "p.csv", "--factors", "structure,length", "--effect", "0.5")]
    on_pilot += [
        ("power", "p.csv", "--factors", "structure,length", "--people", "100000", "--items", "10000", "--effect", "0.5")
    ]
    yield Case("people × items × simulations", {"p.csv": pilot}, on_pilot)


def cases() -> Iterator[Case]:
    """All products, with the verbs that take them."""
    return chain(in_searches(), in_grammars(), in_trees_and_tables())


class Measured(NamedTuple):
    """Measurements of a run: CPU seconds, elapsed seconds, megabytes, exit code, the last line of its output."""

    cpu: float
    wall: float
    memory: int
    code: int
    said: str


def measured(command: Sequence[str], folder: Path, limit: float | None, most: float = 60) -> Measured:
    """Run a verb in a folder; it is killed after `most` CPU seconds or with 3 GB of memory."""
    limits = [] if limit is None else ["--max-seconds", f"{limit:g}"]
    environment = os.environ | {"NUMBAT_CACHE": "off", "PYTHONPATH": f"{Path(__file__).parents[2]}"}
    arguments = [sys.executable, "-c", BY_CPU, *command, *limits]
    began, process = monotonic(), os.fork()
    if not process:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (round(most), round(most)))
        os.chdir(folder)
        told = os.open("told", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(told, stream)
        try:
            os.execvpe(arguments[0], arguments, environment)
        finally:
            os._exit(127)  # as where an argument is too long
    _, status, used = os.wait4(process, 0)
    lines = (folder / "told").read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""]
    said = next((line for line in lines if "time is up" in line or "Traceback" in line), lines[0])
    cpu = used.ru_utime + used.ru_stime
    return Measured(cpu, monotonic() - began, used.ru_maxrss // 1024, os.waitstatus_to_exitcode(status), said[:90])


def of_sentences(command: Command) -> bool:
    """True if the limit of a verb applies to each sentence."""
    verb: click.Command = cli
    for name in command[: 1 + (command[0] in ("tag", "learn"))]:
        assert isinstance(verb, click.Group)
        verb = verb.commands[name]
    return any(
        "--max-seconds" in each.opts and "a sentence" in (getattr(each, "help", "") or "") for each in verb.params
    )


def main() -> int:
    """Print a line for each verb and product; exit code 1 if one goes beyond the limits."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.worst_inputs")
    parser.add_argument("--free", type=int, help="no limit of seconds, but ended after so many")
    parser.add_argument("--only", default="", help="products with this in their names")
    parser.add_argument("--since", default="", help="products from the first with this in its name on")
    parser.add_argument("--verb", default="", help="verbs that begin so")
    options = parser.parse_args()
    limit, beyond = (None if options.free else LIMIT), 0
    print("verb\tproduct\tbytes\tgiven (s)\tCPU (s)\twall (s)\tMB\texit code\tsaid")
    for case in dropwhile(lambda case: options.since not in case.product, cases()):
        size = sum(map(len, case.files.values()))
        assert size <= LARGEST, (case.product, size)
        wanted = [each for each in case.commands if " ".join(each).startswith(options.verb)]
        for command in wanted if options.only in case.product else ():
            given = LIMIT * (1 + case.sentences * TIMES.get(command[0], 1) if of_sentences(command) else 1)
            with TemporaryDirectory() as name:
                for file, text in case.files.items():
                    (Path(name) / file).write_text(text, encoding="utf-8")
                if case.before:
                    measured(case.before, Path(name), None)
                found = measured(command, Path(name), limit, options.free or min(given, 60) + 20)
            verb = " ".join(command[: 1 + (command[0] in ("tag", "learn"))])
            bad = limit is not None and (found.cpu > given + max(1, given / 10) or found.memory > MEMORY)
            bad = bad or found.said.startswith("Traceback") or found.code < 0
            beyond += bad
            row = (verb, case.product, f"{size:,}", f"{given:g}", f"{found.cpu:.1f}", f"{found.wall:.1f}")
            end = (f"{found.memory:,}", f"{found.code}", ("BEYOND " * bad) + found.said)
            print("\t".join((*row, *end)), flush=True)
    return int(beyond > 0)


if __name__ == "__main__":
    sys.exit(main())
