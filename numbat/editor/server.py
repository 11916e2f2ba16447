"""The language server: it reads an editor's requests and writes answers and diagnostics.

One thread answers requests, another one checks grammars. If a request fails, the editor gets an error for this request,
and the server continues.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import Condition, Thread, Timer
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from cattrs import transform_error
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import from_fs_path, to_fs_path

from numbat.editor import answers
from numbat.editor.answers import Places, Units
from numbat.editor.documents import Documents, GrammarDocument, kept_until_checked
from numbat.editor.messages import is_answer
from numbat.editor.names import GrammarSymbol, NamePlace
from numbat.errors import NumbatError, Problem, UsageError
from numbat.runs.children import GRACE
from numbat.version import __version__
from numbat.workbench.session import SupersededError

LANGUAGE: Final = "numbat"
"""Name of the notation as a language of an editor."""
MAX_SHOWN: Final = 1_000
"""Maximal number of diagnostics sent for a file."""
PAUSE: Final = 0.02
"""Seconds between a keystroke and a check, so that requests of the editor come first and fast typing delays checks."""
SWITCH: Final = 0.001
"""Seconds after which a check lets the thread that answers requests run."""

T = TypeVar("T")
AtPlace = lsp.DefinitionParams | lsp.DocumentHighlightParams | lsp.RenameParams | lsp.ReferenceParams
"""Parameters of requests about a place in a text."""

logger = logging.getLogger(__name__)


class Endings(NamedTuple):
    """Functions that end this process: when a check does not stop after a change, and when memory is used up."""

    replaced: Callable[[], Any]
    out_of_memory: Callable[[], Any]


class Checker(Thread):
    """The thread that checks grammars whose texts have changed.

    A check stops as soon as there is another change; `publish` is called after each complete one.
    """

    def __init__(
        self, documents: Documents, publish: Callable[[], None], complain: Callable[[str], None], endings: Endings
    ) -> None:
        super().__init__(name="numbat-checker", daemon=True)
        self._documents, self._publish, self._complain, self._endings = documents, publish, complain, endings
        self._changed = Condition()
        self._is_at_work = False
        self._timer: Timer | None = None
        """Ends this process if a check does not stop after a change; None if there was no change."""
        self._version = self._done = 0

    def ask(self) -> None:
        """Check everything that has changed, soon."""
        with self._changed:
            self._version += 1
            if self._is_at_work and self._timer is None:
                self._timer = Timer(GRACE, self._endings.replaced)
                self._timer.daemon = True
                self._timer.start()
            self._changed.notify()

    @property
    def is_done(self) -> bool:
        """True if nothing is left to be checked."""
        return self._done == self._version

    def run(self) -> None:
        """Work until the process ends."""
        known: dict[Path, object] = {}
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._done != self._version)
                version = self._version
                while self._changed.wait_for(lambda: self._version != version, PAUSE):  # noqa: B023
                    version = self._version
                self._is_at_work = True
            try:
                self._check_all(known, version)
                self._done = version
                self._publish()
                if self._test_all(version):
                    self._publish()
            except SupersededError:
                continue
            except MemoryError:
                self._endings.out_of_memory()
            except Exception as error:  # a bug must not end this thread
                logger.exception("check of the open texts")
                self._complain(f"Numbat has a bug: {type(error).__name__}: {error}")
                self._done = version
            finally:
                self._rest()

    def _rest(self) -> None:
        """Note that no check is at work."""
        with self._changed:
            self._is_at_work = False
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _check_all(self, known: dict[Path, object], version: int) -> None:
        """Check each grammar whose texts have changed. Raises SupersededError at another change.

        A check may change which files are the first of a grammar, so these are determined again after each.
        """
        while True:
            mains = self._documents.mains()
            self._documents.keep(mains)
            for path in known.keys() - {*mains}:
                del known[path]
            states = ((path, self._state(path)) for path in mains)
            main, state = next((both for both in states if known.get(both[0]) != both[1]), (None, None))
            if main is None:
                return
            try:
                self._documents.check(main, lambda: self._version != version)
            except NumbatError as error:
                if isinstance(error, SupersededError):
                    raise
                self._complain(f"{main}: {error}")
            except MemoryError:
                raise
            except Exception as error:
                logger.exception("check of %s", main)
                self._complain(f"Numbat has a bug: {type(error).__name__}: {error}\n  in the check of {main}")
            # the check may have missed texts that changed meanwhile, or that were not known to be a part of the grammar
            known[main] = state if state == self._state(main) else None

    def _test_all(self, version: int) -> bool:
        """Test the suites next to the grammars; return True if anything had changed. Raises SupersededError."""
        has_changed = False
        for main in self._documents.mains():
            try:
                has_changed |= self._documents.test(main, lambda: self._version != version)
            except (SupersededError, MemoryError):
                raise
            except Exception as error:
                logger.exception("suite of %s", main)
                self._complain(f"{main}: its suite cannot be tested: {error}")
        return has_changed

    def _state(self, main: Path) -> object:
        checked = self._documents.checked.get(main)
        files = (main, *(checked.files if checked else ()))
        return [(path, document.text if (document := self._documents.get(path)) else None) for path in files]


class EditorProtocol(LanguageServerProtocol):
    """The protocol of language servers, where every request gets an answer: one with wrong parameters an error."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return an object of a message as it is, for others may follow; `handle_message` takes the whole message."""
        return data

    def handle_message(self, message: Any) -> None:
        """Answer a message; what is no message, and a request after `shutdown`, gets an error."""
        data = message if isinstance(message, dict) else {}
        number = data.get("id")
        is_request = isinstance(number, int | str) and "method" in data
        if not self._is_message(data):
            error = JsonRpcInvalidRequest("this is not a message of JSON-RPC 2.0")
            self._refuse(number if isinstance(number, int | str) else None, error)
        elif self._shutdown and is_request:
            self._refuse(number, JsonRpcInvalidRequest("the server was shut down"))
        else:
            try:
                record = super().structure_message(data)
            except JsonRpcException as error:
                if not is_request:
                    raise
                self._refuse(number, JsonRpcInvalidParams(f"{data['method']}: {_wrong_parameters(error)}"))
            else:
                super().handle_message(record)

    def _is_message(self, data: dict[str, Any]) -> bool:
        is_called = isinstance(data.get("method"), str) or (is_answer(data) and "id" in data)
        return is_called and isinstance(data.get("id"), int | str | None) and data.get("jsonrpc") == self.VERSION

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        self._send_response(number, error=error.to_response_error())

    @property
    def was_shut_down(self) -> bool:
        """True if the editor has asked the server to shut down."""
        return self._shutdown


def _wrong_parameters(error: JsonRpcException) -> str:
    wrong = "; ".join(transform_error(error.__cause__ or error, path="request"))
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), wrong)  # as the protocol writes names


class EditorServer:
    """The handlers of an editor's requests; `language_server` implements the protocol."""

    def __init__(self, endings: Endings) -> None:
        self.documents = Documents()
        self.language_server = LanguageServer(
            LANGUAGE, __version__, lsp.TextDocumentSyncKind.Full, protocol_cls=EditorProtocol
        )
        self.exit_code = 0
        self._uris: dict[Path, str] = {}
        self._shown: dict[Path, list[Problem]] = {}
        self._versions: dict[Path, int] = {}
        self._judged: dict[Path, int | None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._checker = Checker(self.documents, partial(self._later, self._show_checked), self._complain, endings)
        self._register(endings)

    def _register(self, endings: Endings) -> None:
        def feature(name: str, options: Any = None) -> Callable[[Callable[[Any], Any]], object]:
            return lambda method: self.language_server.feature(name, options)(_function(method, endings))

        feature(lsp.EXIT)(self.exit)
        feature(lsp.TEXT_DOCUMENT_DID_OPEN)(self.did_open)
        feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(self.did_change)
        feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(self.did_close)
        feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(self.files_changed)
        feature(lsp.TEXT_DOCUMENT_HOVER)(self.hover)
        feature(lsp.TEXT_DOCUMENT_DEFINITION)(self.definition)
        feature(lsp.TEXT_DOCUMENT_REFERENCES)(self.references)
        feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)(self.highlights)
        feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["[", "="]))(self.completion)
        feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(self.symbols)
        feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)(self.folds)
        feature(lsp.TEXT_DOCUMENT_FORMATTING)(self.formatting)
        feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)(self.prepare_rename)
        feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(self.rename)
        feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))(self.fixes)
        feature(lsp.TEXT_DOCUMENT_INLAY_HINT)(self.costs)
        feature(lsp.TEXT_DOCUMENT_CODE_LENS)(self.violations)
        legend = lsp.SemanticTokensLegend([*answers.TOKEN_TYPES], [str(lsp.SemanticTokenModifiers.Declaration.value)])
        feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(self.semantic_tokens)

    def start(self, messages: BinaryIO) -> None:
        """Answer the messages of the editor, which are read and written as two streams, until it ends."""
        sys.setswitchinterval(SWITCH)
        self._checker.start()
        self.language_server.start_io(messages, messages)

    def exit(self, params: None) -> None:
        """Note whether the editor ends the server in order: its exit code says so."""
        protocol = self.language_server.protocol
        assert isinstance(protocol, EditorProtocol)
        self.exit_code = 0 if protocol.was_shut_down else 1

    # Texts that open, change and close

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Open a text."""
        self._loop = asyncio.get_running_loop()
        item = params.text_document
        path = self._path(item.uri, item.language_id)
        self._uris[path] = item.uri
        self.documents.open[path] = GrammarDocument(path, item.text)
        self._versions[path] = item.version
        self._checker.ask()

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Change a text: syntax errors are shown at once, all others after the grammar was checked."""
        path = self._path(params.text_document.uri)
        document = self.documents.open.get(path)
        text = next((change.text for change in reversed(params.content_changes)), None)
        if document is None or text is None:
            return
        before = document.lines
        document.change(text)
        self._versions[path] = params.text_document.version
        if document.is_notation:
            others = kept_until_checked(before, document.lines, self._shown.get(path, ()))
            syntax = document.outline.problems
            known = {(problem.span.line, problem.message) for problem in syntax}
            kept = [other for other in others if not other.expected and (other.span.line, other.message) not in known]
            self._publish(path, [*syntax, *kept])
        self._checker.ask()

    def did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Close a text: from now on the file on the disk counts."""
        path = self._path(params.text_document.uri)
        self.documents.close(path)
        self._versions.pop(path, None)
        self._judged.pop(path, None)
        self._show_checked()
        self._checker.ask()

    def files_changed(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        """Check again after files have changed on the disk."""
        self._checker.ask()

    # Diagnostics

    def _show_checked(self) -> None:
        """Send the diagnostics of all checked files, and withdraw those of others."""
        if not self._checker.is_done:
            return  # the texts have changed again
        checked = {path for result in list(self.documents.checked.values()) for path in result.files}
        checked |= {path for tested in list(self.documents.tested.values()) for path in tested.suites}
        for path in sorted({*checked, *self.documents.open, *self._shown}):
            problems = self.documents.diagnostics(path) if path in checked or path in self.documents.open else []
            is_new = path in self.documents.open and self._judged.get(path) != self._versions.get(path)
            if is_new or problems != self._shown.get(path, []):
                self._publish(path, problems)
                self._judged[path] = self._versions.get(path)
        self._shown = {path: problems for path, problems in self._shown.items() if path in checked or problems}
        client = self.language_server.client_capabilities.workspace or lsp.WorkspaceClientCapabilities()
        if client.inlay_hint is not None and client.inlay_hint.refresh_support:
            self.language_server.workspace_inlay_hint_refresh(None)
        if client.code_lens is not None and client.code_lens.refresh_support:
            self.language_server.workspace_code_lens_refresh(None)

    def _publish(self, path: Path, problems: Sequence[Problem]) -> None:
        self._shown[path] = [*problems]
        places = self._places(self.documents.get(path) or GrammarDocument(path, ""))
        diagnostics = [answers.diagnostic(problem, places) for problem in problems[:MAX_SHOWN]]
        params = lsp.PublishDiagnosticsParams(self._uri(path), diagnostics, self._versions.get(path))
        self.language_server.text_document_publish_diagnostics(params)

    def _later(self, function: Callable[[], None]) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(function)

    def _complain(self, message: str) -> None:
        params = lsp.LogMessageParams(lsp.MessageType.Error, message)
        self._later(lambda: self.language_server.window_log_message(params))

    # Requests about a text

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Return the meaning of a name or a property."""
        document, places = self._asked(params.text_document)
        text = answers.hover(self.documents, document, *places.place(params.position))
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        """Return the places that define a name; for an included file, its beginning."""
        document, symbol = self._symbol(params)
        if symbol is None:
            return []
        if symbol.kind == "file":
            files = [file.path for file in self.documents.project(document.path)]
            named = [path for path in files if symbol.name in (path.name, path.stem) or str(path).endswith(symbol.name)]
            start = lsp.Position(0, 0)
            return [lsp.Location(self._uri(path), lsp.Range(start, start)) for path in named]
        occurrences = self.documents.occurrences(document.path, symbol)
        return [self._location(file, place) for file, place in occurrences if place.is_definition]

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Return all places of a name in the files of its grammar."""
        document, symbol = self._symbol(params)
        occurrences = [] if symbol is None else self.documents.occurrences(document.path, symbol)
        with_definitions = params.context.include_declaration
        return [
            self._location(file, place) for file, place in occurrences if with_definitions or not place.is_definition
        ]

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """Return all places of a name in one text."""
        document, symbol = self._symbol(params)
        occurrences = [] if symbol is None else self.documents.occurrences(document.path, symbol)
        places = self._places(document)
        return [lsp.DocumentHighlight(places.of(place)) for file, place in occurrences if file is document]

    def completion(self, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        """Return the completions at a place."""
        document, places = self._asked(params.text_document)
        line, column = places.place(params.position)
        return answers.completions(self.documents, document, line, document.character(line, column))

    def symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """Return the constructions with their properties, and the sections."""
        return answers.symbols(*self._asked(params.text_document))

    def folds(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        """Return the ranges that can be folded."""
        return answers.folds(self._asked(params.text_document)[0])

    def formatting(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """Return the edit that gives a text the usual layout."""
        return answers.formatting(*self._asked(params.text_document))

    def semantic_tokens(self, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        """Return the kinds of all names."""
        return lsp.SemanticTokens(answers.semantic_tokens(self.documents, *self._asked(params.text_document)))

    def costs(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Return the costs of properties that do not state them."""
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        return answers.costs_beside(self.documents, *self._asked(params.text_document), lines)

    def violations(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Return the number of violations of each construction in the suites next to the grammar."""
        return answers.violations_of_constructions(self.documents, *self._asked(params.text_document))

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        """Return the range of a name that can be renamed."""
        document, places = self._asked(params.text_document)
        named = answers.symbol_at(self.documents, document, *places.place(params.position))
        if named is None:
            return None
        with_refusal(lambda: answers.check_renaming(self.documents, document, named[0], self._roots()))
        return places.of(named[1])

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """Return the edits of all files that rename a symbol."""
        document, symbol = self._symbol(params)
        if symbol is None:
            return None
        edits = with_refusal(lambda: answers.renamed(self.documents, document, symbol, params.new_name, self._roots()))
        changes = {
            self._uri(path): [lsp.TextEdit(self._places(self._document(path)).of(place), text) for place, text in texts]
            for path, texts in edits.items()
        }
        return lsp.WorkspaceEdit(changes)

    def fixes(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Return the fixes of the problems in a range."""
        document, places = self._asked(params.text_document)
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        actions = []
        for problem in self._shown.get(document.path, ()):
            for title, line, column, end, text in (
                answers.fixes(document, problem) if problem.span.line in lines else ()
            ):
                where = lsp.Range(places.position(line, column), places.position(line, end))
                edit = lsp.WorkspaceEdit({params.text_document.uri: [lsp.TextEdit(where, text)]})
                fixed = [answers.diagnostic(problem, places)]
                actions.append(lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, fixed, edit=edit))
        return actions

    # Paths and places

    def _asked(self, identifier: lsp.TextDocumentIdentifier) -> tuple[GrammarDocument, Places]:
        document = self._document(self._path(identifier.uri))
        return document, self._places(document)

    def _document(self, path: Path) -> GrammarDocument:
        """Return the document at a path. Raises JsonRpcInvalidParams if there is no such document."""
        document = self.documents.get(path)
        if document is None:
            raise JsonRpcInvalidParams(f"{path} is not open and cannot be read")
        return document

    def _symbol(self, params: AtPlace) -> tuple[GrammarDocument, GrammarSymbol | None]:
        document, places = self._asked(params.text_document)
        named = answers.symbol_at(self.documents, document, *places.place(params.position))
        return document, None if named is None else named[0]

    def _places(self, document: GrammarDocument) -> Places:
        agreed = lsp.PositionEncodingKind(self.language_server.workspace.position_encoding or "utf-16")
        return Places(document, Units(agreed.value))

    def _location(self, document: GrammarDocument, place: NamePlace) -> lsp.Location:
        return lsp.Location(self._uri(document.path), self._places(document).of(place))

    def _uri(self, path: Path) -> str:
        return self._uris.get(path) or str(from_fs_path(str(path)))

    def _path(self, uri: str, language: str = "") -> Path:
        """Return the path of a text; for one that was never saved, a name in the current folder."""
        known = next((path for path, known_uri in self._uris.items() if known_uri == uri), None)
        if known is not None:
            return known
        if urlsplit(uri).scheme == "file":
            return Path(to_fs_path(uri) or "")
        name = Path(unquote(urlsplit(uri).path)).name or "untitled"
        return Path.cwd() / (name if Path(name).suffix or language != LANGUAGE else f"{name}.pg")

    def _roots(self) -> list[Path]:
        workspace = self.language_server.workspace
        folders: Iterable[str] = workspace.folders or ([workspace.root_uri] if workspace.root_uri else [])
        return [Path(to_fs_path(folder) or "/dev/null") for folder in folders]


def _function(method: Callable[[Any], Any], endings: Endings) -> Callable[[Any], Any]:
    """Return a method as a function, to which pygls can add attributes."""

    def function(params: Any) -> Any:
        try:
            return method(params)
        except MemoryError:
            return endings.out_of_memory()

    return function


def with_refusal(function: Callable[[], T]) -> T:
    """Return the result of a function. Turns UsageError into JsonRpcInvalidParams, whose message the editor shows."""
    try:
        return function()
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from None
