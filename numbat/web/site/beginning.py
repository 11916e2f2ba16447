"""What a page shows before Python has started: the grammars by name, and the files to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numbat.gradience.exercises import exercise_of, is_exercise
from numbat.grammar.loading import SUFFIXES, find
from numbat.web.facade import Facade
from numbat.web.serving.folder import Folder

Beginning = dict[str, Any]


def beginning_with(grammar: str, base: str = "") -> Beginning:
    """The beginning of a page with a packaged grammar, a grammar file and the files that it names, or an exercise.

    `own` has the files, `grammar` the name of a packaged one. `known` are requests that are answered already. Links
    to the page begin with `base`, empty for its address. Raises MissingFileError and DataError.
    """
    path = Path(grammar)
    asked: list[Beginning] = [{"call": "grammars", "given": {}}]
    own = None
    if find(grammar) == path:
        files = {each.name: each.text for each in Folder(path.absolute().parent, path.name).grammar()}
        own = {"main": path.name, "files": files}
        if is_exercise(path.name):
            exercise_of(files[path.name], path.name)
            asked.append({"call": "exercise", "given": {"name": path.name, "text": files[path.name]}})
    else:
        name = path.stem if path.suffix in SUFFIXES else grammar
        asked.append({"call": "packaged", "given": {"name": name}})
    facade = Facade()
    known = [{**each, "answer": facade.answer(each)["answer"]} for each in asked]
    return {"grammar": "" if own else name, "own": own, "base": base, "known": known}
