"""UDPipe 1, a peer that learns tokens, tags, lemmas and dependencies from a treebank (`pip install ufal.udpipe`).

It uses the Trainer with default settings and without early stopping. `python -m tests.bench.peers.udpipe` runs in a
separate process, so that another Python may have the package: `train TRAIN MODEL`; `gold MODEL DEV OUT` parses the
words of a treebank with all their gold columns; `lines MODEL TEXT OUT` takes one sentence per line, `text MODEL TEXT
OUT` running text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

INSTALL = "ufal.udpipe is not here: pip install ufal.udpipe, or name a Python that has it with --udpipe-python"
FORMATS = {"gold": "conllu", "lines": "tokenizer=presegmented", "text": "tokenize"}


def udpipe() -> Any:
    """Return the module. Ends the process if it is not installed."""
    try:
        from ufal import udpipe as module  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        sys.exit(INSTALL)
    return module


def train(path: str, model: str) -> None:
    module = udpipe()
    reader = module.InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    error, sentences, sentence = module.ProcessingError(), module.Sentences(), module.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = module.Sentence()
    _check(error)
    default = module.Trainer.DEFAULT
    found = module.Trainer.train("morphodita_parsito", sentences, module.Sentences(), default, default, default, error)
    _check(error)
    Path(model).write_bytes(found)


def annotate(how: str, model: str, path: str, out: str) -> None:
    module = udpipe()
    loaded = module.Model.load(model)
    if loaded is None:
        sys.exit(f"{model}: no model of UDPipe")
    tagger = module.Pipeline.NONE if how == "gold" else module.Pipeline.DEFAULT
    pipeline = module.Pipeline(loaded, FORMATS[how], tagger, module.Pipeline.DEFAULT, "conllu")
    error = module.ProcessingError()
    found = pipeline.process(Path(path).read_text(encoding="utf-8"), error)
    _check(error)
    Path(out).write_text(found, encoding="utf-8")


def _check(error: Any) -> None:
    if error.occurred():
        sys.exit(error.message)


if __name__ == "__main__":
    (train if sys.argv[1] == "train" else annotate)(*sys.argv[2 if sys.argv[1] == "train" else 1 :])
