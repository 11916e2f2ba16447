"""Former names of modules. They work for one more version, with a warning that gives the new names."""

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
"""Former names of packages and modules, with the current ones."""


class FormerNames:
    """Finds modules by their former names; it stands last in `sys.meta_path`, so existing modules are found first."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        """Return the spec of a module with a former name, None for any other."""
        former = next((prefix for prefix in FORMER if f"{name}.".startswith(f"{prefix}.")), None)
        if former is None:
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec

        specs = [find_spec(package + name.removeprefix(former)) for package in FORMER[former]]
        now = [spec for spec in specs if spec is not None]
        if not now:
            return None
        loader: Any = self
        is_package = now[0].submodule_search_locations is not None
        return ModuleSpec(name, loader, loader_state=[spec.name for spec in now], is_package=is_package)

    def create_module(self, spec: object) -> None:
        """Let Python create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module with the names of its successors; a package has only modules."""
        assert module.__spec__ is not None
        if module.__spec__.submodule_search_locations is not None:
            return
        import warnings

        now = module.__spec__.loader_state
        message = f"{module.__name__} is now {', '.join(now)}; its former name works in this version only"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        for successor in reversed(now):
            public = {
                name: value for name, value in vars(import_module(successor)).items() if not name.startswith("__")
            }
            vars(module).update(public)


def install() -> None:
    """Make modules importable by their former names."""
    sys.meta_path.append(FormerNames())
