"""Treebanks: annotated trees, read from many formats, scored, judged, and turned into grammars.

- `reading`: `read_treebank` (begin here) streams the sentences of a file, each with a tree.
- `formats`, `notes`: recognise the format of a file; notes on many sentences in one line.
- `trees`, `brackets`, `sinica`: phrase structure with its labels; `crossing`, `negra`, `tiger_xml`: with
  crossing branches.
- `conllu`, `malttab`, `penn_pos`, `projective`: dependency trees, tagged words, and lifting of crossing links.
- `converting`, `heads`: conversions between trees, parses and JSON; head tables and dependencies.
- `tagged_sentences`, `sentences`, `tree_reader`: words and tags of any file; inputs of a parser; trees for verbs.
- `dependencies`, `ud_maps`, `arcs`: dependencies of a parse in CoNLL-U, maps from grammars to Universal Dependencies,
  and drawings.
- `rule_counts`, `induce`, `induced`: counts of a treebank, and the Property Grammar induced from them; `telling`,
  `example_phrases`: the gain of properties, and phrases that show them; `featured`: properties with features.
- `links`, `morphology`, `running_text`: relations and punctuation, FEATS and lemmas, ends of sentences, words and
  multiword tokens, all learned from a treebank; `material`: what a treebank lacks for a grammar of one language.
- `scores`, `link_scores`: bracket scores (evalb) and scores of dependencies (CoNLL 2018); `verdicts`: satisfied and
  violated properties of trees.
- `corruptions`, `judgement`: sentences made worse on purpose, and a model of acceptability.
- `verbs`, `report`: functions of the command line, and their reports.
"""

__all__ = [
    "arcs",
    "brackets",
    "conllu",
    "converting",
    "corruptions",
    "crossing",
    "dependencies",
    "induce",
    "induced",
    "judgement",
    "link_scores",
    "links",
    "material",
    "morphology",
    "notes",
    "projective",
    "reading",
    "report",
    "rule_counts",
    "running_text",
    "scores",
    "sentences",
    "tagged_sentences",
    "tree_reader",
    "trees",
    "ud_maps",
    "verbs",
    "verdicts",
]
