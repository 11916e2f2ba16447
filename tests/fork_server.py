"""A fast command `numbat` for tests with many commands: each is a fork of a process that has loaded the program.

A command works as in a new process, in less than half of the time. `serving` starts the server and writes the command,
a client that passes on its arguments, folder, environment and streams, and exits like the fork.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
CLIENT: Final = """\
#!{python} -SE
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({path!r})
given = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(given).to_bytes(4, "big")], [0, 1, 2])
server.sendall(given)
sys.exit(int.from_bytes(server.recv(1) or b"\\1", "big"))
"""
WARM: Final = (("parse", "The cat sleeps."), ("parse", "-g", "french", "-f", "json", "Le chat dort."))
"""Commands after which a copy has to import and read little."""


@contextmanager
def serving(command: Path) -> Iterator[None]:
    """Write the command to a file, which works in the block."""
    with TemporaryDirectory() as place:
        path = os.path.join(place, "server")  # short, as the names of sockets have to be
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", path],
            cwd=ROOT,
            env=os.environ | {"PYTHONUTF8": "1", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert server.stdout is not None
        with server:
            assert server.stdout.readline() == b"ready\n"
            command.write_text(CLIENT.format(python=sys.executable, path=path), encoding="utf-8")
            command.chmod(0o755)
            try:
                yield
            finally:
                server.kill()


def main(path: str) -> None:
    from numbat import __main__

    told = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for arguments in WARM:
        _run(__main__.main, ["numbat", *arguments])
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    os.write(told, b"ready\n")
    os.close(told)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the forks are not waited for
    while True:
        client, _ = server.accept()
        if os.fork() == 0:
            server.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(client)
        client.close()


def _answer(client: socket.socket) -> None:
    """Run the command that a client hands on, and end with its exit code."""
    from numbat import __main__

    size, streams, _, _ = socket.recv_fds(client, 4, 3)
    given = b""
    while len(given) < int.from_bytes(size, "big"):
        given += client.recv(1 << 16)
    arguments, folder, environment = json.loads(given)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - they stay open
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    code = _run(__main__.main, arguments)
    client.send(code.to_bytes(1, "big"))
    os._exit(code)


def _run(run: object, arguments: list[str]) -> int:
    """Run the program as a separate process would, including flushing its output."""
    assert callable(run)
    sys.argv = arguments
    code: object = 0
    try:
        run()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()  # a copy ends without them
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = 120  # as Python ends where a stream is closed
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    main(sys.argv[1])
