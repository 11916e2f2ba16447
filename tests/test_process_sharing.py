"""Parsers in worker processes: sent once, not with every sentence, and with the same results."""

from __future__ import annotations

import gc
import os
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from threading import Event, Thread

import pytest

from numbat import Parser, TreebankParser, UsageError, parse_grammar
from numbat.parsing import sentence_parser
from numbat.parsing.sentence_parser import SentenceParser
from numbat.parsing.treebank_grammar.expansions import parse_expansions

GRAMMAR = """
leaves: Det, N, V
roots: S
S:
    oblig VP
    NP < VP
NP:
    oblig N
    Det < N
VP:
    oblig V
    V < NP
lexicon:
    the: Det
    cat: N
    cats: N
    sees: V
"""
EXPANSIONS = """# numbat expansions/1
3\tS^TOP\tNP^S VP^S
2\tNP^S\tDet N
1\tNP^S\tN
2\tVP^S\tV NP^VP
1\tVP^S\tV
2\tNP^VP\tDet N"""
SENTENCES = ["the cat sees cats", "cats sees the cat", "the cat", "sees the the cat zog", ""] * 2
LARGE = "".join(f"    w{number}: N\n" for number in range(5_000))


def parser(kind: str, text: str = GRAMMAR) -> SentenceParser:
    grammar = parse_grammar(text)
    return (
        Parser(grammar)
        if kind == "Parser"
        else TreebankParser(grammar, parse_expansions(EXPANSIONS.splitlines(), "a.exp"))
    )


def sent(what: object) -> bytes:
    return bytes(ForkingPickler.dumps(what))


@pytest.mark.parametrize("kind", ["Parser", "TreebankParser"])
@pytest.mark.parametrize("start", get_all_start_methods())
def test_workers_find_what_is_found_here(kind: str, start: str) -> None:
    here = parser(kind)
    with ProcessPoolExecutor(2, mp_context=get_context(start)) as pool:
        found = list(pool.map(here.parse, SENTENCES))
    assert found == [here.parse(sentence) for sentence in SENTENCES]


@pytest.mark.parametrize("kind", ["Parser", "TreebankParser"])
def test_workers_that_were_there_before_find_the_same(kind: str) -> None:
    with ProcessPoolExecutor(1) as pool:
        pool.submit(len, "").result()
        here = parser(kind)
        assert list(pool.map(here.parse, SENTENCES)) == [here.parse(sentence) for sentence in SENTENCES]


@pytest.mark.parametrize("kind", ["Parser", "TreebankParser"])
def test_the_grammar_is_not_sent_with_every_sentence(kind: str) -> None:
    here = parser(kind, GRAMMAR + LARGE)
    assert len(sent((here.parse, "the cat"))) < 500
    assert len(pickle.dumps(here.parse)) > 50_000  # pickled objects are complete


def test_a_parser_is_made_once_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process sees it that was not forked with the parser."""
    here = parser("Parser")
    task = sent(here.parse)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(sentence_parser, "_parsers", {})
        elsewhere.setattr(sentence_parser, "_received", type(sentence_parser._received)())
        first, second = pickle.loads(task).__self__, pickle.loads(task).__self__
    assert first is second is not here
    assert pickle.loads(task).__self__ is here


def test_what_is_received_is_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [parser("Parser") for _ in range(sentence_parser.MAX_RECEIVED + 2)]
    tasks = [sent(each) for each in every]
    monkeypatch.setattr(sentence_parser, "_parsers", {})
    monkeypatch.setattr(sentence_parser, "_received", type(sentence_parser._received)())
    for task in tasks:
        pickle.loads(task)
    assert len(sentence_parser._received) == sentence_parser.MAX_RECEIVED


def test_files_of_parsers_that_are_gone_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_parser, "MAX_FILES", 2)
    gc.freeze()  # objects of other tests are not garbage
    for _ in range(6):
        sent(parser("Parser"))
        gc.collect()
    gc.unfreeze()
    gone = [path for key, path in sentence_parser._files.items() if key not in sentence_parser._parsers]
    assert len(gone) <= 3
    here = parser("Parser")
    sent(here)
    folder = Path(sentence_parser._files[sentence_parser._keys[here]]).parent
    assert sorted(map(str, folder.iterdir())) == sorted(sentence_parser._files.values())
    assert folder.stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_where_no_file_can_be_written_all_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(key: str, parser: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sentence_parser, "_write", full)
    here = parser("Parser")
    other = pickle.loads(sent(here))
    assert other is not here
    assert other.parse("the cat") == here.parse("the cat")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("kind", ["Parser", "TreebankParser"])
def test_a_process_that_is_forked_while_another_thread_parses_can_parse(kind: str) -> None:
    """The new process would never finish that sentence, and its tables are only partly filled."""
    here = parser(kind)
    expected = here.parse("the cat").to_brackets()
    asked, forked = Event(), Event()

    def overdue() -> bool:
        asked.set()
        forked.wait()
        return False

    busy = Thread(target=lambda: here.parse("the cat the cat the cat", overdue=overdue))
    busy.start()
    asked.wait()
    child = os.fork()
    if not child:
        signal.alarm(600)  # otherwise it would wait for ever if it cannot parse
        os._exit(0 if here.parse("the cat").to_brackets() == expected else 1)
    forked.set()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    busy.join()
    assert here.parse("the cat").to_brackets() == expected


@pytest.mark.parametrize("kind", ["Parser", "TreebankParser"])
def test_a_parser_that_is_asked_from_its_own_clock_says_so_and_does_not_wait(kind: str) -> None:
    here = parser(kind)

    def overdue() -> bool:
        here.parse("the cat")
        return False

    with pytest.raises(UsageError) as raised:
        here.parse("the cat the cat", overdue=overdue)
    assert str(raised.value) == (
        "this parser is already parsing a sentence: its clock asks it to parse another one\n"
        "  give the clock its own parser, or parse when the sentence is done"
    )
    assert here.parse("the cat").constituents
