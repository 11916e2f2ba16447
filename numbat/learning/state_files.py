"""State files from which learning of weights resumes (npz)."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import UnwritableError
from numbat.files import check_is_file, output_file
from numbat.learning.tree_learners import TreeLearner
from numbat.runs.record import WRITTEN_BY, About, check_known, no_state, state_of_others
from numbat.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray


# State of a learner after a pass: npz without objects; the array `about` has settings, examples and passes as JSON.

LEARNER_VERSION: Final = 1


class StateFile:
    """State file of a learner. Without `resume` an existing state is overwritten.

    `more` adds to the identification of the run, with `defaults` for what an older state lacks. If the state cannot be
    written, `complain` is called once and learning continues. Raises DataError for a file that is not a state,
    and UnwritableError for one that is no regular file.
    """

    def __init__(
        self,
        path: str,
        resume: bool = False,
        more: About | None = None,
        complain: Callable[[UnwritableError], object] = lambda error: None,
        defaults: About | None = None,
    ) -> None:
        check_is_file(path, "a state")
        self.path, self._more, self._complain, self._defaults = path, more or {}, complain, defaults or {}
        self._is_writable = True
        self._found: dict[str, NDArray[Any]] = _arrays(path) if resume and os.path.exists(path) else {}
        self.about: About = _about(path, self._found) if self._found else {}
        """Identification of the state found; empty if there was none."""

    def restore(self, learner: TreeLearner, about: About) -> tuple[int, bool]:
        """Restore a learner; return the passes done and whether training is complete.

        Raises DataError for the state of another run.
        """
        if not self._found:
            return 0, False
        wanted = {**self._more, **about}
        check_known(self.path, self.about, {*wanted, "version", WRITTEN_BY, "passes made", "whole"})
        for name, value in wanted.items():
            before = self.about.get(name, self._defaults.get(name))
            if before != value:
                raise state_of_others(self.path, f"{name} was {before}, now {value}")
        try:
            learner.restore(self._found)
            done, whole = self.about["passes made"], self.about["whole"]
            if type(done) is not int or done < 1 or type(whole) is not bool:
                raise ValueError("the number of passes is missing")
        except (KeyError, ValueError) as error:
            raise no_state(self.path, error) from None
        self._found = {}
        return done, whole

    def write(self, learner: TreeLearner, about: About, done: int, whole: bool) -> None:
        """Write the state after `done` passes."""
        import numpy as np

        if not self._is_writable:
            return
        of_file = {"version": LEARNER_VERSION, WRITTEN_BY: __version__}
        text = json.dumps({**of_file, **self._more, **about, "passes made": done, "whole": whole})
        columns = {"about": [np.frombuffer(text.encode(), np.uint8)], **learner.columns()}
        try:
            with output_file(self.path) as output, zipfile.ZipFile(output, "w") as archive:
                for name, parts in columns.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                        form = np.lib.format.header_data_from_array_1_0(parts[0][:0])
                        np.lib.format.write_array_header_1_0(file, {**form, "shape": (sum(map(len, parts)),)})
                        for part in parts:
                            file.write(part.tobytes())
        except OSError as error:
            self._is_writable = False
            self._complain(UnwritableError(self.path, error.strerror))

    @property
    def is_there(self) -> bool:
        """Return True if there is a state to resume from."""
        return os.path.exists(self.path)

    def remove(self) -> None:
        """Remove the file of a completed run."""
        _remove(self.path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def _arrays(path: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file. Raises DataError if it is not a state."""
    import numpy as np

    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, TypeError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise no_state(path, error) from None


def _check_size(path: str) -> None:
    """Raise ValueError if arrays claim more bytes than the file has."""
    if not os.path.isfile(path):
        raise ValueError("it is not a file")
    with zipfile.ZipFile(path) as archive:
        if any(m.compress_type != zipfile.ZIP_STORED or m.file_size > m.compress_size for m in archive.infolist()):
            raise ValueError("its arrays are compressed")


def _about(path: str, arrays: Mapping[str, NDArray[Any]]) -> About:
    try:
        about = json.loads(arrays["about"].tobytes().decode())
        if not isinstance(about, dict) or about.get("version") != LEARNER_VERSION:
            raise ValueError("it does not identify its run")
    except (KeyError, ValueError, RecursionError) as error:
        raise no_state(path, error) from None
    return about
