"""Registry of compiled modules: which exist, which are in use, and why the others are not.

Each is a C version, with equal results, of the Python module beside it. Python does the work if the C module was not
built or has another interface, or if `NUMBAT_KERNEL=python` in the environment switches all of them off.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Final, Literal, NamedTuple

from numbat.errors import UsageError

EXACT_SEARCH: Final = "numbat.parsing.exact._search"
TREEBANK_SEARCH: Final = "numbat.parsing.treebank_grammar._tabular"
TREE_MODEL: Final = "numbat.parsing.tree_model._tree_model"
VALENCE: Final = "numbat.structure._valence"
TAGGER_LOOPS: Final = "numbat.labels._kernels"
DECODING: Final = "numbat.labels._relaxation"

INTERFACE: Final = 37
"""Version of the calls and records that C and Python share; setup.py compiles it into every module.

Add 1 when a call or a record of any compiled module changes, so that older builds are no longer used.
"""


class Source(NamedTuple):
    """Description of a compiled module for messages: its work, and the slowdown of the Python version."""

    work: str
    slower: str


SOURCES: Final = {
    EXACT_SEARCH: Source("the exact search", "5 to 20 times slower"),
    TREEBANK_SEARCH: Source("the search with expansions", "50 to 100 times slower"),
    TREE_MODEL: Source("the linear model over trees", "30 to 60 times slower"),
    VALENCE: Source("the dependency model", "20 to 60 times slower"),
    TAGGER_LOOPS: Source("the inner loop of the tagger", "4 to 20 times slower"),
    DECODING: Source("decoding under constraints", "10 to 30 times slower"),
}
"""All compiled modules by name."""

SWITCHED_OFF: Final = "switched off by NUMBAT_KERNEL"
NOT_BUILT: Final = "not built"
UNUSABLE: Final = "unusable"
OTHER_INTERFACE: Final = "built for another version of Numbat"


class Kernel(NamedTuple):
    """State of a compiled module: in use, or replaced by Python with the reason."""

    name: str
    state: Literal["compiled", "python"]
    reason: str = ""

    @property
    def work(self) -> str:
        """Description of the work, for messages."""
        return SOURCES[self.name].work

    @property
    def slower(self) -> str:
        """Slowdown of the Python version, for messages."""
        return SOURCES[self.name].slower


_loaded: dict[str, tuple[ModuleType | None, str]] = {}
"""Cache: the module by name, or None with the reason."""
_tell: Callable[[Kernel], None] | None = None
_told: set[str] = set()


def wants_python() -> bool:
    """True if NUMBAT_KERNEL switches compiled modules off. Raises UsageError for an unknown value."""
    value = os.environ.get("NUMBAT_KERNEL", "")
    if value not in ("", "compiled", "python"):
        raise UsageError(
            f'NUMBAT_KERNEL is "{value}", which is not a kernel\n'
            "  set it to python or compiled, or unset it to use compiled modules where they exist"
        )
    return value == "python"


def load(name: str) -> ModuleType | None:
    """Return the compiled module, or None if the Python version must be used. Raises UsageError."""
    if wants_python():
        return None
    module, reason = _find(name)
    if module is None and _tell is not None and name not in _told:
        _told.add(name)
        _tell(Kernel(name, "python", reason))
    return module


def kernel(name: str) -> Kernel:
    """Return the state of a compiled module. Raises UsageError."""
    if wants_python():
        return Kernel(name, "python", SWITCHED_OFF)
    module, reason = _find(name)
    return Kernel(name, "python" if module is None else "compiled", reason)


def kernels() -> tuple[Kernel, ...]:
    """Return the states of all compiled modules. Raises UsageError."""
    return tuple(map(kernel, SOURCES))


def on_fallback(tell: Callable[[Kernel], None]) -> None:
    """Set a callback for the first request of each missing compiled module, unless the user has switched them off."""
    global _tell
    _tell = tell
    _told.clear()


def _find(name: str) -> tuple[ModuleType | None, str]:
    loaded = _loaded.get(name)
    if loaded is None:
        loaded = _loaded[name] = _import(name)
    return loaded


def _import(name: str) -> tuple[ModuleType | None, str]:
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        return None, NOT_BUILT
    except ImportError as error:
        return None, f"{UNUSABLE}: {error}"
    fits = getattr(module, "INTERFACE", None) == INTERFACE
    return (module, "") if fits else (None, OTHER_INTERFACE)
