"""The language server: an editor's requests in over standard input, answers and diagnostics out.

Requests are answered on one thread, grammars are checked on another. A request that fails is an error for that request:
the server goes on.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from numbat.editor import answers
from numbat.editor.answers import Places, Units
from numbat.editor.documents import Documents, GrammarDocument, kept_until_checked
from numbat.editor.names import GrammarSymbol, NamePlace
from numbat.errors import NumbatError, Problem, UsageError
from numbat.version import __version__
from numbat.workbench.session import SupersededError

LANGUAGE: Final = "numbat"
"""The name of the notation among the languages of an editor."""
MAX_SHOWN: Final = 1_000
"""Diagnostics of a file that are sent."""
PAUSE: Final = 0.02
"""So many seconds after a keystroke a check begins: what an editor asks at once is answered first, and while somebody
types on nothing is checked in vain."""
SWITCH: Final = 0.001
"""After so many seconds a request gets its turn while a grammar is checked."""

T = TypeVar("T")
AtPlace = lsp.DefinitionParams | lsp.DocumentHighlightParams | lsp.RenameParams | lsp.ReferenceParams
"""Questions about what stands at a place."""

logger = logging.getLogger(__name__)


class Checker(Thread):
    """The second thread: checks grammars whose texts have changed, the last change first of all.

    A check gives up as soon as there is another change; `publish` is called after each that has ended.
    """

    def __init__(self, documents: Documents, publish: Callable[[], None], complain: Callable[[str], None]) -> None:
        super().__init__(name="numbat-checker", daemon=True)
        self._documents, self._publish, self._complain = documents, publish, complain
        self._changed = Condition()
        self._version = self._done = 0

    def ask(self) -> None:
        """Check everything that has changed, soon."""
        with self._changed:
            self._version += 1
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
            try:
                self._check_all(known, version)
                self._done = version
                self._publish()
                if self._test_all(version):
                    self._publish()
            except SupersededError:
                continue
            except Exception as error:  # this thread goes on whatever happens
                logger.exception("check of what is open")
                self._complain(f"Numbat has a mistake: {type(error).__name__}: {error}")
                self._done = version

    def _check_all(self, known: dict[Path, object], version: int) -> None:
        """Check each grammar whose texts are not as they were. Raises SupersededError at another change.

        A check may tell that one file begins a grammar, or no longer, so that the rest is asked for after each.
        """
        while True:
            mains = self._documents.mains()
            self._documents.keep(mains)
            for path in known.keys() - {*mains}:
                del known[path]
            states = ((each, self._state(each)) for each in mains)
            main, state = next((both for both in states if known.get(both[0]) != both[1]), (None, None))
            if main is None:
                return
            try:
                self._documents.check(main, lambda: self._version != version)
            except NumbatError as error:
                if isinstance(error, SupersededError):
                    raise
                self._complain(f"{main}: {error}")
            except Exception as error:
                logger.exception("check of %s", main)
                self._complain(f"Numbat has a mistake: {type(error).__name__}: {error}\n  in the check of {main}")
            # what has changed in the meantime, or was not known to be a part of it, may not have been seen
            known[main] = state if state == self._state(main) else None

    def _test_all(self, version: int) -> bool:
        """Judge the suites next to the grammars; True if anything had changed. Raises SupersededError."""
        has_changed = False
        for main in self._documents.mains():
            try:
                has_changed |= self._documents.test(main, lambda: self._version != version)
            except SupersededError:
                raise
            except Exception as error:
                logger.exception("suite of %s", main)
                self._complain(f"{main}: its suite cannot be tested: {error}")
        return has_changed

    def _state(self, main: Path) -> object:
        checked = self._documents.checked.get(main)
        files = (main, *(checked.files if checked else ()))
        return [(path, document.text if (document := self._documents.get(path)) else None) for path in files]


class EditorServer:
    """What an editor is answered; `language_server` has the protocol."""

    def __init__(self) -> None:
        self.documents = Documents()
        self.language_server = LanguageServer(LANGUAGE, __version__, lsp.TextDocumentSyncKind.Full)
        self._uris: dict[Path, str] = {}
        self._shown: dict[Path, list[Problem]] = {}
        self._versions: dict[Path, int] = {}
        self._judged: dict[Path, int | None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._checker = Checker(self.documents, partial(self._later, self._show_checked), self._complain)
        self._register()

    def _register(self) -> None:
        def feature(name: str, options: Any = None) -> Callable[[Callable[[Any], Any]], object]:
            return lambda method: self.language_server.feature(name, options)(_function(method))

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

    def start(self) -> None:
        """Answer over standard input and output until the editor ends."""
        sys.setswitchinterval(SWITCH)
        self._checker.start()
        self.language_server.start_io()

    # Texts as they open, change and close

    def did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """A text was opened."""
        self._loop = asyncio.get_running_loop()
        given = params.text_document
        path = self._path(given.uri, given.language_id)
        self._uris[path] = given.uri
        self.documents.open[path] = GrammarDocument(path, given.text)
        self._versions[path] = given.version
        self._checker.ask()

    def did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """A text has changed: its mistakes of notation are told at once, all others when the grammar was checked."""
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
        """A text was closed: the file on the disk counts from now on."""
        path = self._path(params.text_document.uri)
        self.documents.close(path)
        self._versions.pop(path, None)
        self._judged.pop(path, None)
        self._show_checked()
        self._checker.ask()

    def files_changed(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        """Files have changed on the disk."""
        self._checker.ask()

    # Diagnostics

    def _show_checked(self) -> None:
        """Send the diagnostics of all files that were checked, and take back those of others."""
        if not self._checker.is_done:
            return  # there is another version already
        checked = {path for each in list(self.documents.checked.values()) for path in each.files}
        checked |= {path for tested in list(self.documents.tested.values()) for path in tested.suites}
        for path in sorted({*checked, *self.documents.open, *self._shown}):
            problems = self.documents.diagnostics(path) if path in checked or path in self.documents.open else []
            is_new = path in self.documents.open and self._judged.get(path) != self._versions.get(path)
            if is_new or problems != self._shown.get(path, []):
                self._publish(path, problems)
                self._judged[path] = self._versions.get(path)
        self._shown = {path: each for path, each in self._shown.items() if path in checked or each}
        able = self.language_server.client_capabilities.workspace or lsp.WorkspaceClientCapabilities()
        if able.inlay_hint is not None and able.inlay_hint.refresh_support:
            self.language_server.workspace_inlay_hint_refresh(None)
        if able.code_lens is not None and able.code_lens.refresh_support:
            self.language_server.workspace_code_lens_refresh(None)

    def _publish(self, path: Path, problems: Sequence[Problem]) -> None:
        self._shown[path] = [*problems]
        places = self._places(self.documents.get(path) or GrammarDocument(path, ""))
        told = [answers.diagnostic(problem, places) for problem in problems[:MAX_SHOWN]]
        params = lsp.PublishDiagnosticsParams(self._uri(path), told, self._versions.get(path))
        self.language_server.text_document_publish_diagnostics(params)

    def _later(self, function: Callable[[], None]) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(function)

    def _complain(self, message: str) -> None:
        params = lsp.LogMessageParams(lsp.MessageType.Error, message)
        self._later(lambda: self.language_server.window_log_message(params))

    # Questions about a text

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What a name or a property means."""
        document, places = self._asked(params.text_document)
        found = answers.hover(self.documents, document, *places.place(params.position))
        return None if found is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found))

    def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        """Where a name is defined; of an included file, its beginning."""
        document, symbol = self._symbol(params)
        if symbol is None:
            return []
        if symbol.kind == "file":
            files = [grammar_document.path for grammar_document in self.documents.project(document.path)]
            named = [path for path in files if symbol.name in (path.name, path.stem) or str(path).endswith(symbol.name)]
            start = lsp.Position(0, 0)
            return [lsp.Location(self._uri(path), lsp.Range(start, start)) for path in named]
        found = self.documents.occurrences(document.path, symbol)
        return [self._location(*each) for each in found if each[1].is_definition]

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """All places of a name in the files of its grammar."""
        document, symbol = self._symbol(params)
        found = [] if symbol is None else self.documents.occurrences(document.path, symbol)
        is_asked = params.context.include_declaration
        return [self._location(*each) for each in found if is_asked or not each[1].is_definition]

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """All places of a name in one text."""
        document, symbol = self._symbol(params)
        found = [] if symbol is None else self.documents.occurrences(document.path, symbol)
        places = self._places(document)
        return [lsp.DocumentHighlight(places.of(place)) for file, place in found if file is document]

    def completion(self, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        """What can stand at a place."""
        document, places = self._asked(params.text_document)
        line, column = places.place(params.position)
        return answers.completions(self.documents, document, line, document.character(line, column))

    def symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """Constructions with their properties, and sections."""
        return answers.symbols(*self._asked(params.text_document))

    def folds(self, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        """What can be folded."""
        return answers.folds(self._asked(params.text_document)[0])

    def formatting(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """What gives a text the usual layout."""
        return answers.formatting(*self._asked(params.text_document))

    def semantic_tokens(self, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        """The kinds of all names."""
        return lsp.SemanticTokens(answers.semantic_tokens(self.documents, *self._asked(params.text_document)))

    def costs(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """What properties cost that do not say it."""
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        return answers.costs_beside(self.documents, *self._asked(params.text_document), lines)

    def violations(self, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """How often the suites next to the grammar violate each construction."""
        return answers.violations_of_constructions(self.documents, *self._asked(params.text_document))

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        """The range of a name that can be renamed."""
        document, places = self._asked(params.text_document)
        found = answers.symbol_at(self.documents, document, *places.place(params.position))
        if found is None:
            return None
        with_refusal(lambda: answers.check_renaming(self.documents, document, found[0], self._roots()))
        return places.of(found[1])

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """The edits of all files that give a name another one."""
        document, symbol = self._symbol(params)
        if symbol is None:
            return None
        edits = with_refusal(lambda: answers.renamed(self.documents, document, symbol, params.new_name, self._roots()))
        changes = {
            self._uri(path): [lsp.TextEdit(self._places(self._document(path)).of(place), text) for place, text in found]
            for path, found in edits.items()
        }
        return lsp.WorkspaceEdit(changes)

    def fixes(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """What mends the mistakes of a range."""
        document, places = self._asked(params.text_document)
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        found = []
        for problem in self._shown.get(document.path, ()):
            for title, line, column, end, text in (
                answers.fixes(document, problem) if problem.span.line in lines else ()
            ):
                where = lsp.Range(places.position(line, column), places.position(line, end))
                edit = lsp.WorkspaceEdit({params.text_document.uri: [lsp.TextEdit(where, text)]})
                mended = [answers.diagnostic(problem, places)]
                found.append(lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, mended, edit=edit))
        return found

    # Paths and places

    def _asked(self, given: lsp.TextDocumentIdentifier) -> tuple[GrammarDocument, Places]:
        document = self._document(self._path(given.uri))
        return document, self._places(document)

    def _document(self, path: Path) -> GrammarDocument:
        """Raises JsonRpcInvalidParams for a text that there is none of."""
        document = self.documents.get(path)
        if document is None:
            raise JsonRpcInvalidParams(f"{path} is not open, and cannot be read")
        return document

    def _symbol(self, params: AtPlace) -> tuple[GrammarDocument, GrammarSymbol | None]:
        document, places = self._asked(params.text_document)
        found = answers.symbol_at(self.documents, document, *places.place(params.position))
        return document, None if found is None else found[0]

    def _places(self, document: GrammarDocument) -> Places:
        agreed = lsp.PositionEncodingKind(self.language_server.workspace.position_encoding or "utf-16")
        return Places(document, Units(agreed.value))

    def _location(self, document: GrammarDocument, place: NamePlace) -> lsp.Location:
        return lsp.Location(self._uri(document.path), self._places(document).of(place))

    def _uri(self, path: Path) -> str:
        return self._uris.get(path) or str(from_fs_path(str(path)))

    def _path(self, uri: str, language: str = "") -> Path:
        """Return the path of a text; of one that was never saved, a name in the current folder."""
        known = next((path for path, each in self._uris.items() if each == uri), None)
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


def _function(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a method as a function, which pygls can mark."""

    def function(params: Any) -> Any:
        return method(params)

    return function


def with_refusal(function: Callable[[], T]) -> T:
    """Return what a function gives. Raises JsonRpcInvalidParams where it refuses, so that the editor says why."""
    try:
        return function()
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from None
