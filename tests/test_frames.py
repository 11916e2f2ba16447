"""Frames by counts: what counts as a complement of a verb, and what follows for the lexicon."""

from collections import Counter
from pathlib import Path

import pytest

from numbat.authoring.known_words import known_word
from numbat.errors import UsageError
from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser
from numbat.treebanks.conllu import DependencyTree, read_conllu
from tools import french_frames
from tools.frame_sources import (
    Use,
    VerbNet,
    WordNet,
    uses_in_dependencies,
    uses_in_profile,
    uses_in_trees,
    verbnet,
    wordnet,
)
from tools.frames import (
    BLOCK,
    RATED,
    Support,
    additions,
    at_least,
    frames_of,
    inflection,
    lemmas,
    lexicon_by_hand,
    new_verbs,
    ratings_in,
    rewritten,
    sources_of,
)

TREES = """\
(S (NP (PRP He)) (VP (VBD said) (SBAR (IN that) (S (NP (PRP she)) (VP (VBD left))))))
(S (NP (PRP He)) (VP (VBD was) (VP (VBN told) (SBAR (-NONE- 0) (S (NP (PRP she)) (VP (VBD left) (NP (NN town))))))))
(S (NP (PRP He)) (VP (VBZ wants) (S (NP (PRP her)) (VP (TO to) (VP (VB talk) (PP (IN about) (NP (PRP it))))))))
(NP (NP (DT the) (NN cat)) (SBAR (WHNP (WDT that)) (S (NP (PRP he)) (VP (VBD saw)))))
(S (NP (PRP He)) (VP (VBZ is) (ADJP (JJ worried) (SBAR (IN that) (S (NP (PRP she)) (VP (VBD left)))))))
"""
DERIVATION = (
    '1@0@(root_strict (1 sb-hd_mc_c 0 0 5 (2 he 0 0 1 ("he" 1 "token [ ]")) (3 hd-cmp_u_c 0 1 5 '
    '(4 v_pst_olr 0 1 2 (5 say_v1 0 1 2 ("said" 2 "token [ +FORM \\\\"said\\\\" ]"))) (6 hd-cmp_u_c 0 2 5 '
    '(7 that_c 0 2 3 ("that" 3 "token [ ]")) (8 sb-hd_nmc_c 0 3 5 (9 she 0 3 4 ("she" 4 "token [ ]")) '
    '(10 hd_optcmp_c 0 4 5 (11 v_pst_olr 0 4 5 (12 leave_v1 0 4 5 ("left" 5 "token [ ]")))))))))@'
)
LEMMAS = {"said": "say", "told": "tell", "left": "leave", "wants": "want", "saw": "see", "worried": "worry"}


def lemma(form: str) -> str:
    return LEMMAS.get(form, form)


def test_complements_in_trees() -> None:
    assert list(uses_in_trees(TREES, lemma)) == [
        Use("say", ("that",)), Use("leave", ()), Use("tell", ("S", "passive")), Use("leave", ("NP",)),
        Use("want", ("NP to-V",)), Use("talk", ("PP-about",)), Use("see", ("gap",)), Use("is", ("AP",)),
        Use("worry", ("passive", "that")), Use("leave", ("gap",)),
    ]  # fmt: skip


FRENCH = """\
1 Il il PRON _ _ 4 nsubj _ _
2 lui lui PRON _ _ 4 iobj _ _
3 a avoir AUX _ _ 4 aux:tense _ _
4 promis promettre VERB _ VerbForm=Part 0 root _ _
5 de de ADP _ _ 6 mark _ _
6 partir partir VERB _ VerbForm=Inf 4 xcomp _ _

1 le le DET _ _ 2 det _ _
2 livre livre NOUN _ _ 0 root _ _
3 que que PRON _ PronType=Rel 5 obj _ _
4 tu toi PRON _ _ 5 nsubj _ _
5 veux vouloir VERB _ VerbForm=Fin 2 acl:relcl _ _
6 que que SCONJ _ _ 8 mark _ _
7 je moi PRON _ _ 8 nsubj _ _
8 lise lire VERB _ Mood=Sub|VerbForm=Fin 5 ccomp _ _

1 Elle lui PRON _ _ 3 nsubj:pass _ _
2 est être AUX _ _ 3 aux:pass _ _
3 obligée obliger VERB _ VerbForm=Part 0 root _ _
4 de de ADP _ _ 5 mark _ _
5 parler parler VERB _ VerbForm=Inf 3 xcomp _ _
6 à à ADP _ _ 7 case _ _
7 Paul Paul PROPN _ _ 5 obl:arg _ _

"""


def test_complements_in_dependencies() -> None:
    trees = read_conllu(FRENCH.replace(" ", "\t").splitlines(), "f.conllu")
    uses = [use for tree in trees if isinstance(tree, DependencyTree) for use in uses_in_dependencies(tree)]
    assert uses == [
        Use("promettre", ("de V", "lui")), Use("partir", ()), Use("vouloir", ("NP",)), Use("lire", ()),
        Use("obliger", ("de V", "passive")), Use("parler", ("à NP",)),
    ]  # fmt: skip


def test_frames_of_french_verbs() -> None:
    """A verb gets a frame that texts name, once it has it more often than by mistake."""
    uses = [Use("obliger", ("de V", "passive"))] * 2 + [Use("voir", ("NP",))] * 98 + [Use("voir", ("de V",))] * 2
    counts = french_frames.counts_of(uses)
    lexicon = {"obliger": {"object=yes"}, "voir": {"object=opt", "que_clause=yes"}}
    rates = french_frames.mistakes(counts, lexicon)
    assert rates["de V"] == french_frames.LEAST_MISTAKES
    assert list(french_frames.additions("obliger", lexicon["obliger"], counts, rates)) == ["de_infinitive=yes"]
    assert list(french_frames.additions("voir", lexicon["voir"], counts, rates)) == []
    assert french_frames.evidence("obliger", counts, ["de_infinitive=yes"]) == (
        "obliger\t2\tde V 2, passive 2\tde V: text\tde_infinitive=yes"
    )


def test_complements_in_derivations() -> None:
    assert list(uses_in_profile(f"{DERIVATION}\n2@no derivation", lemma)) == [Use("say", ("that",)), Use("leave", ())]


def test_dictionaries(tmp_path: Path) -> None:
    (tmp_path / "say.xml").write_text(
        '<VNCLASS ID="say-37.7-1"><MEMBERS><MEMBER name="say"/></MEMBERS><FRAMES><FRAME><SYNTAX><NP/><VERB/>'
        '<PREP value="about on"/><NP/><NP><SYNRESTRS><SYNRESTR Value="+" type="that_comp"/></SYNRESTRS></NP></SYNTAX>'
        '</FRAME></FRAMES><SUBCLASSES><VNSUBCLASS ID="say-37.7-1-1"><MEMBERS><MEMBER name="tell"/></MEMBERS>'
        "</VNSUBCLASS></SUBCLASSES></VNCLASS>",
        encoding="utf-8",
    )
    frame = ("PP-about|on", "that")
    assert verbnet(tmp_path) == VerbNet({"say": {frame}, "tell": {frame}}, {"say": {"say-37.7"}, "tell": {"say-37.7"}})
    line = "00001 32 v 02 say 0 tell 0 001 @ 00002 v 0000 02 + 26 00 + 02 01 | utter"
    assert wordnet(["  1 licence", line]) == WordNet({"say": {26, 2}, "tell": {26}}, {"say": {"32"}, "tell": {"32"}})


def test_names_of_frames() -> None:
    assert frames_of(()) == {"alone"}
    assert frames_of(("PP-to", "S")) == {"that", "S", "to NP clause"}
    assert frames_of(("passive", "that")) == {"passive that", "passive"}
    assert frames_of(("gap",)) == set()


def support_of(uses: dict[str, Counter[tuple[str, ...]]]) -> Support:
    sources = sources_of(
        (Use(verb, each) for verb, counts in uses.items() for each in counts.elements()),
        VerbNet({"whisper": {("that",)}, "kick": {("NP",)}}, {}),
        WordNet({"whisper": {26}, "kick": {8}, "murmur": {26}}, {}),
    )
    return Support(sources, {verb: {"object=yes"} for verb in uses}, {"that": 0.8})


def test_what_follows_from_sources() -> None:
    that, objects = ("that",), ("NP",)
    support = support_of(
        {
            "say": Counter({that: 20, objects: 20}),
            "kick": Counter({objects: 200}),
            "whisper": Counter({objects: 2}),
            "murmur": Counter({objects: 1}),
            **{
                verb: Counter({objects: 40})
                for verb in ("hit", "see", "eat", "buy", "cut", "lift", "use", "own", "sell")
            },
        }
    )
    assert support.of("say", "that") == ["text"]
    assert support.of("whisper", "that") == ["VerbNet", "WordNet"]
    assert support.grade("say", "that", 1.0) == "yes"
    assert support.grade("whisper", "that", 0.5) == "rare"
    assert support.grade("murmur", "that", 2.0) == "rare"  # one source
    assert support.grade("kick", "that", 2.0) == ""  # no source, and often without it
    assert support.grade("abet", "that", 0.5) == "rare"  # no source, and rare: like verbs of its class
    assert support.grade("abet", "that", 0.3) == ""  # clearly worse than the mean of the frame
    assert support.grade("say", "that", -1.0) == ""
    assert support.is_absent("kick", "that")
    assert not support.is_absent("murmur", "that")
    predicted = dict.fromkeys(RATED, -1.0)
    assert additions("whisper", {"object=yes"}, predicted | {"that": 1.0}, support) == ["that_clause=full"]
    assert additions("whisper", {"that_clause=yes"}, predicted | {"that": 1.0}, support) == []
    assert additions("kick", set(), predicted | {"that": -1.0}, support) == ["topic=no"]
    assert additions("abet", set(), predicted | {"passive wh": 0.5}, support) == ["object_wh=pass"]


def test_binomial_probability() -> None:
    assert at_least(0, 10, 0.5) == 1
    assert at_least(1, 2, 0.5) == pytest.approx(0.75)


def test_the_lexicon_is_rewritten_from_what_is_by_hand() -> None:
    lines = [
        "see\t%verb\tobject=yes that_clause=rare\t.9",
        BLOCK,
        "abet\t%verbd\tobject=yes",
        "# Counted in treebanks by x",
        "y\tAdv",
    ]
    rows, last = lexicon_by_hand(lines)
    assert [row[0] for row in rows] == ["see"]
    assert [row[0] for row in last] == ["# Counted in treebanks by x", "y"]
    new = rewritten(rows, {"see": {"that_clause=rare"}}, {"see": ["omission=rare"]})
    assert list(new) == [["see", "%verb", "object=yes omission=rare", ".9"]]


def test_new_verbs() -> None:
    support = support_of({"kick": Counter({("NP",): 3}), "murmur": Counter({(): 3}), "whisper": Counter({("NP",): 1})})
    assert list(new_verbs({"kicking"}, {"whisper"}, {}, support)) == [
        ["murmur", "%verb", "object=no"],
        ["whisper", "%verb", "object=opt", "", "plain=- s=-"],
    ]
    assert inflection("abet", {"abetted": "abet", "abetting": "abet"}) == "%verbd"
    assert inflection("see", {"saw": "see"}) == ""
    assert inflection("decry", {"decried": "decry"}) == "%verb"


def test_lemmas_do_not_depend_on_verbs_that_the_last_run_added() -> None:
    """*gripe* is in the block that a run writes anew; so equal sources give an equal lexicon."""
    assert lemmas({"grip"}, {}, set())("griped") == "grip"
    assert lemmas({"grip"}, {}, {"gripe"})("griped") == "gripe"


def test_ratings_of_verbs_with_an_odd_digest_are_left_out() -> None:
    lines = ["verb\tframe\tresponsenorm", *(f"{verb}\tNP Ved\t1" for verb in ("ask", "say", "tell", "know"))]
    assert 0 < len(ratings_in(lines)["NP Ved"]) < 4


def test_the_lexicon_has_what_the_counts_say() -> None:
    grammar = load_grammar("english")
    known = known_word(grammar, "suggested")
    assert [each.lemma for each in known.evidence] == ["suggest"]
    assert "that 160" in known.evidence[0].counts
    for verb in ("worry", "remark"):
        readings = [
            str(reading.features)
            for reading, _ in known_word(grammar, f"{verb.rstrip('y')}{'ied' if verb[-1] == 'y' else 'ed'}").readings
        ]
        added = known_word(grammar, verb).evidence[0].features.split()
        assert all(any(repr(each.split("=")[1]) in reading for reading in readings) for each in added)
    with pytest.raises(UsageError, match="not in the lexicon"):
        known_word(grammar, "suggestt")


@pytest.mark.parametrize(
    ("sentence", "well_formed", "price"),
    [
        ("Someone remarked that she left.", True, ""),
        ("Someone was reassured that she left.", True, ""),
        ("Someone was suggested that she left.", False, ""),
        ("It was suggested that she left.", True, ""),
        ("Someone was irritated that she left.", True, ""),
        ("Someone executed about it.", False, ""),
        ("She suggested about it.", False, ""),
        ("She informed him whether it was true.", True, ""),
        ("She was informed whether it was true.", True, ""),
        ("She persuaded whether it was true.", False, ""),
        ("She was congratulated they won.", True, "clause without that behind a passive"),
    ],
)
def test_frames_of_verbs(sentence: str, well_formed: bool, price: str) -> None:
    parse = Parser(load_grammar("english")).parse(sentence)
    assert parse.is_well_formed is well_formed
    assert price in {"", *(each.property.title for each in parse.priced)}
