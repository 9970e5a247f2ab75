// What a cell's runs showed: the sections of the reports, drawn by report.js. A run that goes on is
// drawn again as its points come.
import { ask, later, make } from "/api.js";
import { BankNote } from "/bank_note.js";
import { Comparison } from "/compare.js";

const PHASES = { queued: "waits", running: "runs", done: "done", failed: "failed", stopped: "stopped" };
const LIVE_MS = 300;

/** The run that is shown of a record: the one before, until the new one has its first points. */
const shownRun = (record) => record.run || record.before;
const goesOn = (record) => record.phase === "running" || record.phase === "queued";

/** Whether the run before it is shown in its place. */
const isBefore = (record) => !record.run && (goesOn(record) || record.phase === "failed" || record.phase === "stopped");

class Results {
  constructor(view, pane) {
    this.view = view;
    this.notes = make("div", { class: "notes", "aria-live": "polite" });
    this.body = make("div", { class: "report" });
    this.comparison = new Comparison(view);
    this.banks = new BankNote(view);
    pane.append(this.notes, this.banks.element, this.body, this.comparison.element);
    this.drawn = "";
    this.again = later(LIVE_MS, () => this.fetch());
  }

  update() {
    this.records = this.view.list();
    const { page, cell } = this.view;
    const keys = Object.fromEntries(page.devices.map((device, i) => [device, cell.keys[i]]));
    const isStale = (record) => shownRun(record) > 0 && (record.key !== keys[record.device] || isBefore(record));
    const stale = this.records.some(isStale);
    const changed = this.records.some((record) => record.run > 0 && record.key !== keys[record.device]);
    const notes = changed ? [make("p", { class: "note stale" }, "Stale: the cell or what it uses has changed since.")] : [];
    for (const record of this.records) notes.push(...this.notesOf(record));
    this.notes.replaceChildren(...notes);
    this.body.classList.toggle("is-stale", stale);
    this.wanted = this.records.map((record) => [shownRun(record), record.phase, record.progress].join(":")).join();
    this.comparison.update();
    this.banks.update();
    if (this.visible) this.fetch();
  }

  notesOf(record) {
    const where = this.records.length > 1 ? `${record.device}: ` : "", message = record.message.trim();
    const notes = [];
    const isNow = this.view.isNow(record);
    if (goesOn(record))
      notes.push(make("p", { class: "note running" }, `${where}${PHASES[record.phase]}${record.progress ? `: ${record.progress}` : ""}`));
    if (record.phase === "stopped")
      notes.push(make("p", { class: "note" }, `${where}stopped before its end${message ? `: ${message}` : ""}`));
    else if (record.phase === "failed" && !isNow)  // What it says is about another text.
      notes.push(make("p", { class: "note" }, `${where}the last run failed; the text has changed since`));
    else if (message)
      notes.push(make("pre", { class: record.phase === "failed" ? "failure" : "remark" }, where + message));
    if (isBefore(record) && record.before > 0)
      notes.push(make("p", { class: "note stale" }, `${where}below: from run ${record.before}, before ${record.phase === "failed" ? "the error" : "this run"}`));
    if (record.output) notes.push(make("pre", { class: "output" }, record.output.trimEnd()));
    return notes;
  }

  /** Called when the cell comes near the window. */
  show() {
    this.visible = true;
    if (this.records) this.fetch();
  }

  /** One at a time, and no more often than a page can follow. */
  async fetch() {
    if (this.fetching || this.wanted === this.drawn) return;
    const wanted = this.wanted, runs = this.records.map(shownRun).filter((run) => run > 0);
    this.fetching = true;
    try {
      this.draw(runs.length ? (await ask(`/api/result?runs=${runs.join()}`)).html : "");
    } catch (error) {
      this.body.replaceChildren(make("pre", { class: "failure" }, error.text ?? error.message));
    }
    this.drawn = wanted;
    this.fetching = false;
    if (this.wanted !== wanted) this.again();
  }

  /** Sections of the server's own making, in which every text is escaped; scripts in them do not run.
   *  Charts keep their zoom, what was open stays open, and the focus stays where it is. */
  draw(html) {
    const focus = this.body.contains(document.activeElement) ? document.activeElement : null;
    const summaries = () => [...this.body.querySelectorAll("summary")];
    const open = new Set(summaries().filter((one) => one.parentElement.open).map((one) => one.textContent));
    this.body.innerHTML = html;
    const titles = [...this.body.querySelectorAll("h2")];
    if (titles.length === 1) {  // The cell has its name.
      titles[0].parentElement.removeAttribute("aria-labelledby");
      titles[0].remove();
    }
    for (const one of summaries()) one.parentElement.open = open.has(one.textContent);
    globalThis.gpxReport.draw(this.body);
    if (focus?.isConnected) focus.focus({ preventScroll: true });
    else if (focus) summaries().find((one) => one.textContent === focus.textContent)?.focus({ preventScroll: true });
  }
}

export { Results };
