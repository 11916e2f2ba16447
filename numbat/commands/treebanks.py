"""`numbat trees`, `induce` and `check-trees`: what the commands on treebanks do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from numbat.commands.json_text import json_text
from numbat.errors import DataError, data_error
from numbat.files import shown
from numbat.grammar.model import UNIT, Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.queries.judge_tree import judge_tree, uncovered, unknown_labels
from numbat.parsing.result import Parse
from numbat.source import Problem, Span, counted
from numbat.treebank.brackets import format_brackets
from numbat.treebank.conllu import format_conllu
from numbat.treebank.converting import to_constituents, to_dependencies, to_json
from numbat.treebank.labels import CODES, PUNCTUATION, cleaned
from numbat.treebank.reading import Sentence, read_treebank
from numbat.words.tag_maps import TagMap, origin_of, read_tag_map, tagged_lattice

if TYPE_CHECKING:
    from numbat.treebank.induced import InducedGrammar
    from numbat.treebank.trees import Tree
    from numbat.words.lattice import Lattice


@dataclass
class TreeReader:
    """Sentences as they are read; `complain` is called with what is wrong with each bad one, and `bad` counts them.

    `read` counts all.
    """

    complain: Callable[[DataError], None]
    bad: int = 0
    read: int = 0

    @property
    def good(self) -> int:
        return self.read - self.bad

    def sentences(self, path: str, form: str) -> Iterator[Sentence]:
        """The good sentences of a file; errors as in `read_treebank`."""
        for each in read_treebank(path, form):
            self.read += 1
            if isinstance(each, Problem):
                self.refuse(data_error(each))
            else:
                yield each

    def refuse(self, error: DataError) -> None:
        """Complain of a sentence and count it as bad."""
        self.bad += 1
        self.complain(error)


def _as_brackets(sentence: Sentence) -> str:
    return format_brackets(to_constituents(sentence)) + "\n"


def _as_conllu(sentence: Sentence) -> str:
    return format_conllu(to_dependencies(sentence))


def _as_jsonl(sentence: Sentence) -> str:
    return json_text(to_json(sentence), sentence.id, "--to ptb") + "\n"


WRITERS: Final = {"ptb": _as_brackets, "conllu": _as_conllu, "jsonl": _as_jsonl}


def convert(path: str, form: str, to: str, bare: bool, reader: TreeReader) -> Iterator[str]:
    """Each sentence in another format; `bare` leaves out empty elements, codes, functions and indexes."""
    write = WRITERS[to]
    for sentence in reader.sentences(path, form):
        try:
            if bare:
                tree = cleaned(to_constituents(sentence))
                if tree is None:
                    continue
                sentence = replace(sentence, tree=tree)
            yield write(sentence)
        except DataError as error:
            reader.refuse(error)


@dataclass(frozen=True, slots=True)
class Files:
    """What an induction gives: the grammar's text, its lexicon's and its rules'; and the grammar itself."""

    induced: InducedGrammar
    grammar: str
    lexicon: str
    rules: str


def induce(
    paths: Sequence[str],
    form: str,
    output: str | None,
    lexicon: str | None,
    options: dict[str, Any],
    reader: TreeReader,
) -> Files:
    """A grammar from the files of a treebank. `options` are those of the command line."""
    from numbat.treebank import induced_printing as printing
    from numbat.treebank.induce import Choices
    from numbat.treebank.induce import induce as induce_grammar
    from numbat.treebank.observed import observe
    from numbat.treebank.relating import Thresholds

    dropped = CODES if options["punctuation"] else CODES | PUNCTUATION
    sentences = chain.from_iterable(reader.sentences(path, form) for path in paths)
    observed = observe(sentences, functions=options["functions"], dropped=dropped, xpos=options["tags"] == "xpos")
    if not observed.expansions:
        raise DataError(
            f"{shown(paths[0])}: no tree to learn from\n  give a file of trees, with --from if its format is not found"
        )
    source = os.path.basename(paths[0]) if paths[0] != "-" else "standard input"
    source += f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    choices = Choices(
        name=options["name"] or Path(output or os.path.basename(paths[0])).stem.strip("-") or "induced",
        source=f"induced from {source}",
        least=Thresholds(
            support=options["support"], w0=options["w0"], count=options["count"], expected=options["expected"]
        ),
        hard=options["hard"] or 0,
        weights=options["weights"],
        heads=options["heads"],
        lexicon=lexicon is not None,
    )
    induced = induce_grammar(observed, choices)
    named = os.path.relpath(lexicon, os.path.dirname(os.path.abspath(output)) if output else ".") if lexicon else ""
    opening = [*_opening(source, induced), *filter(None, "\n".join(options["note"]).splitlines())]
    return Files(
        induced,
        printing.format_induced(induced, opening, named),
        printing.format_lexicon(induced.grammar.lexicon),
        printing.format_rules(each for c in induced.constructions for each in c.expansions),
    )


def _opening(source: str, induced: InducedGrammar) -> Iterator[str]:
    yield f"Induced by numbat from {source}: {counted(induced.sentences, 'sentence')}; {summary(induced)}."
    yield "Behind each property: occurrences of its construction that validate it and that violate it, w0 = validating"
    yield "among both, w1 = w0 * validating among all occurrences, and the first sentences that violate it."


def summary(induced: InducedGrammar) -> str:
    """Sizes in one line."""
    sizes = ", ".join(f"{count} {name}" for name, count in induced.sizes().items())
    return f"{counted(len(induced.constructions), 'construction')}, {sizes}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A tree of a treebank judged by a grammar: the parse that it is, and what the grammar does not speak of.

    `uncovered` are daughters that the form of their phrase does not name, `unknown` labels that are no category.
    """

    id: str
    parse: Parse
    uncovered: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int, int]:
        """Worse trees are greater."""
        return self.parse.violation_cost, len(self.parse.violated), len(self.uncovered) + len(self.unknown)

    def to_json(self) -> dict[str, Any]:
        """A value for `json.dumps`."""
        return {
            "id": self.id,
            "cost": self.parse.violation_cost / UNIT,
            "satisfied": len(self.parse.satisfied),
            "violated": len(self.parse.violated),
            "uncovered": list(self.uncovered),
            "unknown": list(self.unknown),
            "tree": self.parse.to_brackets(),
            "explanations": list(self.parse.explain()),
        }


def check_trees(grammar: Grammar, path: str, form: str, tag_map: str | None, reader: TreeReader) -> list[Verdict]:
    """The verdicts on all trees of a file, the worst first; equal ones in the order of the file."""
    parser = Parser(grammar)
    mapped = read_tag_map(tag_map, grammar) if tag_map else None
    verdicts = []
    for sentence in reader.sentences(path, form):
        try:
            verdict = _verdict(sentence, parser, mapped, path)
        except DataError as error:
            reader.refuse(error)
            continue
        if verdict is not None:
            verdicts.append(verdict)
    return sorted(verdicts, key=lambda verdict: verdict.rank, reverse=True)


def tag_hint(verdicts: Sequence[Verdict], grammar: Grammar) -> str:
    """Whose tags the trees have, where they are no categories of the grammar and a packaged map has them."""
    found = origin_of({arc.category for verdict in verdicts for arc in verdict.parse.lattice.arcs}, grammar)
    return "" if found is None else f"the tags are those of {found[0]}: --tag-map {found[1]}"


def _verdict(sentence: Sentence, parser: Parser, mapped: TagMap | None, path: str) -> Verdict | None:
    dropped = CODES | {tag for tag in PUNCTUATION if tag not in parser.grammar.leaves and mapped is None}
    tree = cleaned(to_constituents(sentence), dropped=dropped)
    lattice: Lattice | None = None
    if tree is not None and mapped is not None:
        place = Span(shown(path), sentence.tree.line)
        lattice = tagged_lattice(list(tree.words()), mapped, parser.words, place=place)
        tree = relabelled(tree, mapped)
    if tree is None:
        return None
    parse = judge_tree(tree, parser, lattice)
    lacking = tuple(f"{phrase.construction}: {daughter.construction}" for phrase, daughter in uncovered(parse, parser))
    labels = unknown_labels(tree, parser.grammar)
    return Verdict(sentence.id, parse, lacking, labels)


def relabelled(tree: Tree, mapped: TagMap) -> Tree | None:
    """The tree with the labels of a tag map, on phrases too where it has them; what it maps to - is left out.

    A phrase that is mapped to - leaves its daughters in its place. None where nothing is left. Without recursion, for
    trees may be deep.
    """
    built: list[list[Tree]] = [[]]
    waiting: list[tuple[Tree, bool]] = [(tree, False)]
    while waiting:
        node, ready = waiting.pop()
        readings = mapped.readings(node.label)
        label = readings[0].category if readings else node.label
        if node.form is None and not ready:
            built.append([])
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))
            continue
        below = tuple(built.pop()) if node.form is None else ()
        if readings == ():
            built[-1] += below
        elif below or node.form is not None:
            built[-1].append(replace(node, label=label, daughters=below))
    (found,) = built
    return found[0] if len(found) == 1 else replace(tree, label="", daughters=tuple(found)) if found else None


def _explained(parse: Parse) -> Iterator[str]:
    """What is violated: of each property the first instance, with the number of the others."""
    first: dict[int, str] = {}
    times: dict[int, int] = {}
    for evaluated, explanation in zip(parse.violated, parse.explain()[-len(parse.violated) :], strict=False):
        key = id(evaluated.property)
        first.setdefault(key, explanation)
        times[key] = times.get(key, 0) + 1
    for key, explanation in first.items():
        more = f", and {times[key] - 1} more" if times[key] > 1 else ""
        yield f"    ✗ {explanation}{more}"


def verdict_lines(verdicts: list[Verdict], shown: int) -> Iterator[str]:
    """The worst trees with what they violate, then the sums over all."""
    for verdict in verdicts[:shown]:
        if not any(verdict.rank):
            break
        parse = verdict.parse
        yield (
            f"{verdict.id}: cost {parse.violation_cost / UNIT:g}; "
            f"{len(parse.satisfied)} satisfied, {len(parse.violated)} violated"
        )
        yield f"    {parse.to_brackets()}"
        yield from _explained(parse)
        if verdict.uncovered:
            yield f"    the grammar does not allow: {', '.join(dict.fromkeys(verdict.uncovered))}"
        if verdict.unknown:
            yield f"    no category of the grammar: {', '.join(verdict.unknown)}"
        yield ""
    satisfied = sum(len(verdict.parse.satisfied) for verdict in verdicts)
    violated = sum(len(verdict.parse.violated) for verdict in verdicts)
    good = sum(not any(verdict.rank) for verdict in verdicts)
    share = violated / (satisfied + violated) if satisfied + violated else 0.0
    yield (
        f"{counted(len(verdicts), 'tree')}, {good} of them without violation: "
        f"{satisfied} instances satisfied, {violated} violated ({share:.2%})"
    )
