// Which layouts of shared memory conflict, and why, beside a cell's result: the sentence that Code has
// of each point, at the first and the last one.
import { ask, later, make } from "/api.js";

const MOST_POINTS = 3;

class BankNote {
  constructor(view) {
    this.view = view;
    this.element = make("div", { class: "bank-note", "aria-live": "polite" });
    this.soon = later(200, () => this.fetch());
  }

  update() {
    const { view } = this, is_shared = /\bshared\b/.test(view.text) && view.cell.kind === "experiment";
    if (!is_shared || view.state !== "done") { this.element.classList.toggle("is-stale", view.state !== "done"); return; }
    this.element.classList.remove("is-stale");
    if (this.key === view.cell.keys.join()) return;
    this.key = view.cell.keys.join();
    this.soon();
  }

  /** One call after the other: the server runs few at once. */
  async fetch() {
    const { cell, page } = this.view, key = this.key, lines = [];
    for (const device of page.devices) {
      let points = [""];
      for (let i = 0; i < points.length; i++) {
        const told = await ask("/api/explain", { cell: cell.name, device, point: i ? String(points[i][0]) : "0" }).catch(() => null);
        if (key !== this.key) return;
        if (!told) break;
        if (i === 0) points = chosen(told.points);
        const facts = told.explained[0]?.facts ?? [], why = facts.find((fact) => fact.startsWith("shared memory: "));
        if (!why) break;
        const name = facts[0].match(/^device: ([^;]+)/)?.[1] ?? device;
        lines.push([[page.devices.length > 1 ? name : "", points[i]?.[1] ?? ""].filter(Boolean).join(", "), why]);
      }
    }
    this.element.replaceChildren(...lines.map(([place, why]) => make("p", {}, place ? make("strong", {}, `${place}: `) : "", why)));
  }
}

/** Number and label of the points that are told of. */
function chosen(labels) {
  const all = labels.map((label, i) => [i, label]);
  return all.length <= MOST_POINTS ? all.length ? all : [[0, ""]] : [all[0], all.at(-1)];
}

export { BankNote };
