"""The state of a learner after a pass, in a file from which learning goes on: arrays of numpy (npz), and no objects.

The array `about` has in JSON what the state is of: the settings, the examples, how many passes were made.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import UnwritableError
from numbat.learning.states import no_state, state_of_others
from numbat.learning.trees.structured import Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

About = Mapping[str, Any]
"""What a state is of, by what it is called in messages: values of JSON."""
VERSION: Final = 1


class StateFile:
    """The file of a state. Without `resume` what is there is of another run, and is written over.

    `more` is what the state is of beside what a learner knows. Where the state cannot be written `complain` is told,
    once, and learning goes on without. Raises DataError for a file that is no state.
    """

    def __init__(
        self,
        path: str,
        resume: bool = False,
        more: About | None = None,
        complain: Callable[[UnwritableError], object] = lambda error: None,
    ) -> None:
        self.path, self._more, self._complain = path, more or {}, complain
        self._is_writable = True
        self._found: dict[str, NDArray[Any]] = _arrays(path) if resume and os.path.exists(path) else {}
        self.about: About = _about(path, self._found) if self._found else {}
        """What the state is of that was found; empty where none was."""

    def restore(self, learner: Learner, about: About) -> tuple[int, bool]:
        """Set a learner to the state that was found: how many passes it has made, and whether these are all.

        Raises DataError for a state of other learning.
        """
        if not self._found:
            return 0, False
        for name, value in {**self._more, **about}.items():
            if self.about.get(name) != value:
                raise state_of_others(self.path, f"{name} was {self.about.get(name)}, now {value}")
        try:
            learner.restore(self._found)
            done, whole = self.about["passes made"], self.about["whole"]
            if type(done) is not int or done < 1 or type(whole) is not bool:
                raise ValueError("it does not say how many passes were made")
        except (KeyError, ValueError) as error:
            raise no_state(self.path, error) from None
        self._found = {}
        return done, whole

    def write(self, learner: Learner, about: About, done: int, whole: bool) -> None:
        """Write the state after so many passes."""
        import numpy as np

        if not self._is_writable:
            return
        text = json.dumps({"version": VERSION, **self._more, **about, "passes made": done, "whole": whole})
        columns = {"about": [np.frombuffer(text.encode(), np.uint8)], **learner.columns()}
        new = f"{self.path}.part"
        try:
            with zipfile.ZipFile(new, "w") as archive:
                for name, parts in columns.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                        form = np.lib.format.header_data_from_array_1_0(parts[0][:0])
                        np.lib.format.write_array_header_1_0(file, {**form, "shape": (sum(map(len, parts)),)})
                        for part in parts:
                            file.write(part.tobytes())
            os.replace(new, self.path)
        except OSError as error:
            _remove(new)
            self._is_writable = False
            self._complain(UnwritableError(self.path, error.strerror))
        except BaseException:
            _remove(new)
            raise

    @property
    def is_there(self) -> bool:
        """Whether there is a state to go on with."""
        return os.path.exists(self.path)

    def remove(self) -> None:
        """The run is whole: nothing is left to go on with."""
        _remove(self.path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def _arrays(path: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file. Raises DataError for what is no state."""
    import numpy as np

    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, TypeError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise no_state(path, error) from None


def _check_size(path: str) -> None:
    """Raises ValueError where arrays would be larger than the file, for its own are not packed."""
    if not os.path.isfile(path):
        raise ValueError("it is no file")
    with zipfile.ZipFile(path) as archive:
        if any(
            each.compress_type != zipfile.ZIP_STORED or each.file_size > each.compress_size
            for each in archive.infolist()
        ):
            raise ValueError("its arrays are packed")


def _about(path: str, found: Mapping[str, NDArray[Any]]) -> About:
    try:
        about = json.loads(found["about"].tobytes().decode())
        if not isinstance(about, dict) or about.get("version") != VERSION:
            raise ValueError("it does not say what it is of")
    except (KeyError, ValueError, RecursionError) as error:
        raise no_state(path, error) from None
    return about
