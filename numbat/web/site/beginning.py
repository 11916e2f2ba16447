"""What a page shows before Python has started: the grammars by name, and the texts of the one to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numbat.grammar.loading import find
from numbat.web.facade import Facade
from numbat.web.grammar_texts import digest_of
from numbat.web.requests import GrammarText
from numbat.web.serving.folder import Folder

Beginning = dict[str, Any]


def beginning_with(grammar: str) -> Beginning:
    """The beginning of a page with a packaged grammar, or with a grammar file and the files that it names.

    `name` is that under which the browser keeps what is typed. Raises MissingFileError and DataError.
    """
    path = Path(grammar)
    grammars = _answer({"call": "grammars"})
    if find(grammar) != path:
        name = grammar.removesuffix(".pg").removesuffix(".yaml")
        texts = _answer({"call": "packaged", "given": {"name": name}})
        return {"grammar": name, "name": f"page:{name}", "grammars": grammars, "packaged": texts}
    opened = Folder(path.absolute().parent, path.name).grammar()
    files = {each.name: each.text for each in opened}
    own = {"name": path.stem, "about": f"the grammar of this page, {path.name}"}
    others = [each for each in grammars["grammars"] if each["name"] != path.stem]
    return {
        "grammar": path.stem,
        "name": f"page:{digest_of(GrammarText(path.name, files))[:16]}",
        "grammars": {**grammars, "grammars": [own, *others]},
        "packaged": {"main": path.name, "files": files},
    }


def _answer(request: Beginning) -> Any:
    return Facade().answer(request)["answer"]
