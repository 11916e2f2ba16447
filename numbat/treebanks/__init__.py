"""Treebanks: annotated trees, read from many formats, scored, judged, and turned into grammars.

- `reading`: `read_treebank` (begin here) streams the sentences of a file, each with a tree.
- `formats`, `notes`: which format a file has, and what is told of many sentences in one line.
- `trees`, `brackets`, `sinica`: phrase structure with its labels; `crossing`, `negra`, `tiger_xml`: with
  crossing branches.
- `conllu`, `malttab`, `projective`: dependency trees, and how crossing links are lifted.
- `converting`, `heads`: conversions between trees, parses and JSON; head tables and dependencies.
- `tagged_sentences`, `sentences`, `tree_reader`: words and tags of any file; as inputs of a parser; trees for verbs.
- `dependencies`, `ud_maps`, `arcs`: dependencies of a parse in CoNLL-U, the maps from grammars to Universal
  Dependencies, and how they are drawn.
- `rule_counts`, `induce`, `induced`: counts of a treebank, and the Property Grammar induced from them; `telling`,
  `example_phrases`: which of its properties tell most, and phrases that show them; `featured`: properties with
  features.
- `links`, `morphology`, `running_text`: what a treebank teaches of relations and marks, of FEATS and lemmas, and of
  where sentences end and which written words are several; `material`: what it lacks for a grammar of one language.
- `scores`, `link_scores`: bracket scores (evalb) and scores of dependencies (CoNLL 2018); `verdicts`: what trees
  satisfy and violate.
- `corruptions`, `judgement`: sentences made worse on purpose, and how acceptable a sentence is to a treebank.
- `verbs`, `report`: what the command line calls, and what shows it.
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
