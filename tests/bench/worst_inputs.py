"""`python -m tests.bench.worst_inputs`: for each verb the input under 1 MB that it takes longest for, under a limit.

Each input is a product of two things that a user writes, as large as 1 MB makes it. Every verb runs under
`--max-seconds 2` in a process of its own; the table says by how many seconds of CPU it went beyond the limit, and its
memory. `--free SECONDS` runs without a limit of seconds, ended after so many: what the product costs by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final, NamedTuple

LIMIT: Final = 2.0
HEAD: Final = "grammar: g\nleaves: A\nS:\n    oblig A\n    uniq A\n"
LARGEST: Final = 1_000_000


class Case(NamedTuple):
    """A product, the files that make it, by name, and the verbs that meet it."""

    product: str
    files: dict[str, str]
    commands: Sequence[Sequence[str]]


def names(number: int) -> str:
    return ", ".join(f"C{i}" for i in range(number))


def words(number: int, kinds: int) -> str:
    return " ".join(f"w{i % kinds}" for i in range(number))


def suite(sentences: Sequence[str]) -> str:
    rows = (f"{'good' if i % 2 else 'bad'}\t{sentence}\n" for i, sentence in enumerate(sentences))
    return "judgement\tsentence\n" + "".join(rows)


def all_pairs(number: int, relation: str = "", readings: int = 1) -> str:
    """A grammar of so many categories, a property for each pair, words with several readings."""
    both = f"r({{{names(number)}}}, {{{names(number)}}})" if relation else f"{{{names(number)}}} < {{{names(number)}}}"
    lexicon = "".join(
        f"    w{i}: {', '.join(f'C{(i + k) % number}' for k in range(readings))}\n" for i in range(number)
    )
    form = f"S:\n    oblig C0\n    uniq C0\n    {both}\n"
    return f"grammar: g\nleaves: {names(number)}\n{relation}{form}lexicon:\n{lexicon}"


def cases() -> Iterator[Case]:
    """All products, with the verbs that take them."""
    draw = random.Random(0)
    g = ("-g", "g.pg")
    texts = [words(12, 60) + f" w{i % 60}" for i in range(2_000)]
    on_suite: list[tuple[str, ...]] = [(verb, "s.tsv", *g) for verb in ("test", "report", "ablate", "coverage")]
    on_suite += [("learn", "costs", "s.tsv", *g, "-o", "o"), ("compare", "g.pg", "g.pg", "s.tsv")]
    on_suite += [("theories", "s.tsv", *g)]
    on_sentence: list[tuple[str, ...]] = [(verb, words(20, 60), *g) for verb in ("parse", "repair", "explain")]
    on_sentence += [("why-not", "0-5:S", words(20, 60), *g), ("contrast", words(20, 60), words(19, 60), *g)]
    on_sentence += [("generate", *g, "-n", "1000"), ("generate", *g, "--violate", "S: C1 < C2", "-n", "100")]
    on_sentence += [("granularity", words(20, 60), *g), ("bench", *g), ("parse", "-n", "1000", words(20, 60), *g)]
    whole = {"g.pg": all_pairs(60, readings=4), "s.tsv": suite(texts)}
    on_grammar = [("check", "g.pg"), ("show", "g.pg"), ("convert", "g.pg"), ("parse", *g, words(5, 5))]
    yield Case("suite × grammar", whole, on_suite)
    yield Case("n-best × length × readings", whole, on_sentence)
    yield Case("braces", {"g.pg": all_pairs(316)}, on_grammar)
    distant = "relation r(B, C) for each B, C: distance(B, C) <= 4999\n"
    yield Case(
        "own relation × categories", {"g.pg": all_pairs(316, distant)}, [*on_grammar, ("parse", *g, words(5_000, 316))]
    )
    paradigms = {"g.pg": 'grammar: g\nleaves: A\nlexicon_file: "w.tsv"\nS:\n    oblig A\n    uniq A\n'}
    rows = "".join(f"%n\ts{i}\tA\t\t+{i}\n" for i in range(700))
    yield Case("paradigms", paradigms | {"w.tsv": rows + "".join(f"{i}\t%n\n" for i in range(700))}, on_grammar)
    free = "".join(f"%n\ts{i}\tA\t\t+{i}\n" for i in range(310)) + "".join(f"{i}\t%n\n" for i in range(310))
    yield Case("paradigms within the limit", paradigms | {"w.tsv": free}, on_grammar)
    features = "".join(f"    f{i}: a, b, c, d\n" for i in range(4))
    demands = ", ".join(f"f{i}=a|b|c|d" for i in range(4))
    lexicon = "".join(f"    w{i}: A[{demands}]\n" for i in range(16_000))
    readings = f"grammar: g\nleaves: A\nfeatures:\n{features}S:\n    oblig A\n    uniq A\nlexicon:\n{lexicon}"
    yield Case("readings × words", {"g.pg": readings}, [*on_grammar, ("parse", *g, words(300, 300))])
    stars = "".join(f'    "*{"*".join(draw.choices("ab", k=14))}*": A\n' for _ in range(20_000))
    unknown = " ".join(f"x{i}" for i in range(3_000))
    yield Case("patterns", {"g.pg": f"{HEAD}guess:\n{stars}"}, [*on_grammar, ("parse", *g, unknown)])
    many = "".join(f"    C{i}[f{i}=a] < C{i + 1}\n" for i in range(7_000))
    declared = "".join(f"    f{i}: a, b\n" for i in range(7_000))
    form = f"S:\n    oblig C0\n    uniq C0\n{many}"
    yield Case("features", {"g.pg": f"grammar: g\nleaves: {names(7_001)}\nfeatures:\n{declared}{form}"}, on_grammar)
    constructions = "".join(f"X{i}:\n    oblig A\n    uniq A\n    A x X{(i * 7 + 1) % 15_000}\n" for i in range(15_000))
    yield Case("constructions²", {"g.pg": f"grammar: g\nleaves: A\n{constructions}lexicon:\n    w0: A\n"}, on_grammar)
    chain = "".join(f"X{i}:\n    oblig X{i + 1}\n    uniq X{i + 1}\n" for i in range(8_000))
    values = ", ".join(f"v{i}" for i in range(5_000))
    bottom = "X8000:\n    oblig A\n    uniq A\nlexicon:\n" + "".join(f"    w{i}: A[f=v{i}]\n" for i in range(5_000))
    chained = f"grammar: g\nleaves: A\nroots: X0\nfeatures:\n    f: {values}\n{chain}{bottom}"
    yield Case("heads × features", {"g.pg": chained}, on_grammar)
    circle = "".join(f"    C{i} < C{i ^ 1}\n" for i in range(30_000))
    circles = f"grammar: g\nleaves: {names(30_000)}\nS:\n    oblig C0\n    uniq C0\n{circle}"
    yield Case("circles of linearity", {"g.pg": circles}, on_grammar)
    trees = "".join(f"(S {' '.join(f'(C{draw.randrange(900)} w)' for _ in range(40))})\n" for _ in range(2_000))
    on_trees = [("induce", "t.mrg", "-o", "o.pg"), ("trees", "t.mrg"), ("expansions", "t.mrg", "-o", "o.exp")]
    on_trees += [("score", "t.mrg", "t.mrg"), ("judge", "-i", "t.mrg", "-g", "english")]
    on_trees += [
        ("tag", "train", "t.mrg", "-o", "o.model"),
        ("learn", "structure", "--from", "ptb", "t.mrg", "-o", "o"),
    ]
    yield Case("categories² in induction", {"t.mrg": trees}, on_trees)
    deep = "".join("(X " * 400 + "(A w)" + ")" * 400 + "\n" for _ in range(450))
    yield Case("depth of trees", {"t.mrg": deep}, on_trees)
    tagged = "".join(
        f"w{draw.randrange(20_000)}\tT{draw.randrange(400)}\n" + "\n" * (i % 30 == 0) for i in range(70_000)
    )
    yield Case("words × tags", {"t.txt": tagged}, [("tag", "train", "t.txt", "-o", "o.model")])
    roles = "leaves: A, B, C\nX:\n" + "".join(f"    {a} < {b}\n    uniq {a}\n" for a, b in ("AB", "BC", "CA"))
    arcs = [{"candidates": [{"label": label, "log_weight": -1.0} for label in "ABC"]} for _ in range(60)]
    lattices = "".join(
        json.dumps({"id": f"{i}", "tokens": [f"t{k}" for k in range(60)], "arcs": arcs}) + "\n" for i in range(240)
    )
    yield Case("lattices × constraints", {"g.pg": roles, "l.jsonl": lattices[:LARGEST]}, [("decode", *g, "l.jsonl")])
    items = "item,structure,length,sentence\n" + "".join(
        f"{i},{'ab'[k % 2]},{'cd'[k // 2]},sentence {i} {k}\n" for i in range(6_000) for k in range(4)
    )
    yield Case("items × lists", {"i.csv": items}, [("design", "i.csv", "--factors", "structure,length", "-o", "o")])
    answers = "participant,item,condition,sentence,rating\n" + "".join(
        f"p{i % 90},{i // 90},{'ab'[i % 2]},sentence {i},{i % 7}\n" for i in range(20_000)
    )
    yield Case("participants × items", {"r.csv": answers}, [("ratings", "r.csv", "-o", "o")])


class Measured(NamedTuple):
    """How a run ended: seconds of CPU and by the clock, megabytes, exit code, the last line that it said."""

    cpu: float
    wall: float
    memory: int
    code: int
    said: str


def measured(command: Sequence[str], folder: Path, limit: float | None, most: int = 60) -> Measured:
    """Run a verb in a folder; `most` seconds of CPU and 3 GB are the end of it whatever it does."""
    limits = [] if limit is None else ["--max-seconds", f"{limit:g}"]
    environment = os.environ | {"NUMBAT_CACHE": "off", "PYTHONPATH": f"{Path(__file__).parents[2]}"}
    arguments = [sys.executable, "-m", "numbat", *command, *limits]
    began, process = monotonic(), os.fork()
    if not process:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        os.chdir(folder)
        told = os.open("told", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(told, stream)
        os.execvpe(arguments[0], arguments, environment)
    _, status, used = os.wait4(process, 0)
    lines = (folder / "told").read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""]
    said = next((line for line in lines if "time is up" in line or "Traceback" in line), lines[0])
    cpu = used.ru_utime + used.ru_stime
    return Measured(cpu, monotonic() - began, used.ru_maxrss // 1024, os.waitstatus_to_exitcode(status), said[:90])


def main() -> int:
    """Print a line for each verb and product; exit code 1 if one goes beyond the limits."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.worst_inputs")
    parser.add_argument("--free", type=int, help="no limit of seconds, but ended after so many")
    parser.add_argument("--only", default="", help="products with this in their names")
    options = parser.parse_args()
    limit, beyond = (None if options.free else LIMIT), 0
    print("verb\tproduct\tbytes\tCPU (s)\twall (s)\tMB\texit code\tsaid")
    for case in cases():
        size = sum(map(len, case.files.values()))
        assert size <= LARGEST, (case.product, size)
        for command in case.commands if options.only in case.product else ():
            with TemporaryDirectory() as name:
                for file, text in case.files.items():
                    (Path(name) / file).write_text(text, encoding="utf-8")
                found = measured(command, Path(name), limit, options.free or 60)
            verb = " ".join(command[: 1 + (command[0] in ("tag", "learn"))])
            bad = limit is not None and (found.cpu > limit + 1 or found.memory > 500)
            bad = bad or found.said.startswith("Traceback")
            beyond += bad
            row = (verb, case.product, f"{size:,}", f"{found.cpu:.1f}", f"{found.wall:.1f}", f"{found.memory:,}")
            print("\t".join((*row, f"{found.code}", ("BEYOND " * bad) + found.said)), flush=True)
    return int(beyond > 0)


if __name__ == "__main__":
    sys.exit(main())
