"""The workbench in a browser: typing, results, saving. Skipped without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from numbat.acceptability.models import MODELS
from tests.browser import Browser, browser, worst_contrast
from tests.workbench import (
    EDITOR,
    EVIL,
    MARKED_UP,
    ROW,
    STATUS,
    TEXT,
    TINY,
    change,
    click,
    replace,
    retype,
    rewrite,
    shows_text,
    workbench,
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(opened: Browser, tmp_path: Path) -> Iterator[Browser]:
    with workbench(opened, tmp_path):
        yield opened


def test_sentences_have_their_status_and_the_chosen_one_its_tree(page: Browser) -> None:
    page.shows(STATUS, ["✓ well-formed", "✗ 1 violation, cost 1"])
    shows_text(page, "#agreed", "2 of 2 are judged as their marks say")
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait("document.querySelectorAll('.violations li').length === 1")
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 1'")
    shows_text(
        page,
        ".violations button",
        '"the" should stand before "cat"  [NP: Det < N, tiny.pg:12] — cost 1',
    )
    shows_text(page, "#analysis .sr ul", "SNP, 1 violatedN catDet theVPV sleeps")


def test_pointing_at_a_violation_marks_its_daughters_and_a_click_goes_to_its_line(page: Browser) -> None:
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait("document.querySelector('.violations button')")
    page.run("document.querySelector('.violations button').dispatchEvent(new MouseEvent('mouseenter'))")
    marked = "[...document.querySelectorAll('svg .constituent{} > text')].map(each => each.textContent)"
    page.shows(marked.format(".in-conflict"), lambda found: sorted(found) == ["Det", "N"])
    page.shows(marked.format(".place"), ["NP ✗"])
    page.run("document.querySelector('.violations button').click()")
    page.shows(f"{EDITOR}.state.doc.lineAt({EDITOR}.state.selection.main.head).number", 12)
    page.wait("document.querySelector('.violations li.cited')")


def test_a_mistake_of_the_grammar_stands_at_its_place_and_the_analysis_stays(page: Browser) -> None:
    rewrite(page, TINY.replace("Det < N", "Det < Noun"))
    page.wait("document.querySelector('#problems button.error')")
    shows_text(
        page,
        "#problems li",
        'tiny.pg:12: "Noun" is not a construction or a leaf'
        "declare it with 'leaves: Noun' or give it a form with 'Noun:'",
    )
    page.wait(f"{EDITOR}.dom.querySelector('.cm-lintRange-error')")
    mark = f"{EDITOR}.dom.querySelector('.cm-lintRange-error')"
    page.shows(
        f"[{mark}.textContent, {EDITOR}.state.doc.lineAt({EDITOR}.posAtDOM({mark})).number]",
        [
            "Noun",
            12,
        ],
    )
    page.shows("document.querySelector('#stale').hidden", False)
    page.shows("Boolean(document.querySelector('.tree svg'))", True)
    rewrite(page, TINY.replace("  Det < N\n", ""))
    page.wait("document.querySelector('#stale').hidden && !document.querySelector('#problems .error')")
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait(f"{STATUS}[0] === '✓ well-formed'")


def test_a_reload_brings_all_back_and_save_refuses_what_changed_on_the_disk(page: Browser, tmp_path: Path) -> None:
    rewrite(page, TINY.replace("uniq V", "oblig V"))
    retype(page, ROW.format(2), "? sleeps")
    page.wait("Object.values(localStorage).some(each => each.includes('oblig V') && each.includes('? sleeps'))")
    page.go(page.run("location.href"))
    page.wait("document.querySelectorAll('.status b').length === 2")
    page.shows(TEXT, lambda found: "oblig V" in found)
    page.shows("document.querySelectorAll('#sentences textarea')[1].value", "? sleeps")
    click(page, "Save", "header")
    page.wait("document.querySelector('#told').textContent === 'tiny.pg saved'")
    assert "oblig V" in (tmp_path / "tiny.pg").read_text(encoding="utf-8")
    (tmp_path / "tiny.pg").write_text("# of somebody else\n", encoding="utf-8")
    click(page, "Save", "header")
    page.wait("!document.querySelector('#wrong').hidden")
    shows_text(page, "#wrong", "tiny.pg has changed on the disksave it under another name, or open it again")
    assert (tmp_path / "tiny.pg").read_text(encoding="utf-8") == "# of somebody else\n"
    page.shows(TEXT, lambda found: "oblig V" in found)


def test_questions_about_a_sentence(page: Browser) -> None:
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait("document.querySelectorAll('.violations li').length === 1")
    shows_text(page, ".suggestion", '→ swap "cat" and "the": the cat sleeps')
    page.run("document.querySelector('.constituent[data-number=\"1\"]').dispatchEvent(new MouseEvent('click'))")
    page.shows("document.querySelector('.row input[type=text]').value", "0-2:NP")
    retype(page, ".row input[type=text]", "1-3:VP")
    click(page, "Why not?")
    page.wait("document.querySelector('.answer p')")
    shows_text(page, ".answer p", lambda found: found.startswith('no analysis has VP over "the sleeps": '))
    click(page, "Suggest changes")
    page.wait("document.querySelector('.answer button')")
    click(page, "Take “the cat sleeps”", ".answer")
    page.wait(f"{STATUS}[0] === '✓ well-formed'")
    retype(page, ROW.format(1), "the dog sleeps")
    page.wait(f"{STATUS}[0].includes('unknown: dog')")
    click(page, "Suggest changes")
    click(page, "Add “dog” to the lexicon", ".answer")
    page.wait(f"{STATUS}[0] === '✓ well-formed'")
    page.shows(TEXT, lambda found: "lexicon:\n    dog: N\n" in found)


def test_a_tree_is_fitted_zoomed_folded_and_listed(page: Browser) -> None:
    drawing = "document.querySelector('#analysis .tree svg')"
    scale = f"{drawing}.getAttribute('width') / {drawing}.viewBox.baseVal.width"
    room = "document.querySelector('#analysis .tree').clientWidth"
    retype(page, ROW.format(1), "the cats the cat the cats the cat the cats sleeps")
    page.wait(f"{drawing}.viewBox.baseVal.width > 700")
    page.wait(f"Math.abs({drawing}.getAttribute('width') - {room}) < 2")
    fitted = page.run(scale)
    page.run("document.querySelector('#analysis .tree').focus()")
    page.press("+", 187)
    page.shows(scale, pytest.approx(fitted * 1.25))
    page.press("ArrowRight", 39)
    page.shows("document.querySelector('#analysis .tree').scrollLeft", lambda found: found > 0)
    page.press("0", 48)
    page.shows(scale, pytest.approx(fitted))
    page.run("document.querySelector('#analysis .fold').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.wait("document.querySelectorAll('#analysis svg .folded').length === 1")
    page.run("document.querySelector('.folds').open = true")
    click(page, "NP", ".folds")
    page.wait("document.querySelectorAll('#analysis svg .folded').length > 1")
    change(page, "#analysis select[aria-label^=Features]", "none")
    page.wait("!document.querySelector('#analysis svg .features')")
    change(page, "#analysis select[aria-label^=Features]", "some")
    click(page, "NP", ".folds")
    page.wait("!document.querySelector('#analysis svg .folded')")
    page.resize(360)
    page.wait("document.querySelector('#analysis .tree').parentElement.hidden")
    opened = "[...document.querySelectorAll('#analysis .outline details')].map(each => each.open).join()"
    page.shows(opened, ",".join(["true"] * 7))
    page.run("""(() => {
      [...document.querySelectorAll('.folds button')].find(each => each.textContent === 'NP').click();
      // The event of an outline that has just been drawn may come so late.
      document.querySelector('#analysis .outline details details').dispatchEvent(new Event('toggle')); })()""")
    page.wait(f"{opened} === 'true,false,false,false,false,false,true'")
    change(page, "#analysis select[aria-label^=Features]", "none")
    page.wait("!document.querySelector('#analysis svg .features')")
    page.shows(opened, "true,false,false,false,false,false,true")
    page.wait("document.querySelector('#right').offsetTop < document.querySelector('#grammar').offsetTop")
    click(page, "Full screen", "#analysis")
    page.shows("document.querySelector('.viewer').getBoundingClientRect().width", 360)
    page.press("Escape", 27)
    page.shows("document.querySelector('.viewer').className", "viewer")
    page.resize(1200)
    page.wait("!document.querySelector('#analysis .tree').parentElement.hidden")
    page.wait('Object.values(localStorage).some(each => each.includes(\'"folded":["NP"]\'))')
    page.go(page.run("location.href"))
    page.wait("document.querySelectorAll('#analysis svg .folded').length > 1")
    page.ask("Emulation.setEmulatedMedia", media="print")
    visible = "['#grammar', '.bar', '.printed'].map(each => document.querySelector(each).checkVisibility())"
    page.shows(visible, [False, False, True])
    page.ask("Emulation.setEmulatedMedia", media="")
    page.run("navigator.clipboard.writeText = (text) => { window.copied = text; }")
    change(page, "#analysis select[aria-label^=Copy]", "command")
    page.wait("window.copied")
    sentence = "the cats the cat the cats the cat the cats sleeps"
    page.shows("window.copied", f"numbat parse -g tiny.pg -- '{sentence}'\n")


def test_sentences_of_a_grammar_that_is_replaced_ask_to_go(page: Browser) -> None:
    other = "# another grammar\nleaves: Noun\nroots: Phrase\nPhrase:\n    obligatory Noun\nlexicon:\n    cat: Noun\n"
    rewrite(page, other)
    click(page, "Remove them", "#replaced")
    page.shows("[...document.querySelectorAll('#sentences textarea')].map(each => each.value)", [""])
    page.shows("document.querySelector('#replaced').hidden", True)


def test_a_slider_changes_scores_and_a_switch_the_search(page: Browser) -> None:
    page.run("document.querySelector('#what-if summary').click()")
    slide = "document.querySelector('input[type=range][aria-label=\"Cost of dependency ~>\"]')"
    page.wait(slide)
    page.run(f"{slide}.value = 7; {slide}.dispatchEvent(new Event('input'))")
    page.wait(f"{STATUS}[1] === '✗ 1 violation, cost 7'")
    click(page, "As in the grammar")
    page.wait(f"{STATUS}[1] === '✗ 1 violation, cost 1'")


def test_what_is_typed_is_never_markup(page: Browser) -> None:
    retype(page, ROW.format(1), EVIL)
    page.wait(f"{STATUS}[0].includes('fragments')")
    rewrite(page, TINY + f'"{EVIL}":\n  <b class=typed>x</b>\n')
    page.wait("document.querySelector('#problems .error')")
    assert page.run(MARKED_UP) == ["Numbat workbench", 0]


def test_keys_alone_add_and_remove_sentences(page: Browser) -> None:
    page.run(f"document.querySelector({ROW.format(1)!r}).focus()")
    page.press("Enter", 13)
    page.type("sleeps the cat")
    page.wait("document.querySelectorAll('.status b').length === 3")
    page.press("ArrowUp", 38)
    page.wait("document.querySelector('#sentences li:nth-child(2)').className === 'chosen'")
    page.run("document.activeElement.value = ''")
    page.press("Backspace", 8)
    page.wait("document.querySelectorAll('#sentences li').length === 2")


def test_nothing_overflows_from_320_to_1600_px_in_light_and_dark(page: Browser) -> None:
    retype(page, ROW.format(1), "the cats the cat the cats sleeps")
    page.wait(f"{STATUS}[0].includes('violation') || {STATUS}[0].includes('fragments')")
    page.run("document.querySelector('#what-if summary').click()")
    for width in (320, 375, 600, 900, 950, 1200, 1600):
        page.resize(width)
        page.wait(f"document.documentElement.scrollWidth <= {width}")
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        assert worst_contrast(page) >= 4.5, scheme
    page.prefer("light")


def test_the_server_that_ended_is_told_and_nothing_is_lost(page: Browser) -> None:
    page.run("window.fetch = () => Promise.reject(new Error('gone'))")
    retype(page, ROW.format(1), "the cats sleep")
    page.wait("!document.querySelector('#wrong').hidden")
    shows_text(
        page, "#wrong", "Numbat does not answeris numbat serve still running? What you typed is kept in this browser."
    )
    page.shows(f"document.querySelector({ROW.format(1)!r}).value", "the cats sleep")


def test_the_notation_is_coloured_and_each_file_has_its_own_undo(page: Browser) -> None:
    colours = (
        f"['leaves', 'NP', '<'].map(word => [...{EDITOR}.dom.querySelectorAll('.cm-line span')]"
        ".find(each => each.textContent === word)).map(each => getComputedStyle(each).color)"
    )
    page.shows(colours, lambda found: len(set(found)) == 3)
    replace(page, TINY.replace("uniq V", "oblig V"))  # in one change, for two are undone together only within a moment
    page.ask("Input.dispatchKeyEvent", type="keyDown", key="z", windowsVirtualKeyCode=90, modifiers=2)
    page.ask("Input.dispatchKeyEvent", type="keyUp", key="z", windowsVirtualKeyCode=90, modifiers=2)
    page.wait(f"{TEXT}.includes('uniq V')")


def test_categories_features_and_values_are_completed(page: Browser) -> None:
    labels = f"[...{EDITOR}.dom.querySelectorAll('.cm-tooltip-autocomplete .cm-completionLabel')]"

    def offers(line: str, is_right: Callable[[list[str]], bool]) -> None:
        rewrite(page, f"{TINY}\n    {line}")
        page.shows(f"{labels}.map(each => each.textContent)", is_right)
        page.press("Escape", 27)

    page.wait("document.querySelector('#sliders input')")
    offers("De", lambda found: "Det" in found)
    offers("N[numb", lambda found: found[0] == "number")
    offers("N[number=s", lambda found: "sg" in found)


def test_the_numbers_of_sliders_are_written_into_the_grammar(page: Browser) -> None:
    page.wait("document.querySelector('#sliders input')")
    slide = "document.querySelector('input[type=range][aria-label=\"Cost of {}\"]')"
    for name, value in (("dependency ~>", 7), ("fragment", 9)):
        page.run(f"{slide.format(name)}.value = {value}; {slide.format(name)}.dispatchEvent(new Event('input'))")
    page.wait(f"{STATUS}[1] === '✗ 1 violation, cost 7'")
    click(page, "Write into the grammar")
    page.wait(f"{TEXT}.includes('NP ~> VP [number] cost 7')")
    page.shows(TEXT, TINY.replace("VP [number]", "VP [number] cost 7").replace("cost: 5", "cost: 9"))
    page.wait("document.querySelector('.slider output').textContent.startsWith('(')")
    page.wait(f"{STATUS}[1] === '✗ 1 violation, cost 7'")


def test_weights_and_single_properties_have_sliders_and_go_into_the_grammar(page: Browser) -> None:
    page.wait("document.querySelector('#sliders input')")
    retype(page, ROW.format(1), "cat the sleeps")
    page.run("document.querySelector('#what-if summary').click()")
    page.run("[...document.querySelectorAll('#sliders summary')].forEach(each => each.click())")
    slide = "document.querySelector('input[type=range][aria-label=\"{}\"]')"

    def move(name: str, value: float) -> None:
        page.wait(slide.format(name))
        page.run(f"{slide.format(name)}.value = {value}; {slide.format(name)}.dispatchEvent(new Event('input'))")

    move("Cost of linearity <", 3)
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 3'")
    move("Cost of NP: Det < N", 6)
    page.wait(f"{STATUS}[0] === '≠ ✗ 1 violation, cost 6'")
    change(page, "#model", "net")
    before = page.run(f"{STATUS}[0]")
    move("Weight of dependency ~>", 4)
    page.wait(f"{STATUS}[0] !== {json.dumps(before)}")
    click(page, "Write into the grammar")
    page.wait(f"{TEXT}.includes('cost 6')")
    lines = [line for line in page.run(TEXT).split("\n") if "cost" in line and "fragment" not in line]
    assert lines == ["  Det < N cost 6", "  NP < VP cost 3", "  NP ~> VP [number] weight 4 cost 1"]
    page.wait("document.querySelector('.slider output').textContent.startsWith('(')")


def test_a_session_that_is_lost_is_asked_for_twice(page: Browser) -> None:
    rewrite(page, TINY.replace("uniq V", "oblig V"))
    click(page, "Start over", "header")
    shows_text(page, "#anew", "Lose what you typed?")
    page.shows(TEXT, lambda found: "oblig V" in found)
    click(page, "Lose what you typed?", "header")
    page.wait(f"{TEXT} === {json.dumps(TINY)}")
    shows_text(page, "#anew", "Start over")


def test_a_span_is_chosen_by_two_clicks_and_typed_over(page: Browser) -> None:
    words = "document.querySelectorAll('#analysis svg .word')"
    page.run(f"{words}[0].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    page.run(f"{words}[1].dispatchEvent(new MouseEvent('click', {{bubbles: true, shiftKey: true}}))")
    page.shows("document.querySelector('#analysis input[type=text]').value", "0-2:")
    page.type("VP")
    click(page, "Why not?")
    page.wait("document.querySelector('.answer p')")
    shows_text(page, ".answer p", lambda found: found.startswith('no analysis has VP over "the cat": '))


def test_the_phases_of_a_sentence_round_by_round(page: Browser) -> None:
    retype(page, ROW.format(1), "cat the sleeps")
    page.wait(f"{STATUS}[0].includes('1 violation')")
    page.run("document.querySelector('#phases summary').click()")
    page.wait("document.querySelector('#rounds .phases')")
    click(page, "Next round", "#rounds")
    heads = "[...document.querySelectorAll('#rounds .phases summary')].slice(0, 2).map(each => each.textContent)"
    page.shows(heads, ["Assignation: 24 out", "Checkpoint Alpha: 24 in, 9 out, H1 drops 14, H2 drops 1"])
    shows_text(
        page,
        "#rounds .phases",
        lambda found: 'H2: VP[number=sg] 2-3 does not begin where N[number=sg] "cat" 0-1 ends' in found,
    )
    while page.run("!document.querySelectorAll('#rounds .row button')[1].disabled"):
        page.run("document.querySelectorAll('#rounds .row button')[1].click()")
    shows_text(page, "#rounds li", lambda found: found.endswith("cost 1"))


def test_parses_stand_side_by_side_and_two_sentences_are_compared(page: Browser) -> None:
    retype(page, ROW.format(1), "cat the sleeps")
    change(page, "#analysis input[type=number]", "3")
    click(page, "Side by side")
    page.wait("document.querySelectorAll('.beside figure .tree svg').length > 1")
    shows_text(page, ".beside figure:nth-child(2)", lambda found: "only here: " in found)
    change(page, "#analysis select", "* the cats sleeps")
    page.wait("document.querySelectorAll('.answer .beside svg').length === 2")
    shows_text(page, ".answer > ul", lambda found: "S: NP ~> VP [number] violated 1 times more in the second" in found)


def test_a_long_sentence_wraps_and_stays_one_line(page: Browser) -> None:
    field = f"document.querySelector({ROW.format(1)!r})"
    page.resize(375)
    low = page.run(f"{field}.clientHeight")
    retype(page, ROW.format(1), "the cats the cat the cats the cat\nthe cats the cat the cats the cats sleeps")
    page.shows(f"{field}.value.split('the').length", 9)
    assert page.run(f"[{field}.value.includes('\\n'), {field}.scrollHeight <= {field}.clientHeight]") == [False, True]
    assert page.run(f"{field}.clientHeight") > 1.5 * low
    page.run(f"{field}.setSelectionRange(0, 0)")
    page.press("ArrowDown", 40)  # to the next line of the sentence
    page.shows(f"document.activeElement === {field} && {field}.selectionStart > 0", True)
    page.run(f"{field}.setSelectionRange({field}.value.length, {field}.value.length)")
    page.press("ArrowDown", 40)
    page.shows("document.querySelector('#sentences li:nth-child(2)').className", "chosen")


def test_the_suite_beside_the_grammar_is_open(page: Browser, tmp_path: Path) -> None:
    """Both in a new session, and in a stored one that has no suite yet."""
    (tmp_path / "suite.txt").write_text("the cat sleeps\n* cat the sleeps\nthe cat sleep\n", encoding="utf-8")
    told = "document.querySelector('#suite-says')?.textContent"
    says = "suite.txt: 2 pass, 1 fail, 0 undecided; 0 changed since the last save"
    page.go(page.run("location.href"))
    page.shows(told, says)
    page.shows("[...document.querySelectorAll('#shown option')].map(each => each.textContent)", [
        "tiny.pg – first file", "suite.txt – judged sentences",
    ])  # fmt: skip
    click(page, "Start over", "header")
    click(page, "Lose what you typed?", "header")
    page.shows(told, says)
    page.shows("document.querySelector('#shown').value", "tiny.pg")


def test_a_suite_whose_stars_name_properties(page: Browser) -> None:
    text = "the cat sleeps\n* [S: NP ~> VP [number]] the cats sleeps\n* [NP: Det < N] the cats sleeps\n"
    page.run(f"""(() => {{
      const files = new DataTransfer(), input = document.querySelector('#files');
      files.items.add(new File([{json.dumps(text)}], 'named.txt'));
      input.files = files.files; input.dispatchEvent(new Event('change')); }})()""")
    page.wait(
        "document.querySelector('#suite-says')?.textContent === 'named.txt: 2 pass, 1 fail, 0 undecided; "
        "bad for another reason: 1 of 2 that name a property; 0 changed since the last save'"
    )
    page.shows(
        "document.querySelector('.verdicts li').textContent",
        lambda found: found.startswith('3✗ * the cats sleepsbad for another reason: S: NP ~> VP [number]; "cats" has '),
    )
    retype(page, ROW.format(1), "* [NP: Det < N] the cats sleeps")
    page.wait(f"{STATUS}[0] === '✗ 1 violation, cost 1'")


def test_a_suite_of_five_hundred_and_what_an_edit_changes_in_it(page: Browser) -> None:
    lines = [f"{'* ' if i % 2 else ''}the cat{'s' * (i % 2)} sleeps" for i in range(498)]
    text = "\n".join([*lines, "cat the sleeps", "* the cat sleep"]) + "\n"
    page.run(f"""(() => {{
      const files = new DataTransfer(), input = document.querySelector('#files');
      files.items.add(new File([{json.dumps(text)}], 'judged.txt'));
      input.files = files.files; input.dispatchEvent(new Event('change')); }})()""")
    told = "document.querySelector('#suite-says')?.textContent"
    page.wait(f"{told} === 'judged.txt: 499 pass, 1 fail, 0 undecided; 0 changed since the last save'")
    first = "document.querySelector('.verdicts li').textContent"
    page.shows(first, lambda found: found.startswith("499✗ cat the sleeps"))
    page.shows(f"{STATUS}[0]", "✓ well-formed")
    change(page, "#shown", "tiny.pg")
    rewrite(page, TINY.replace("  Det < N\n", ""))
    page.wait(f"{told} === 'judged.txt: 500 pass, 0 fail, 0 undecided; 1 changed since the last save'")
    page.shows(first, lambda found: found.startswith("499✓ cat the sleepswas fail"))
    click(page, "What does it cover?")
    page.wait("document.querySelector('#verdicts table')")
    shows_text(page, "#verdicts table", lambda found: "S: NP ~> VP [number]" in found)
    click(page, "✓ cat the sleeps", "#verdicts")
    page.wait(f"{STATUS}[2] === '✓ well-formed'")


def test_a_suite_is_judged_as_a_whole(page: Browser) -> None:
    """A `?` in line 1 has to be better than a `*` in line 26."""
    lines = ["? cat sleeps the", "* the cat the sleeps", *["the cats sleep"] * 23, "* the cat sleep", "the cat sleeps"]
    page.run(f"""(() => {{
      const files = new DataTransfer(), input = document.querySelector('#files');
      files.items.add(new File([{json.dumps(chr(10).join(lines))}], 'ranks.txt'));
      input.files = files.files; input.dispatchEvent(new Event('change')); }})()""")
    told = "document.querySelector('#suite-says')?.textContent"
    page.wait(f"{told} === 'ranks.txt: 26 pass, 1 fail, 0 undecided; 0 changed since the last save'")
    page.shows("document.querySelector('.verdicts li').textContent", lambda found: found.startswith("1✗ ? cat sleeps"))


def test_a_lexicon_and_a_grammar_are_opened_together(page: Browser) -> None:
    page.run("""(() => {
      const files = new DataTransfer(), input = document.querySelector('#files');
      files.items.add(new File(['cat\\tN\\n'], 'words.tsv'));
      files.items.add(new File(['leaves: N\\nlexicon_file: "words.tsv"\\nNP:\\n    uniq N\\n'], 'mine.pg'));
      input.files = files.files; input.dispatchEvent(new Event('change')); })()""")
    page.shows("[...document.querySelectorAll('#shown option')].map(each => each.value)", ["words.tsv", "mine.pg"])
    shows_text(page, "#shown option:checked", "mine.pg – first file")
    shows_text(page, "#of", "one of 2 files")
    retype(page, ROW.format(1), "cat")
    page.wait(f"{STATUS}[0] === '✓ well-formed'")


def test_every_gradience_model_can_be_chosen(page: Browser) -> None:
    page.shows("[...document.querySelectorAll('#model option')].map(each => each.value)", list(MODELS))
