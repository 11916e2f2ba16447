"""Tries a release, or prepares it: `python -m tools.release VERSION [--write] [--keep FOLDER]`.

A dry run changes nothing here. It copies what git knows, writes the version, the dates and the section of the changelog
into the copy, checks licences and citation, builds both distributions, installs each wheel in an empty environment
without a compiler, runs the first commands of the README there, and ends with the checksums and the text of the tag.
`--write` writes the same into the files of the project if all of that went well.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
VERSION: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
CHANGELOG: Final = "CHANGELOG.md"
UNRELEASED: Final = "## [Unreleased]\n"
LONG: Final = 20
"""Lines that a section of the changelog has at most, if people are to read it."""
MOST_BYTES: Final = 2_300_000
"""Of a wheel of the program."""
TOOLS: Final = ("build", "reuse", "cffconvert")
"""What is installed into an environment of its own."""
COMMANDS: Final = 1
"""So many of the README's commands are run by what each wheel installs."""


class Place(NamedTuple):
    """A place that tells the version, or the date of it: group 1 of the pattern, in one line of a file."""

    file: str
    pattern: str
    is_date: bool = False


PLACES: Final = (
    Place("numbat/version.py", r'^__version__ = "(.*)"$'),
    Place("models/numbat_pg_models/__init__.py", r'^__version__ = "(.*)"$'),
    Place("pyproject.toml", r'"numbat-pg-models==([^"]*)"'),
    Place("CITATION.cff", r"^version: (.*)$"),
    Place("CITATION.cff", r"^date-released: (.*)$", is_date=True),
    Place("codemeta.json", r'^  "version": "(.*)",$'),
    Place("codemeta.json", r'^  "dateModified": "(.*)",$', is_date=True),
)
"""All of them but the section of the changelog."""


class ReleaseError(Exception):
    """What stands in the way of a release, and what to do."""


def told(place: Place, texts: Mapping[str, str]) -> str:
    """Return what a place tells. Raises ReleaseError where it is not there, or there twice."""
    found = re.findall(place.pattern, texts[place.file], re.MULTILINE)
    if len(found) != 1:
        raise ReleaseError(
            f"{place.file}: {len(found)} lines are like {place.pattern}, and one has to be\n"
            "  put the line right there, or the pattern in tools/release.py"
        )
    return str(found[0])


def check_version(version: str, present: str) -> None:
    """Raises ReleaseError for what is no version, or none that may follow the present one."""
    if VERSION.fullmatch(version) is None:
        raise ReleaseError(f'"{version}" is no version\n  give three numbers, as in 1.2.0')
    major, minor, patch = (int(part) for part in present.split("."))
    following = (f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}.0", f"{major + 1}.0.0")
    if version not in following:
        raise ReleaseError(
            f"{version} does not follow {present}\n  give {', '.join(following[:-1])} or {following[-1]}"
        )


def section_of(changelog: str) -> str:
    """Return what is told of the version that comes, without its heading. Raises ReleaseError where nothing is."""
    _, found, rest = changelog.partition(UNRELEASED)
    section = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not found or not section:
        raise ReleaseError(f"{CHANGELOG}: nothing stands under [Unreleased]\n  write there what a user notices")
    return section


def changed(texts: Mapping[str, str], version: str, day: str) -> dict[str, str]:
    """Return the texts of the files with the version and the date in all places. Raises ReleaseError."""
    new = dict(texts)
    for place in PLACES:
        told(place, new)
        value = day if place.is_date else version
        new[place.file] = re.sub(
            place.pattern,
            lambda found, value=value: found[0].replace(found[1], value),
            new[place.file],
            flags=re.MULTILINE,
        )
    new[CHANGELOG] = new[CHANGELOG].replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day}\n", 1)
    return new


def texts_of(root: Path) -> dict[str, str]:
    """Return the texts of all files that a release changes, by their paths."""
    names = dict.fromkeys((*(place.file for place in PLACES), CHANGELOG))
    return {name: (root / name).read_text(encoding="utf-8") for name in names}


def tag_text(version: str, section: str) -> str:
    """Return the message of the tag: the section of the changelog as plain text."""
    plain = re.sub(r"\[([^][]*)\]\([^)]*\)", r"\1", section)
    return f"Numbat {version}\n\n{re.sub(r'^#+ ', '', plain, flags=re.MULTILINE)}\n"


# What is built, and what is looked at of it


def first_commands(readme: str) -> list[tuple[str, str]]:
    """Return the first commands of the README that need no other file, each with what it prints."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL):
        for each in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = each.partition("\n")
            found.append((command, printed.rstrip("\n")))
    return found[:COMMANDS]


def problems_of(files: list[Path], version: str) -> list[str]:
    """Return what is wrong with the names and sizes of what was built."""
    wanted = {
        f"numbat_pg-{version}.tar.gz": "the source of the program",
        f"numbat_pg-{version}-cp311-abi3-": "the compiled wheel; is there a C compiler?",
        f"numbat_pg-{version}-py3-none-any.whl": "the wheel without compiled modules",
        f"numbat_pg_models-{version}.tar.gz": "the source of the models",
        f"numbat_pg_models-{version}-py3-none-any.whl": "the wheel of the models",
    }
    names = [path.name for path in files]
    found = [f"{what} was not built" for name, what in wanted.items() if not any(map(re.compile(name).match, names))]
    for path in files:
        size = path.stat().st_size
        if path.suffix == ".whl" and path.name.startswith("numbat_pg-") and size > MOST_BYTES:
            found.append(f"{path.name} has {size:,} bytes, {MOST_BYTES:,} are allowed: look what has come into it")
    return found


def run(*command: str | Path, folder: Path, environment: Mapping[str, str] | None = None, code: int = 0) -> str:
    """Return what a command prints. Raises ReleaseError where it ends otherwise than by this code."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != code:
        last = "\n  ".join((done.stderr or done.stdout).strip().splitlines()[-12:])
        raise ReleaseError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n  {last}")
    return done.stdout


def copied(target: Path) -> None:
    """Copy the files that git knows."""
    for name in run("git", "ls-files", "-z", folder=ROOT).split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def program_in(folder: Path, name: str) -> Path:
    """Return a program of a virtual environment."""
    return folder / ("Scripts" if os.name == "nt" else "bin") / name


def installed(folder: Path, *what: str | Path) -> None:
    """Make a virtual environment that has some distributions."""
    if not folder.exists():
        run(sys.executable, "-m", "venv", folder, folder=folder.parent)
    run(program_in(folder, "python"), "-m", "pip", "install", "-q", *what, folder=folder.parent)


def built(project: Path, out: Path, tools: Path) -> list[Path]:
    """Build the distributions of a copy of the project, each wheel from the source distribution."""
    python, pure = program_in(tools, "python"), {**os.environ, "NUMBAT_PURE": "1"}
    plain = {name: value for name, value in os.environ.items() if name != "NUMBAT_PURE"}
    for environment, folder in ((plain, "."), (pure, "."), (plain, "models")):
        run(python, "-m", "build", "-o", out, folder, folder=project, environment=environment)
    return sorted(out.iterdir())


def try_wheel(wheel: Path, models: Path, readme: str, room: Path) -> Iterator[str]:
    """Install a wheel in an empty environment and use it without a compiler; yield what was done."""
    installed(room, wheel)
    work = room / "work"
    work.mkdir()
    environment = {
        "PATH": str(program_in(room, "")),
        "HOME": str(work),
        "NUMBAT_CACHE": str(work / "cache"),
        "PYTHONUTF8": "1",
        **{name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ},
    }
    numbat = program_in(room, "numbat")
    is_pure = wheel.name.endswith("-py3-none-any.whl")
    version = run(numbat, "--version", folder=work, environment=environment)
    if ("compiled kernel" in version) == is_pure:
        raise ReleaseError(f"{wheel.name}: it says {version.splitlines()[0]}\n  see what setup.py left out")
    yield f"{wheel.name}: {version.splitlines()[0]}"
    for command, printed in first_commands(readme):
        words = re.findall(r'"[^"]*"|\S+', command)[1:]
        found = run(numbat, *(word.strip('"') for word in words), folder=work, environment=environment).rstrip("\n")
        if found != printed:
            raise ReleaseError(f"{wheel.name}: {command}\n  does not print what README.md says, but\n{found}")
        yield f"{wheel.name}: {command}: as README.md says"
    ewt = ("parse", "-g", "ewt", "--tagged", "the/DT cat/NN")
    run(numbat, *ewt, folder=work, environment=environment, code=69)
    installed(room, models)
    run(numbat, *ewt, folder=work, environment=environment)
    yield f"{wheel.name}: ewt only with the models"


def checksums(files: list[Path]) -> list[str]:
    """Return the SHA-256 of each file, as `sha256sum -c` reads it."""
    return [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files]


def tried(new: Mapping[str, str], version: str, keep: Path | None) -> Iterator[str]:
    """Build and try the version in a folder of its own; yield what was done. Raises ReleaseError."""
    with TemporaryDirectory() as place:
        project, tools, out = Path(place, "project"), Path(place, "tools"), Path(place, "dist")
        copied(project)
        for name, text in new.items():
            (project / name).write_text(text, encoding="utf-8")
        installed(tools, *TOOLS)
        run(program_in(tools, "reuse"), "lint", "-q", folder=project)
        yield "licences: reuse lint passes"
        run(program_in(tools, "cffconvert"), "--validate", folder=project)
        yield "CITATION.cff: valid"
        files = built(project, out, tools)
        yield from (f"built: {path.name}, {path.stat().st_size:,} bytes" for path in files)
        if problems := problems_of(files, version):
            raise ReleaseError("\n".join(problems))
        *_, models = (path for path in files if path.name.startswith("numbat_pg_models-") and path.suffix == ".whl")
        readme = (project / "README.md").read_text(encoding="utf-8")
        for number, wheel in enumerate(path for path in files if path.suffix == ".whl" and path != models):
            yield from try_wheel(wheel, models, readme, Path(place, f"room{number}"))
        yield "\n".join(("checksums:", *checksums(files)))
        if keep is not None:
            shutil.copytree(out, keep, dirs_exist_ok=True)


def main(arguments: list[str] | None = None) -> int:
    """Try a release; the exit code is 1 where something stands in its way."""
    parser = argparse.ArgumentParser(description="Try a release in a copy of the project; nothing here is changed.")
    parser.add_argument("version", help="the version that comes, as in 1.2.0")
    parser.add_argument("--write", action="store_true", help="write version, dates and changelog if all goes well")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what is built")
    parser.add_argument("--date", default=date.today().isoformat(), help="the date of the version (default: today)")
    given = parser.parse_args(arguments)
    try:
        texts = texts_of(ROOT)
        check_version(given.version, told(PLACES[0], texts))
        section = section_of(texts[CHANGELOG])
        new = changed(texts, given.version, given.date)
        lines = sum(1 for line in section.splitlines() if line)
        if lines > LONG:
            print(f"! {CHANGELOG}: {lines} lines under [Unreleased]; people read {LONG}: make them fewer")
        if run("git", "status", "--porcelain", folder=ROOT):
            print("! git status: there is what no commit has; a release is made of commits")
        for line in tried(new, given.version, given.keep):
            print(line, flush=True)
    except ReleaseError as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    if given.write:
        for name, text in new.items():
            (ROOT / name).write_text(text, encoding="utf-8")
    print(f"\ntag v{given.version}:\n\n{tag_text(given.version, section)}")
    print("written; now" if given.write else "nothing was changed; --write writes it; then", end=" ")
    print(f".ci/run on a clean clone, a commit with {given.version} in its subject, and the tag")
    return 0


if __name__ == "__main__":
    sys.exit(main())
