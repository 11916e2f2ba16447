"""Features of a candidate for the classifier: named values and their combinations.

Most are from Xue & Palmer (2004) and Gildea & Jurafsky (2002): path, phrase type, head, voice, subcategorisation, the
syntactic frame, the governing category.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from numbat.treebanks.heads import PENN, head_index
from tests.bench.roles.candidates import AUXILIARIES, Candidate, bare, leaf_at
from tests.bench.roles.hashing import Values, templates
from tests.bench.roles.reading import Node, Proposition

NEAR: Final = (1, 2, 3, 4, 6, 9, 14, 22)
"""Borders of the classes of distances and sizes."""
MANY: Final = 8
"""Number of daughters from which an expansion is abbreviated."""

TEMPLATES: Final = templates("""
roleset: - | label | label position | label position voice | path | position | position voice | head | head_tag
roleset: preposition | inner | first | frame | nth | frame_nth | slot | slot voice | slot voice frame_kinds
lemma: - | label position voice | path | head | preposition | slot | slot voice | slot kind | inner | last | frame
predicate_form: label position | path
predicate_tag: label position | path
kind: - | path | path voice
label: - | position | kind position | position voice | position voice kind | head | head kind | head_tag kind
label: first | first kind | last | distance position kind | size kind | crossed kind | children kind | nearest kind
label: preposition kind | preposition inner_tag | within path | first_tag kind position | depth position
path: - | label | head_tag | first_tag | last | voice | in_coordination | grandparent | infinitive kind
path: relative label | head_verb label | controller label | controller lemma | rule | subcategorisation
up: - | label position | label kind
slot: voice kind | voice frame_kinds | voice frame_kinds kind | head | head_tag voice
frame: label position | kind
frame_kinds: label position voice kind | nth label voice kind
rule: label position
subcategorisation: label position
auxiliaries: label position | path voice
governing: label position | label voice
sister_before: label kind | sister_after label path
sister_after: label kind
beside_label: parent_label label position
particle: label position lemma
preposition: inner kind
before: - | label kind
after: - | label kind
first: - | second
last: -
head: -
head_tag: -
bias: -
""")
"""Templates of features: one value or several combined."""


def candidate_values(proposition: Proposition, candidates: Sequence[Candidate]) -> list[Values]:
    """The named values of each candidate of a proposition."""
    predicate = leaf_at(proposition.tree, proposition.predicate)
    shared = predicate_values(proposition, predicate)
    frame = _frame(proposition, predicate, candidates)
    return [shared | _phrase_values(proposition, predicate, candidates, i, frame) for i in range(len(candidates))]


def predicate_values(proposition: Proposition, predicate: Node) -> Values:
    """Return the values that are the same for all candidates."""
    tag = proposition.tags[proposition.predicate]
    parent = predicate.parent or predicate
    auxiliaries = _auxiliaries(proposition, predicate)
    return {
        "bias": "",
        "roleset": proposition.roleset + tag[0],
        "lemma": proposition.lemma,
        "kind": tag[0],
        "predicate_form": proposition.tokens[proposition.predicate].lower(),
        "predicate_tag": tag,
        "voice": _voice(tag, auxiliaries, predicate),
        "auxiliaries": " ".join(auxiliaries),
        "subcategorisation": f"{parent.label}>{' '.join(child.label for child in parent.children)}",
        "particle": " ".join(proposition.tokens[c.start].lower() for c in parent.children if bare(c.label) == "PRT"),
        **_verb_group(predicate),
    }


def _verb_group(predicate: Node) -> Values:
    """Return the position of the highest verb phrase over the predicate and its auxiliaries."""
    top = predicate.parent or predicate
    while top.parent is not None and top.parent.label == top.label == "VP":
        top = top.parent
    clause = top.parent or top
    above = clause.parent or clause
    subject = any(child.label == "NP" and child.end <= top.start for child in clause.children)
    return {
        "controller": f"{clause.label} {above.label} {subject}",
        "infinitive": f"{top.children[0].label if top.children else top.label} {clause.label} {above.label}",
        "relative": f"{above.label} {above.parent.label if above.parent else ''} {subject}",
    }


def _auxiliaries(proposition: Proposition, predicate: Node) -> list[str]:
    """The words before the predicate in the verb phrases over it, the nearest first."""
    found: list[str] = []
    beside = predicate
    for parent in predicate.ancestors():
        if parent.label not in ("VP", "SQ"):
            break
        for sister in parent.children:
            if sister is beside:
                break
            if not sister.children and sister.label in AUXILIARIES:
                found.append(proposition.tokens[sister.start].lower())
        beside = parent
    return found


def _voice(tag: str, auxiliaries: Sequence[str], predicate: Node) -> str:
    """`passive` for a participle after a form of be or get, `reduced` for one without an auxiliary."""
    if tag != "VBN":
        return "active"
    if not auxiliaries:
        return "reduced" if predicate.parent is not None and predicate.parent.label == "VP" else "adjective"
    return "active" if auxiliaries[0] in HAVE else "passive"


HAVE: Final = frozenset({"have", "has", "had", "having", "'ve", "’ve", "'d", "’d", "ve", "of"})
"""Forms of the auxiliary after which a participle is active."""


def _frame(proposition: Proposition, predicate: Node, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """The labels of the predicate and of the candidates that may be arguments, in order: Xue & Palmer's frame."""
    found = [(each.node.start, _frame_label(proposition, each)) for each in candidates if not each.within]
    found.append((predicate.start, "*"))
    return tuple(label for _, label in sorted(found) if label)


def _frame_label(proposition: Proposition, candidate: Candidate) -> str:
    label = bare(candidate.node.label)
    if label == "PP":
        return f"PP-{proposition.tokens[candidate.node.start].lower()}"
    return label if label in ("NP", "S", "SBAR", "ADJP", "WHNP", "PRP$", "NML", "UCP") else ""


def _phrase_values(
    proposition: Proposition, predicate: Node, candidates: Sequence[Candidate], index: int, frame: tuple[str, ...]
) -> Values:
    node = candidates[index].node
    first = proposition.tokens[node.start].lower()
    preposition = first if bare(node.label) in ("PP", "SBAR", "WHPP") else ""
    slot = _slot(candidates, index, predicate, preposition)
    kinds = " ".join(each.partition("-")[0] for each in frame)
    return {
        "preposition": preposition,
        "slot": slot,
        "nth": slot.rpartition(" ")[2],
        "frame": " ".join(frame),
        "frame_kinds": kinds,
        "frame_nth": f"{kinds} {slot}",
        "nearest": str(_nearest(candidates, index, predicate)),
        **_word_values(proposition, node),
        **_place_values(proposition, predicate, candidates[index]),
    }


def _word_values(proposition: Proposition, node: Node) -> Values:
    """Return the words of a phrase, the words around it and its daughters."""
    words, tags = proposition.tokens, proposition.tags
    start, end = node.span
    head = head_leaf(node)
    inner = _object_head(node) if bare(node.label) == "PP" else None
    return {
        "label": node.label,
        "head": words[head.start].lower(),
        "head_tag": head.label,
        "first": words[start].lower(),
        "first_tag": tags[start],
        "second": words[start + 1].lower() if start + 1 < end else "",
        "last": words[end - 1].lower(),
        "before": words[start - 1].lower() if start else "",
        "after": words[end].lower() if end < len(words) else "",
        "inner": words[inner.start].lower() if inner else "",
        "inner_tag": inner.label if inner else "",
        "size": size_class(end - start),
        "children": " ".join(each.label for each in node.children[:5]),
    }


def _place_values(proposition: Proposition, predicate: Node, candidate: Candidate) -> Values:
    """Return the position of a phrase in the tree relative to the predicate."""
    node = candidate.node
    common = candidate.beside.parent or candidate.beside
    ups, downs = labels_up(predicate, common), labels_up(node, common)
    sisters = common.children
    at = next(i for i, each in enumerate(sisters) if each.start <= node.start < each.end)
    is_before = node.start < predicate.start
    return {
        "position": "before" if is_before else "after",
        "distance": size_class(predicate.start - node.end if is_before else node.start - predicate.end),
        "path": f"{'^'.join(ups)}!{'!'.join(reversed(downs[:-1]))}",
        "up": "^".join(ups),
        "crossed": " ".join(str(ups.count(each)) for each in ("S", "VP", "NP", "SBAR")),
        "depth": str(len(ups)),
        "governing": next((each.label for each in node.ancestors() if each.label in ("S", "VP", "NP")), ""),
        "sister_before": sisters[at - 1].label if at else "",
        "sister_after": sisters[at + 1].label if at + 1 < len(sisters) else "",
        "rule": f"{common.label}>{' '.join(each.label for each in sisters)}" if len(sisters) < MANY else "long",
        "beside_label": candidate.beside.label,
        "parent_label": common.label,
        "grandparent": common.parent.label if common.parent else "",
        "head_verb": proposition.tokens[head_leaf(common).start].lower(),
        "in_coordination": str(any(each.label == "CC" for each in sisters)),
        "within": str(candidate.within),
    }


def _slot(candidates: Sequence[Candidate], index: int, predicate: Node, preposition: str) -> str:
    """The label, the side, and the number of candidates of that label from there to the predicate."""
    node = candidates[index].node
    before = node.start < predicate.start
    between = [
        each.node
        for each in candidates
        if not each.within and each.node.label == node.label and (each.node.start < predicate.start) == before
    ]
    number = sum((each.start > node.start) if before else (each.start < node.start) for each in between)
    return f"{node.label}{'-' + preposition if preposition else ''} {'-' if before else '+'}{min(number, 3)}"


def _nearest(candidates: Sequence[Candidate], index: int, predicate: Node) -> bool:
    node = candidates[index].node
    if node.start < predicate.start:
        return not any(node.end <= each.node.start < predicate.start for each in candidates)
    return not any(predicate.start < each.node.end <= node.start for each in candidates)


def labels_up(node: Node, top: Node) -> list[str]:
    """The labels from a node up to a node over it, both included."""
    found = [node.label]
    at = node
    while at is not top and at.parent is not None:
        at = at.parent
        found.append(at.label)
    return found


def size_class(number: int) -> str:
    """The class of a distance or a size."""
    return str(sum(number >= border for border in NEAR))


def head_leaf(node: Node) -> Node:
    """Return the head leaf by Collins's table; the last leaf if the table has no rule."""
    while node.children:
        index = _head(bare(node.label), tuple(child.label for child in node.children))
        node = node.children[index]
    return node


@cache
def _head(label: str, daughters: tuple[str, ...]) -> int:
    index = head_index(label, daughters, PENN)
    return len(daughters) - 1 if index is None else index


def _object_head(node: Node) -> Node | None:
    """Return the head of the object of a preposition."""
    inner = [child for child in node.children if child.children]
    return head_leaf(inner[-1]) if inner else None
