// A cell's result beside another one: the run before, an earlier run of the store, or another cell's.
// The curves are one picture; a table says what differs, and how that is known.
import { ask, make } from "/api.js";

const MOST_FIGURES = 4;
const COLOURS = { same: "good", different: "poor", "cannot tell": "fair" };
/** Columns of a comparison; one without any text is left out. */
const COLUMNS = { first: (one) => one.first ?? "", second: (one) => one.second ?? "", ratio: (one) => one.ratio ? String(Number(one.ratio.toPrecision(4))) : "",
                  reason: (one) => [one.worst, one.why].filter(Boolean).join("; ") };

const option = (value, text, chosen) => make("option", { value, selected: value === chosen }, text);

class Comparison {
  constructor(view) {
    this.view = view;
    this.other = "";
    this.runs = [];
    this.select = make("select", { onchange: () => { this.other = this.select.value; this.draw(); } });
    this.body = make("div", { "aria-live": "polite" });
    this.element = make("details", { class: "compare", hidden: true }, make("summary", {}, "Compare"),
                        make("label", { class: "check" }, "with", this.select), this.body);
    this.element.addEventListener("toggle", () => this.open());
  }

  update() {
    this.element.hidden = this.view.cell.kind !== "experiment" || !this.view.list().some((record) => record.run > 0);
    if (!this.element.open || this.element.hidden) return;
    this.offer();
    this.draw();
  }

  async open() {
    if (!this.element.open) return;
    ({ runs: this.runs } = await ask(`/api/runs?experiment=${encodeURIComponent(this.view.cell.name)}`));
    this.offer();
    this.draw();
  }

  offer() {
    const { view, other } = this, shown = view.list().map((record) => record.run);
    const cells = view.page.views.filter((one) => one !== view && one.cell.kind === "experiment" && one.list().some((record) => record.run > 0));
    const runs = this.runs.filter((run) => !shown.includes(run.number));
    const group = (label, options) => options.length ? [make("optgroup", { label }, ...options)] : [];
    this.select.replaceChildren(option("", "nothing", other),
      ...(view.list().some((record) => record.before > 0) ? [option("before", "the run before", other)] : []),
      ...group("results of other cells", cells.map((one) => option(`cell ${one.cell.name}`, one.cell.name, other))),
      ...group("runs of the store", runs.map((run) => option(`run ${run.number}`,
        `run ${run.number}: ${run.devices.join()}, ${run.points} points, ${run.started.slice(0, 16).replace("T", " ")}`, other))));
    this.other = this.select.value;
  }

  /** The run that a device's result stands against; 0: there is none. */
  against(record) {
    const [kind, name] = this.other.split(" ");
    if (kind === "before") return record.before;
    if (kind === "run") return Number(name);
    return this.view.page.views.find((one) => one.cell.name === name)?.records.get(record.device)?.run ?? 0;
  }

  async draw() {
    const pairs = this.other ? this.view.list().map((record) => [this.against(record), record]).filter(([run, record]) => run > 0 && record.run > 0) : [];
    const wanted = this.wanted = `${this.other} ${pairs.map(([run, record]) => [run, record.run, record.phase, record.progress])}`;
    if (wanted === this.drawn) return;
    const name = this.other.startsWith("cell ") ? this.other.slice(5) : this.other === "before" ? "the run before" : this.other;
    try {
      const all = await Promise.all(pairs.map(([run, record]) =>
        ask("/api/diff", { runs: `${run},${record.run}`, names: [name, this.view.cell.name] })));
      if (wanted !== this.wanted) return;
      this.drawn = wanted;
      this.body.replaceChildren(...all.flatMap((one) => this.section(one, name)));
      if (this.other && !pairs.length) this.body.append(make("p", { class: "note" }, "There is no result on these devices."));
      globalThis.gpxReport.draw(this.body);
    } catch (error) {
      this.body.replaceChildren(make("pre", { class: "failure" }, error.text ?? error.message));
    }
  }

  section(diff, name) {
    const page = document.createElement("template");
    page.innerHTML = diff.html;  // Sections of reports: every text in them is escaped.
    const columns = Object.entries(COLUMNS).filter(([, text]) => diff.comparisons.some(text));
    const row = (one) => make("tr", {}, make("td", {}, make("span", { class: `verdict ${COLOURS[one.likeness]}` }, one.likeness)),
      make("th", { scope: "row" }, one.name), ...columns.map(([, text]) => make("td", {}, text(one))));
    const counts = `${diff.same} same, ${diff.different} different, ${diff.cannot_tell} cannot tell`;
    const caption = `First: ${name} on ${diff.first.device.name}; second: this cell on ${diff.second.device.name}: ${counts}`;
    return [...[...page.content.querySelectorAll("figure.drawn")].slice(0, MOST_FIGURES),
            make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, make("table", {}, make("caption", {}, caption),
              make("thead", {}, make("tr", {}, ...["verdict", "finding or curve", ...columns.map(([name]) => name)].map((head) => make("th", { scope: "col" }, head)))),
              make("tbody", {}, ...diff.comparisons.map(row))))];
  }
}

export { Comparison };
