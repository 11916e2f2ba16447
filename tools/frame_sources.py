"""Reads what complements verbs take: in trees of English and French, derivations, dictionaries.

A use of a verb is its lemma and its complements, in the words of `COMPLEMENTS`: a noun phrase counts once for each,
a prepositional phrase is "PP-" and its preposition. A verb whose object may be elsewhere (in a relative clause or a
question) has the complement "gap"; a passive has "passive".
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from numbat.treebanks.conllu import DependencyTree, DependencyWord

COMPLEMENTS: Final = (
    "NP",
    "that",
    "S",
    "wh",
    "to-V",
    "NP to-V",
    "V-ing",
    "NP V-ing",
    "NP V",
    "AP",
    "Prt",
    "passive",
    "gap",
)
FINITE: Final = frozenset({"MD", "VBD", "VBZ", "VBP"})
ADVERBIAL: Final = re.compile("-(TMP|LOC|DIR|MNR|PRP|ADV|EXT|VOC|BNF)")
"""Functions of phrases that are no complements, where a treebank has functions."""
BE: Final = frozenset(
    {"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'m", "'re", "get", "gets", "got", "getting"}
)
"""Forms of the verbs that make passives; 's and got are forms of *have* too, before another form of the verb."""
PREPOSITIONS: Final = frozenset(
    (
        "about", "above", "across", "after", "against", "along", "among", "around", "as", "at", "before",
        "behind", "below", "between", "by", "down", "during", "for", "from", "in", "into", "like", "of",
        "off", "on", "onto", "out", "over", "past", "regarding", "through", "throughout", "to", "toward",
        "towards", "under", "until", "up", "upon", "with", "within", "without",
    )
)  # fmt: skip
TOKENS: Final = re.compile(r"[()]|[^\s()]+")
TOKENS_OF_DERIVATIONS: Final = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')
LEFT_OUT: Final = frozenset({"control", "csli", "handp12", "mrs"})
"""Profiles of Redwoods whose sentences judge grammars."""

Tree: TypeAlias = list["str | Tree"]
Lemmas: TypeAlias = Callable[[str], str]


class Use(NamedTuple):
    """A use of a verb: its lemma, and its complements in alphabetical order."""

    lemma: str
    complements: tuple[str, ...]


def expressions(text: str, tokens: re.Pattern[str] = TOKENS) -> Iterator[Tree]:
    """Yield the outermost bracketed expressions of a text; a bracket too many ends nothing."""
    stack: list[Tree] = [[]]
    for token in tokens.findall(text):
        if token == "(":
            stack.append([])
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) > 1:
            closed = stack.pop()
            stack[-1].append(closed)
            if len(stack) == 1:
                yield closed
                stack = [[]]


# Bracketed trees with the tags of the Penn Treebank


def label_of(tree: Tree) -> str:
    """Return the label of a tree without its functions and indices; empty elements keep theirs."""
    first = tree[0] if tree else ""
    return "" if not isinstance(first, str) else first if first.startswith("-") else re.split("[-=|]", first)[0]


def daughters(tree: Tree) -> list[Tree]:
    return [each for each in tree if isinstance(each, list)]


def words_of(tree: Tree) -> list[str]:
    """Return the words of a tree, without empty elements."""
    if len(tree) == 2 and isinstance(tree[1], str):
        return [] if tree[0] == "-NONE-" else [tree[1].lower()]
    return [word for each in daughters(tree) for word in words_of(each)]


def first_tag(phrase: Tree) -> str:
    """Return the tag of the first verb, modal or *to* of a verb phrase."""
    for each in daughters(phrase):
        label = label_of(each)
        if label in FINITE or label in ("TO", "VB", "VBG", "VBN"):
            return label
        if label == "VP":
            return first_tag(each)
    return ""


def complement_of(tree: Tree) -> list[str]:
    """Return the complements that a sister of a verb is: none if it is an adverbial."""
    label, words = label_of(tree), words_of(tree)
    if ADVERBIAL.search(str(tree[0])):
        return []
    if not words:
        return ["gap"] if label in ("NP", "WHNP", "S", "SBAR") else []
    if label == "PP":
        return [f"PP-{words[0]}"]
    if label == "SBAR":
        return complement_clause(daughters(tree))
    if label == "S":
        return bare_clause(daughters(tree))
    return {"NP": ["NP"], "PRT": ["Prt"], "ADJP": ["AP"]}.get(label, [])


def complement_clause(parts: Sequence[Tree]) -> list[str]:
    """Return the complement that the parts of an SBAR are."""
    first = words_of(parts[0])
    if label_of(parts[0]).startswith("WH") and first:
        return ["wh"]
    if first == ["that"]:
        return ["that"]
    if first in (["whether"], ["if"]):
        return ["wh"]
    rest = parts if first else parts[1:]
    if rest and label_of(rest[0]) in ("S", "SBAR"):
        return complement_of(rest[0])
    return []


def bare_clause(parts: Sequence[Tree]) -> list[str]:
    """Return the complements in the parts of an S: a clause, or a subject and its predicate."""
    subject = ["NP"] if any(label_of(each) == "NP" and words_of(each) for each in parts) else []
    phrase = next((each for each in parts if label_of(each) == "VP"), None)
    if phrase is None:
        return ["NP", "AP"] if subject and any(label_of(each) == "ADJP" for each in parts) else []
    tag = first_tag(phrase)
    if tag in FINITE:
        return ["S"]
    kind = {"TO": "to-V", "VBG": "V-ing", "VB": "V" if subject else ""}.get(tag, "")
    return [" ".join((*subject, kind))] if kind else []


def uses_in_tree(tree: Tree, lemma: Lemmas, gap: bool = False, passive: bool = True) -> Iterator[Use]:
    """Yield the uses of verbs in a bracketed tree; `passive` if a participle here is one."""
    label, parts = label_of(tree), daughters(tree)
    gap = gap or (label == "SBAR" and any(label_of(each).startswith("WH") for each in parts))
    verbs = [
        each
        for each in parts
        if label_of(each) in ("VB", "VBD", "VBZ", "VBP", "VBN", "VBG", "MD", "TO") and words_of(each)
    ]
    inner = any(label_of(each) == "VP" for each in parts)
    if label == "VP" and verbs and not inner and not any(label_of(each) == "CC" for each in parts):
        verb = verbs[-1]
        complements = [kind for each in parts[parts.index(verb) + 1 :] for kind in complement_of(each)]
        complements += ["gap"] * gap + ["passive"] * (passive and label_of(verb) == "VBN")
        yield Use(lemma(words_of(verb)[0]), tuple(sorted(complements)))
    if label == "ADJP":
        yield from participles(parts, lemma)
    auxiliary = passive if not verbs else words_of(verbs[-1])[0] in BE
    for each in parts:
        # the object of a relative clause without a relative word is missing, too
        inside = gap or (label in ("NP", "ADJP") and label_of(each) in ("S", "SBAR"))
        if label_of(each) == "VP":
            yield from uses_in_tree(each, lemma, inside, auxiliary if label == "VP" else True)
        else:
            yield from uses_in_tree(each, lemma, inside)


def participles(parts: Sequence[Tree], lemma: Lemmas) -> Iterator[Use]:
    """Yield passives that are tagged as adjectives, if they have a complement: *worried that he left*."""
    for index, each in enumerate(parts):
        if label_of(each) in ("JJ", "VBN") and words_of(each)[:1] and words_of(each)[0].endswith("ed"):
            complements = [kind for other in parts[index + 1 :] for kind in complement_of(other)]
            if complements:
                yield Use(lemma(words_of(each)[0]), tuple(sorted((*complements, "passive"))))


def uses_in_trees(text: str, lemma: Lemmas) -> Iterator[Use]:
    for tree in expressions(text):
        yield from uses_in_tree(tree, lemma)


# Derivations of the English Resource Grammar, as the Redwoods treebanks have them


def derivation_in(row: str) -> Tree | None:
    """Return the derivation in a row of the file `result` of a profile, without the records of tokens."""
    start = row.find("@(")
    if start < 0:
        return None
    text = row[start + 1 :].replace("\\\\", "\\")
    text = re.sub(r'\(("(?:[^"\\]|\\.)*") [0-9]+ "(?:[^"\\]|\\.)*"(?: [0-9]+ "(?:[^"\\]|\\.)*")*\)', r"(\1)", text)
    return next(expressions(text, TOKENS_OF_DERIVATIONS), None)


def is_entry(node: Tree) -> bool:
    """True if a node is a lexical entry: its one daughter is a word."""
    return len(inside := daughters(node)) == 1 and not daughters(inside[0])


def yield_of(node: Tree) -> list[str]:
    """Return the words of a derivation."""
    if is_entry(node):
        return str(daughters(node)[0][0]).strip('"').lower().split()
    return [word for each in daughters(node) for word in yield_of(each)]


def head_of(node: Tree) -> Tree:
    """Return the head daughter of a rule, by the rule's name: *sb-hd* has it on the right, *hd-cmp* on the left."""
    left = str(node[1]).split("_")[0]
    return daughters(node)[-1 if re.match("(sb|sp|aj|vppr|n|nb|j|flr|mrk|num|w|cl)-", left) else 0]


CATEGORIES: Final = (
    (r"that_c", "that"),
    (r"(whether|if)_c", "wh"),
    (r"to_c_", "to-V"),
    (r"flr-hd_wh", "wh"),
    (r"sb-hd", "S"),
    (r"(hdn|sp-hd|np|n_|vp_np-ger|nb|n-|aj-hdn)", "NP"),
    (r"v_prp", "V-ing"),
    (r"v_n3s-bse", "V"),
    (r"v_(3s-fin|pst)", "S"),
    (r"(v_pas|v_psp|v_.*dlr)", "V-en"),
    (r"(j_|.*_a\d|.*_a_)", "AP"),
    (r".*(_p\d?$|_p_|_prtcl|_sel|_prt\d?$)", "P"),
)
"""Categories of phrases by how names of rules and of lexical entries begin."""


def category_of(node: Tree) -> str:
    """Return the category of a phrase: that of the first name with one, from the phrase down along its heads."""
    while True:
        for pattern, category in CATEGORIES:
            if re.match(pattern, str(node[1])):
                return category
        if is_entry(node):
            return "P" if yield_of(node)[0] in PREPOSITIONS else "NP"
        node = head_of(node)


def complement_in(node: Tree) -> str:
    category = category_of(node)
    if category == "P":
        words = yield_of(node)
        return f"PP-{words[0]}" if len(words) > 1 else "Prt"
    return category


def uses_in_derivation(node: Tree, lemma: Lemmas, above: tuple[Tree, ...] = ()) -> Iterator[Use]:
    """Yield the uses of verbs in a derivation."""
    if not is_entry(node):
        for each in daughters(node):
            yield from uses_in_derivation(each, lemma, (*above, node))
        return
    word = yield_of(node)[0].strip(".,;:!?")
    verb = re.search(r"_v\d", str(node[1]))
    if not verb and not (word.endswith("ed") and re.search(r"_a\d", str(node[1]))):
        return
    complements = [] if verb else ["passive"]
    for rule in reversed(above):
        name, parts = str(rule[1]), daughters(rule)
        if re.match("v_(j|nger)|n_|hdn|np|vp_np", name):  # a participle before a noun, or a noun
            if not complements:
                return
            break
        if len(parts) == 1:
            complements += ["passive"] * name.startswith("v_pas") + ["gap"] * name.startswith("hd_xcmp")
        elif name.startswith("hd-cmp") and parts[0] is node:
            complements.append(complement_in(parts[1]))
        elif not (name.startswith(("hd-aj", "hd-pct")) and parts[0] is node) and not (
            name.startswith("aj-hd") and parts[1] is node
        ):
            break
        node = rule
    if verb or len(complements) > 1:
        yield Use(lemma(word), tuple(sorted(complements)))


def uses_in_profile(text: str, lemma: Lemmas) -> Iterator[Use]:
    """Yield the uses of verbs in the file `result` of a profile; sentences without a derivation are left out."""
    for row in text.split("\n"):
        if (derivation := derivation_in(row)) is not None:
            for each in daughters(derivation):
                yield from uses_in_derivation(each, lemma)


# Dictionaries

KINDS_OF_VERBNET: Final = {
    "that": ("that_comp", "tensed_that"),
    "wh": ("how_extract", "what_extract", "wh_comp", "wh_extract", "wh_inf", "what_inf", "wheth_inf", "wh_ing"),
    "to-V": ("sc_to_inf", "rs_to_inf", "to_be"),
    "NP to-V": ("oc_to_inf", "ac_to_inf", "np_to_inf"),
    "NP V": ("oc_bare_inf",),
    "V-ing": ("sc_ing", "ac_ing", "be_sc_ing", "np_omit_ing", "poss_ing", "oc_ing", "np_ing", "np_p_ing"),
}
"""Complements by the restrictions that VerbNet gives a noun phrase."""


class VerbNet(NamedTuple):
    """Frames of verbs, and their classes; a class is named by its number of one level: say-37.7."""

    frames: dict[str, set[tuple[str, ...]]]
    classes: dict[str, set[str]]


def verbnet(folder: Path) -> VerbNet:
    """Read the classes of VerbNet; a verb has the frames of its class and of those above it."""
    frames: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    classes: defaultdict[str, set[str]] = defaultdict(set)

    def read(node: ElementTree.Element, above: frozenset[tuple[str, ...]]) -> None:
        here = above | {verbnet_frame(each) for each in node.iterfind("FRAMES/FRAME/SYNTAX")}
        for member in node.iterfind("MEMBERS/MEMBER"):
            frames[member.get("name", "")] |= here
            classes[member.get("name", "")].add("-".join(node.get("ID", "").split("-")[:2]))
        for each in node.iterfind("SUBCLASSES/VNSUBCLASS"):
            read(each, here)

    for path in sorted(folder.glob("*.xml")):
        read(ElementTree.parse(path).getroot(), frozenset())
    return VerbNet(dict(frames), dict(classes))


def verbnet_frame(syntax: ElementTree.Element) -> tuple[str, ...]:
    """Return the complements behind the verb, in their order; a preposition is joined to what follows it."""
    complements: list[str] = []
    preposition, behind = "", False
    for part in syntax:
        if part.tag == "VERB":
            behind = True
        elif not behind:
            continue
        elif part.tag in ("PREP", "LEX"):
            preposition = (part.get("value") or "?").lower().strip("{}?")
        elif part.tag == "ADJ":
            complements.append("AP")
        elif part.tag == "NP":
            restrictions = {each.get("type") for each in part.iter("SYNRESTR") if each.get("Value") == "+"}
            kind = next((kind for kind, names in KINDS_OF_VERBNET.items() if restrictions & {*names}), "NP")
            complements.append(f"PP-{preposition.replace(' ', '|')}" if preposition else kind)
            complements += [kind] * (preposition != "" and kind != "NP")
            preposition = ""
    return tuple(complements)


class WordNet(NamedTuple):
    """Numbers of the sentence frames of verbs; the fields (31 cognition, 32 communication) of their senses."""

    frames: dict[str, set[int]]
    fields: dict[str, set[str]]


def wordnet(lines: Iterable[str]) -> WordNet:
    """Read lines of the file `data.verb` of WordNet."""
    frames: defaultdict[str, set[int]] = defaultdict(set)
    topics: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        if line.startswith(" "):
            continue
        _, topic, _, *rest = line.split("|")[0].split()
        fields = iter(rest)
        words = [(next(fields), next(fields))[0].lower() for _ in range(int(next(fields), 16))]
        for word in words:
            topics[word].add(topic)
        for _ in range(4 * int(next(fields))):
            next(fields)
        for _ in range(int(next(fields))):
            _, number, place = next(fields), int(next(fields)), int(next(fields), 16)
            for each in words if place == 0 else words[place - 1 : place]:
                frames[each].add(number)
    return WordNet(dict(frames), dict(topics))


# Dependencies of French

CLAUSES: Final = ("ccomp", "ccomp:obl")
CLITICS: Final = {"lui": "lui", "leur": "lui", "y": "y", "en": "en"}
"""Complements that clitics answer to."""
MOODS: Final = {"Sub": "que + subjunctive"}
"""Clauses with *que* by the mood of their verb, where it is not the indicative."""


def uses_in_dependencies(tree: DependencyTree) -> Iterator[Use]:
    """Yield the uses of verbs in a sentence of UD French.

    A relative pronoun may be the object. An object that may be elsewhere is a "gap": that of a coordinated verb, of a
    causative's infinitive, of *facile à lire*. No clause beside an object or *se* counts: *se rendre compte que*.
    """
    below = tree.dependents()
    for number, word in enumerate(tree.words, start=1):
        if word.upos != "VERB" or "Typo" in dict(word.feats):
            continue
        dependents = [tree.words[each - 1] for each in below[number]]
        relations = {each.deprel for each in dependents}
        complements = [
            kind
            for place in below[number]
            if (kind := _dependent(tree.words[place - 1], [tree.words[each - 1] for each in below[place]]))
        ]
        is_gap = word.deprel == "conj" or "conj" in relations or (word.deprel != "root" and _before(dependents) == "à")
        is_passive = "aux:pass" in relations or (word.deprel == "acl" and dict(word.feats).get("VerbForm") == "Part")
        if {"NP", "se"} & {*complements}:
            complements = [kind for kind in complements if not kind.startswith("que")]
        complements += ["gap"] * (is_gap or "aux:caus" in relations) + ["passive"] * is_passive
        yield Use(word.lemma, tuple(sorted(complements)))


def _before(dependents: Iterable[DependencyWord]) -> str:
    """Return the preposition or *que* that introduces a word, "" if none does."""
    return next((each.lemma for each in dependents if each.deprel in ("case", "mark") and each.lemma != "ne"), "")


def _dependent(word: DependencyWord, below: Sequence[DependencyWord]) -> str:
    """Return the complement that a dependent of a verb is, "" if it is none."""
    relation, before, feats = word.deprel, _before(below), dict(word.feats)
    if word.upos == "PRON" and word.form.lower() in CLITICS and relation in ("iobj", "obj", "obl:arg", "expl:comp"):
        return CLITICS[word.form.lower()]
    if relation.startswith("expl") and feats.get("Reflex") == "Yes":
        return "se"
    if relation == "obj":
        return "NP"
    if relation == "obl:arg" and before in ("à", "de"):
        return f"{before} NP"
    if relation == "xcomp" and word.upos == "VERB" and feats.get("VerbForm") == "Inf":
        return {"": "V", "à": "à V", "de": "de V"}.get(before, "")
    if relation == "xcomp":
        return "AP"
    if relation in CLAUSES:
        has_question = any(dict(each.feats).get("PronType") == "Int" for each in below)
        is_bare = before not in ("que", "si")
        return "wh" if before == "si" or has_question else "" if is_bare else MOODS.get(feats.get("Mood", ""), "que")
    return ""
