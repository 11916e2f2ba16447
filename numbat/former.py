"""Former names of modules: they work for one version more, with a warning that names the new ones."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from types import ModuleType

FORMER: Final = {
    "numbat.decoding": ("numbat.labels",),
    "numbat.gradience": ("numbat.acceptability", "numbat.experiments"),
    "numbat.parsing.dependency_model": ("numbat.structure",),
    "numbat.runs.sources": ("numbat.runs.sentences", "numbat.parses.sentences", "numbat.treebanks.sentences"),
    "numbat.sequence": ("numbat.labels",),
    "numbat.treebank": ("numbat.treebanks",),
    "numbat.web": ("numbat.workbench",),
}
"""The former name of a package or module, and where what was in it is now."""


class FormerNames:
    """A finder of modules by their former names, for the end of `sys.meta_path`: it is asked for what is not there."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Return the spec of a module with a former name, None for any other."""
        former = next((each for each in FORMER if f"{name}.".startswith(f"{each}.")), None)
        if former is None:
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec

        specs = [find_spec(each + name.removeprefix(former)) for each in FORMER[former]]
        now = [spec for spec in specs if spec is not None]
        if not now:
            return None
        loader: Any = self
        is_package = now[0].submodule_search_locations is not None
        return ModuleSpec(name, loader, loader_state=[spec.name for spec in now], is_package=is_package)

    def create_module(self, spec: object) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module with the names of those that have taken its place; a package has nothing but modules."""
        assert module.__spec__ is not None
        if module.__spec__.submodule_search_locations is not None:
            return
        import warnings

        now = module.__spec__.loader_state
        told = f"{module.__name__} is now {', '.join(now)}; its former name works in this version only"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        for each in reversed(now):
            public = {name: value for name, value in vars(import_module(each)).items() if not name.startswith("__")}
            vars(module).update(public)


def install() -> None:
    """Let modules be imported by their former names."""
    sys.meta_path.append(FormerNames())
