// What a cell's runs showed: the sections of the reports, drawn by report.js.
import { ask, button, make } from "/api.js";

const PHASES = { queued: "waits", running: "runs", done: "done", failed: "failed", stopped: "stopped" };

class Results {
  constructor(pane) {
    this.pane = pane;
    this.notes = make("div", { class: "notes", "aria-live": "polite" });
    this.body = make("div", { class: "report" });
    pane.append(this.notes, this.body);
    this.shown = "";
    this.compared = false;
  }

  /** `records`: one for each device that has any; `keys`: what would run now, by device. */
  update(records, keys) {
    this.records = records;
    this.stale = records.some((record) => record.run > 0 && record.key !== keys[record.device]);
    const notes = [];
    for (const record of records) {
      const where = records.length > 1 ? `${record.device}: ` : "";
      if (record.phase === "running" || record.phase === "queued")
        notes.push(make("p", { class: "note running" }, `${where}${PHASES[record.phase]}${record.progress ? `: ${record.progress}` : ""}`));
      if (record.phase === "stopped")
        notes.push(make("p", { class: "note" }, `${where}stopped before its end${record.message ? `: ${record.message.trim()}` : ""}`));
      if (record.message && record.phase !== "stopped")
        notes.push(make("pre", { class: record.phase === "failed" ? "failure" : "remark" }, where + record.message.trim()));
      if (record.output) notes.push(make("pre", { class: "output" }, record.output.trimEnd()));
    }
    if (this.stale) notes.unshift(make("p", { class: "note stale" }, "Stale: the cell or what it uses has changed since."));
    const before = records.map((record) => record.before).filter((run) => run > 0);
    if (before.length && records.every((record) => record.run > 0))
      notes.push(make("p", { class: "note" }, button(
        this.compared ? "Hide the runs before" : "Compare with the runs before",
        () => { this.compared = !this.compared; this.update(this.records, keys); }, { class: "link" })));
    this.notes.replaceChildren(...notes);
    const runs = records.map((record) => record.run).filter((run) => run > 0);
    if (this.compared) runs.push(...before.filter((run) => !runs.includes(run)));
    this.wanted = runs.join(",");
    const over = records.map((record) => `${record.run}:${record.phase}`).join();
    if (this.visible && (this.wanted !== this.shown || over !== this.over)) this.fetch(over);
    this.body.classList.toggle("is-stale", this.stale);
  }

  /** Called when the cell comes near the window. */
  show() {
    this.visible = true;
    if (this.records) this.fetch(this.records.map((record) => `${record.run}:${record.phase}`).join());
  }

  async fetch(over) {
    const wanted = this.wanted;
    if (wanted === this.shown && over === this.over) return;
    this.over = over;
    this.shown = wanted;
    if (!wanted) { this.body.replaceChildren(); return; }
    try {
      const { html } = await ask(`/api/result?runs=${wanted}`);
      if (wanted !== this.wanted) return;
      // The server's own sections, in which every text is escaped; scripts in them do not run.
      this.body.innerHTML = html;
      for (const open of this.body.querySelectorAll("h2")) open.remove();
      globalThis.gpxReport.draw(this.body);
    } catch (error) {
      this.body.replaceChildren(make("pre", { class: "failure" }, error.text ?? error.message));
    }
  }
}

export { Results };
