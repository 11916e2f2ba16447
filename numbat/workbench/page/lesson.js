// A lesson: the tasks and hints of an exercise, and marks while the student works.

import { byId, counted, element } from "./dom.js";

export class Lesson {
  /** `bench` is the workbench; its state has the name and text of the exercise, the step, and the number of hints shown. */
  constructor(bench) {
    Object.assign(this, { bench, place: byId("lesson"), exercise: null, items: [], follow: null });
  }

  /** Opens the session of an exercise where it was left, or from its beginning. */
  async open({ name, text }, isAnew = false) {
    const key = `exercise:${name.replace(/\.exercise\.ya?ml$/, "")}`;
    await this.bench.sessions.open(key, () => this.begun({ name, text }), isAnew);
  }

  /** The beginning of a session with an exercise. */
  async begun(given) {
    const found = await this.bench.backend.call("exercise", { given });
    const { main, files, packaged } = found.grammar;
    return { main, shown: main, files, packaged, sentences: this.sentencesOf(found, 0), lesson: { name: found.name, text: found.text, step: 0, hints: 0 } };
  }

  /** Shows the lesson of the open session, or hides it if there is none. */
  async show() {
    const { lesson } = this.bench.state;
    this.place.hidden = true;
    this.items = [];
    this.follow = null;
    this.exercise = lesson && (await this.bench.safely(() => this.bench.backend.call("exercise", { given: { name: lesson.name, text: lesson.text } })));
    this.draw();
  }

  /** The sentences of a step with their marks, as they would be typed. */
  sentencesOf(exercise, step) {
    const lines = exercise.text.split("\n");
    return exercise.steps[step].lines.map((line) => lines[line - 1].trim().replace(/^- +/, ""));
  }

  /** Marks the work by all sentences of the exercise. */
  async mark() {
    const { lesson } = this.bench.state;
    if (!lesson || !this.exercise) return;
    const answer = await this.bench.judging.askOfSuite("suite", { text: lesson.text, name: lesson.name }, "lesson");
    if (!answer || this.bench.state.lesson !== lesson) return;
    this.items = answer.items;
    this.follow = answer.hints;
    this.draw();
  }

  /** The number of sentences in these lines that are judged right, and the number of lines. */
  marks(lines) {
    const items = this.items.filter((each) => lines.includes(each.line));
    return [items.filter((each) => each.verdict === "pass").length, lines.length];
  }

  draw() {
    const { exercise } = this;
    this.place.hidden = !exercise;
    if (!exercise) return;
    const { lesson } = this.bench.state;
    const step = exercise.steps[lesson.step];
    const [right, number] = this.marks(step.lines);
    const [all, of] = this.marks(exercise.steps.flatMap((each) => each.lines));
    const isLast = lesson.step + 1 === exercise.steps.length;
    const isSolved = right === number;
    const wrong = this.items.filter((each) => each.verdict !== "pass" && step.lines.includes(each.line));
    const told = !this.items.length ? "" : isSolved ? (all === of ? "All sentences of the exercise are judged right. Save your grammar, or share it." : isLast ? "This step is solved; sentences of an earlier step are judged wrongly." : "This step is solved.") : "";
    this.place.replaceChildren(
      element("h2", { id: "lesson-title" }, exercise.title),
      element("div", { className: "row" }, exercise.steps.length > 1 ? exercise.steps.map((each, i) => this.stepButton(each, i)) : ""),
      exercise.steps.length > 1 ? element("h3", {}, step.title) : "",
      element("div", { className: "task", dir: "auto" }, paragraphs(step.task)),
      this.hints(step),
      element("p", {}, element("meter", { min: 0, max: number, value: right, "aria-label": "Sentences of this step that are judged right" }), " ",
        element("b", { id: "marks", role: "status" }, `${right} of ${number} right${exercise.steps.length > 1 ? `; ${all} of ${of} in all` : ""}`), told ? ` ${told}` : ""),
      element("ul", { className: "plain wrongly" }, wrong.map((each) => this.item(each))),
      element("p", { className: "faint" }, "The sentences by which you are marked are in the file of the exercise: a page cannot hide them. numbat test -g GRAMMAR EXERCISE -f json marks in the same way."));
  }

  stepButton(step, index) {
    const [right, number] = this.marks(step.lines);
    const mark = this.items.length && right === number ? "✓ " : "";
    return element("button", { type: "button", "aria-pressed": String(index === this.bench.state.lesson.step), title: step.title, onclick: () => this.goTo(index) }, `${mark}Step ${index + 1}`);
  }

  /** The hints that fit the current mistakes, the nearest first. */
  hints(step) {
    const { lesson } = this.bench.state;
    const hints = this.follow?.[lesson.step] ?? step.hints;
    if (!hints.length) return "";
    const more = element("button", { type: "button", disabled: lesson.hints >= hints.length, onclick: () => {
      lesson.hints += 1;
      this.bench.keepSoon();
      this.draw();
      this.place.querySelector(".hints button").focus();
    } }, lesson.hints ? "Another hint" : "A hint");
    const left = Math.max(0, hints.length - lesson.hints);
    return element("div", { className: "hints", "aria-live": "polite" }, element("ol", {}, hints.slice(0, lesson.hints).map((each) => element("li", { dir: "auto" }, each))),
      more, element("span", { className: "faint" }, left ? ` ${counted(left, "hint")} left` : " no more hints"));
  }

  item({ sentence, judgement, verdict, reason, explained }) {
    const typed = judgement === "ok" ? sentence : `${judgement} ${sentence}`;
    const mark = verdict === "undecided" ? "?" : "✗";
    return element("li", {}, element("button", { type: "button", dir: "auto", title: "Analyse this sentence", onclick: () => this.bench.take({ sentence, judgement }) }, `${mark} ${typed}`),
      element("small", {}, [reason, ...explained].filter(Boolean).join("; ")));
  }

  /** Goes to another step: its sentences come into the list, and those of the student stay. */
  goTo(index) {
    const { lesson } = this.bench.state;
    const given = new Set(this.exercise.steps.flatMap((_, i) => this.sentencesOf(this.exercise, i)));
    const own = this.bench.list.sentences.filter((each) => each.trim() && !given.has(each));
    Object.assign(lesson, { step: index, hints: 0 });
    this.bench.list.show([...this.sentencesOf(this.exercise, index), ...own]);
    this.bench.typed();
    this.draw();
  }
}

function paragraphs(text) {
  return text.split(/\n\s*\n/).map((each) => element("p", {}, each.replace(/\s+/g, " ")));
}
