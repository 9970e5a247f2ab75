// A cell: its editor, its controls and its results. The editor is made when the cell comes near the
// window; until then its text is a plain element, so that a thousand cells open at once.
import { ask, button, make } from "/api.js";
import { editor } from "/language.js";
import { Results } from "/results.js";

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Bytes [begin, end) of a text replaced. */
function splice(text, begin, end, value) {
  const bytes = encoder.encode(text);
  return decoder.decode(bytes.slice(0, begin)) + value + decoder.decode(bytes.slice(end));
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) entry.target.cellView.mount();
}, { rootMargin: "600px" });

const STATES = { running: "A run goes on", failed: "The last run of this text failed", stopped: "The last run of this text was stopped",
                 stale: "The cell, a parameter or a file that it uses has changed since", done: "The result is of this text" };

const lineCount = (text) => text.split("\n").length - 1;

class CellView {
  /** `page`: see page.js. `cell`: as /api/state has it. */
  constructor(page, cell) {
    this.page = page;
    this.editor = null;
    this.problems = [];
    this.records = new Map();
    this.plain = make("pre", { class: "plain", tabindex: "0", onfocus: () => this.focus(), onclick: () => this.focus() });
    this.head = make("div", { class: "cell-head" });
    this.knobs = make("div", { class: "knobs" });
    this.code = make("div", { class: "source" }, this.plain);
    this.side = make("div", { class: "side" });
    this.panes = make("div", { class: "panes" });  // Code, trace and kernels: beside the text.
    this.element = make("article", { class: "cell" }, this.head,
                        make("div", { class: "both" }, make("div", { class: "left" }, this.code, this.knobs), this.panes, this.side),
                        make("div", { class: "between" }, button("+ cell", () => page.add(this), { title: "Add a cell below" })));
    this.element.cellView = this;
    this.results = new Results(this, this.side);
    this.setText(cell.text);
    this.update(cell);
    near.observe(this.element);
  }

  setText(whole) {
    const text = whole.replace(/\s+$/, "");
    this.tail = whole.slice(text.length) || "\n";
    this.text = text;
    this.plain.textContent = text;
    this.editor?.replace(text);
  }

  /** As it stands in the file; a new cell begins behind a blank line. */
  whole() {
    if (!this.text.trim()) return "";
    return this.text + (this.tail.includes("\n") ? this.tail : "\n");
  }

  /** What the server knows of the same text. A thousand cells are not drawn again for a change of one. */
  update(cell) {
    const told = JSON.stringify([cell, this.page.devices]), same = told === this.told && this.records === this.toldOf;
    this.cell = cell;
    this.told = told;
    this.toldOf = this.records;
    if (same) return;
    this.element.dataset.kind = cell.kind;
    this.element.setAttribute("aria-label", cell.name ? `${cell.kind} ${cell.name}` : cell.kind);
    this.drawKnobs();
    this.draw();
    this.codePane?.changed();
    this.tracePane?.changed();
  }

  get canRun() { return this.cell.kind === "experiment" || this.cell.kind === "lua"; }
  get errors() { return this.problems.filter((problem) => problem.severity === 1).length; }
  /** Of what the cell says now. An attempt at another text is stale. */
  get state() {
    if (!this.list().length) return "";
    if (this.running) return "running";
    const now = this.list().filter((record) => this.isNow(record));
    for (const phase of ["failed", "stopped"]) if (now.some((record) => record.phase === phase)) return phase;
    return this.stale ? "stale" : "done";
  }
  /** Whether a record is of what the cell says now. */
  isNow(record) { return record.key === this.cell.keys[this.page.devices.indexOf(record.device)]; }
  get running() { return this.list().some((record) => record.phase === "running" || record.phase === "queued"); }
  /** Whether a device has no result of what the cell says now. */
  get stale() {
    return this.canRun && this.page.devices.some((device, i) => {
      const record = this.records.get(device);
      return !record || record.key !== this.cell.keys[i] || record.phase === "stopped";
    });
  }
  list() {
    return this.page.devices.map((device) => this.records.get(device)).filter((record) => record);
  }

  draw() {
    const { cell } = this;
    const errors = this.errors, state = this.state;
    this.element.dataset.state = state;
    this.arrange();
    const parts = [make("span", { class: "cell-name" }, cell.name || cell.kind)];
    if (this.canRun) {
      parts.push(this.running
        ? button("Stop", () => ask("/api/stop", { cells: [cell.name] }), { class: "run" })
        : button("Run", () => this.run(), { class: "run", title: "Ctrl-Enter" }));
      if (!this.running && this.list().some((record) => record.phase === "stopped" && record.run > 0))
        parts.push(button("Resume", () => ask("/api/resume", { cell: cell.name })));
      for (const extra of this.page.extras) parts.push(extra(this));
      if (state) parts.push(make("span", { class: `state ${state}`, title: STATES[state] }, state));
    }
    if (errors) parts.push(make("span", { class: "state failed" }, errors === 1 ? "1 error" : `${errors} errors`));
    parts.push(button("✕", () => this.page.remove(this), { class: "quiet", title: "Delete", "aria-label": `Delete ${cell.name || cell.kind}` }));
    // Keep what has the focus.
    const focused = this.head.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.head.replaceChildren(...parts.filter((part) => part != null));
    if (focused) {
      const buttons = [...this.head.querySelectorAll("button")];
      (buttons.find((one) => one.textContent === focused) ?? buttons.find((one) => one.className === "run"))?.focus();
    }
    if (this.canRun) this.results.update();
    this.side.hidden = !this.canRun;
  }

  /** Panes stand beside the text; without a result or a pane the text has the whole width. */
  arrange() {
    const panes = this.panes.childElementCount > 0;
    this.element.classList.toggle("coding", panes);
    this.element.classList.toggle("alone", this.canRun && !panes && !this.list().length);
  }

  /** Shows a new pane beside the text. */
  openPane(pane) {
    this.panes.append(pane);
    this.arrange();
    pane.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  drawKnobs() {
    const wanted = this.cell.knobs.filter((knob) => knob.choices.length > 0);
    const same = this.drawn?.length === wanted.length && wanted.every((knob, i) =>
      knob.name === this.drawn[i].name && knob.choices.join() === this.drawn[i].choices.join());
    if (same && this.knobs.contains(document.activeElement)) return;  // It moves just now.
    this.drawn = wanted;
    this.knobs.replaceChildren(...wanted.map((knob) => this.knob(knob)));
  }

  knob(knob) {
    const set = (value) => this.setKnob(knob.name, value);
    const at = Math.max(0, knob.choices.indexOf(knob.value));
    if (!knob.range)
      return make("label", { class: "knob" }, knob.name, make("select", { onchange: (event) => set(event.target.value) },
        ...knob.choices.map((choice) => make("option", { selected: choice === knob.value }, choice))));
    const shown = make("output", {}, knob.value);
    return make("label", { class: "knob" }, knob.name, make("input", {
      type: "range", min: 0, max: knob.choices.length - 1, step: 1, value: at, "aria-valuetext": knob.value,
      oninput: (event) => {
        const value = knob.choices[event.target.value];
        shown.textContent = value;
        event.target.setAttribute("aria-valuetext", value);
        set(value);
      } }), shown);
  }

  /** The parameter's value in the text; the places behind it move along. */
  setKnob(name, value) {
    const knob = this.cell.knobs.find((one) => one.name === name);
    if (!knob || knob.value === value) return;
    // Never into another text than the one that the server read.
    if (decoder.decode(encoder.encode(this.text).slice(knob.begin, knob.end)) !== knob.value) return;
    const text = splice(this.text, knob.begin, knob.end, value);
    const by = encoder.encode(value).length - (knob.end - knob.begin);
    for (const other of this.cell.knobs)
      if (other.begin > knob.begin) { other.begin += by; other.end += by; }
    knob.end += by;
    knob.value = value;
    this.text = text;
    this.plain.textContent = text;
    this.editor?.replace(text);
    this.page.changed();
  }

  mount() {
    near.unobserve(this.element);
    this.results.show();
    if (this.editor) return;
    const go = (act) => () => { act(); return true; };
    this.editor = editor(this.code, {
      text: this.text,
      label: () => this.cell.name ? `Text of ${this.cell.name}` : "Text of the cell",
      place: { whole: () => this.page.text(), line: () => this.page.lineOf(this) },
      changed: (text, byUser) => {
        this.text = text;
        this.plain.textContent = text;
        if (byUser) this.page.changed();
      },
      pointed: (line) => this.codePane?.lightFromEditor(line),
      focused: (has) => { if (!has) this.page.left(); },
      keys: [
        { key: "Ctrl-Enter", mac: "Cmd-Enter", run: go(() => { this.editor.closePopup(); this.run(); }) },
        { key: "Shift-Enter", run: go(() => { this.editor.closePopup(); this.run(); this.page.next(this, 1); }) },
        { key: "Alt-ArrowDown", run: go(() => this.page.next(this, 1)) },
        { key: "Alt-ArrowUp", run: go(() => this.page.next(this, -1)) },
        { key: "Shift-Alt-f", run: go(() => this.page.format()) },
      ],
    });
    this.element.classList.add("mounted");
    this.plain.tabIndex = -1;
    this.showProblems(this.problems);
  }

  focus() {
    this.mount();
    this.editor.view.focus();
  }
  get focused() { return this.editor?.view.hasFocus ?? false; }

  showProblems(problems) {
    const many = problems.length || this.problems.length;
    this.problems = problems;
    if (many) this.editor?.problems(problems, this.page.lineOf(this));
  }

  colours(map) { this.editor?.colours(map); }
  lightLine(line) { this.editor?.light(line); }

  async run() {
    await this.page.saved();  // What was a note may be an experiment now.
    if (this.canRun && this.cell.name) ask("/api/run", { cells: [this.cell.name] }).catch((error) => this.page.notice(error.message));
  }

  destroy() {
    near.unobserve(this.element);
    this.editor?.view.destroy();
    this.element.remove();
  }
}

export { CellView, lineCount };
