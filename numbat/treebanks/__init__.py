"""Treebanks: annotated trees, read from many formats, scored, judged, and turned into grammars.

- `reading`: `read_treebank` (begin here) streams the sentences of a file, each with a tree.
- `formats`, `notes`: which format a file has, and what is told of many sentences in one line.
- `trees`, `brackets`, `sinica`: phrase structure with its labels; `crossing`, `negra`, `tiger_xml`: with
  crossing branches.
- `conllu`, `malttab`, `projective`: dependency trees, and how crossing links are lifted.
- `converting`, `heads`: conversions between trees, parses and JSON; head tables and dependencies.
- `tagged_sentences`: words and tags of any file, with or without punctuation.
- `dependencies`, `ud_maps`: dependencies of a parse in CoNLL-U, and the maps from grammars to Universal Dependencies.
- `links`, `morphology`, `running_text`: what a treebank teaches of relations and marks, of FEATS and lemmas, and of
   where sentences end and which written words are several.
- `scores`, `link_scores`: bracket scores (evalb) and scores of dependencies (CoNLL 2018).
- `material`: what a treebank lacks for a grammar of one language.
- `rule_counts`, `induce`, `induced`: counts of a treebank, and the Property Grammar induced from them; `telling`,
  `example_phrases`: which of its properties tell most, and phrases that show them; `featured`: properties with
  features; `grex`: rules with features, ranked.
"""

__all__ = [
    "brackets",
    "conllu",
    "converting",
    "corruptions",
    "crossing",
    "dependencies",
    "example_phrases",
    "featured",
    "formats",
    "grex",
    "heads",
    "induce",
    "induced",
    "judgement",
    "link_scores",
    "links",
    "malttab",
    "material",
    "morphology",
    "negra",
    "notes",
    "projective",
    "reading",
    "rule_counts",
    "running_text",
    "scores",
    "sinica",
    "tagged_sentences",
    "telling",
    "tiger_xml",
    "trees",
    "ud_maps",
]
