// What happens inside a virtual GPU at one point: warps as rows, issues and stalls over clocks, and
// where the clocks between the clock reads go.
import { ask, button, later, make } from "/api.js";
import { deviceChoices, menu, pointSlider } from "/places.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000, LEFT = 110, ROW = 22, TOP = 22, MARGIN = 0.05;
const REASONS = { scoreboard: "a register is not ready", barrier: "waits for other warps", branch: "after a branch or a clock read",
                  fetch: "instructions are fetched", unit: "the scheduler or the unit is busy", fence: "waits for a fence" };
const COLOURS = { alu: 0, load_store: 1, clock: 2, branch: 3, barrier: 4, stall: 7 };

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const colourOf = (unit) => `var(--c${COLOURS[unit] ?? 5})`;

/** What the clocks of all warps in [from, to] went to, the most first. */
function spent(lanes, from, to) {
  const sums = new Map();
  for (const { events } of lanes)
    for (const [name, unit, at, clocks] of events) {
      const within = Math.min(to, at + clocks) - Math.max(from, at);
      if (within <= 0) continue;
      const what = unit === "stall" ? name : `issue: ${unit}`;
      const sum = sums.get(what) ?? { what, unit, clocks: 0 };
      sum.clocks += within;
      sums.set(what, sum);
    }
  return [...sums.values()].sort((a, b) => b.clocks - a.clocks);
}

class Trace {
  constructor(view) {
    this.view = view;
    this.device = view.page.devices[0];
    this.point = 0;
    this.labels = null;
    this.controls = make("div", { class: "tools", role: "toolbar", "aria-label": "Trace" });
    this.body = make("div", { "aria-live": "polite" });
    this.element = make("section", { class: "code-pane", "aria-label": `Trace of ${view.cell.name}` }, this.controls, this.body);
    this.soon = later(150, () => this.fetch());
    this.changed = later(150, () => { if (this.key !== this.view.cell.keys.join()) this.fetch(); });
    this.fetch();
  }

  async fetch() {
    const key = this.key = this.view.cell.keys.join(), point = this.point;
    if (this.view.errors) {  // The text has them.
      this.trace = null;
      this.body.replaceChildren(make("pre", { class: "remark" }, "No trace: the cell has an error."));
      return;
    }
    try {
      const trace = await ask("/api/trace", { cell: this.view.cell.name, device: this.device, point });
      if (key !== this.key || point !== this.point) return;
      this.trace = trace;
      this.showControls(trace.points);
      this.range = this.around(trace.timed);
      this.draw();
    } catch (error) {
      if (this.point > 0 && /no number of a point/.test(error.message)) {  // The sweep is shorter now.
        this.point = 0;
        this.labels = null;
        this.fetch();
        return;
      }
      this.trace = null;
      this.showControls(this.labels ?? []);
      this.body.replaceChildren(make("pre", { class: "failure" }, (error.text || error.message).trim()));
    }
  }

  showControls(labels) {
    if (JSON.stringify(this.labels) === JSON.stringify(labels)) return;
    this.labels = labels;
    const zoom = (text, label, act) => button(text, () => { if (this.trace) { act(); this.draw(); } }, { "aria-label": label, title: label });
    this.controls.replaceChildren(...[
      menu("device", this.device, deviceChoices(this.view.page), (device) => { this.device = device; this.fetch(); }),
      pointSlider("point", labels, this.point, (point) => { this.point = point; this.soon(); }),
      zoom("+", "Zoom in", () => this.zoom(0.5)), zoom("−", "Zoom out", () => this.zoom(2)),
      zoom("←", "Earlier", () => this.move(-0.5)), zoom("→", "Later", () => this.move(0.5)),
      zoom("timed region", "Show the timed region", () => { this.range = this.around(this.trace.timed); }),
      zoom("whole launch", "Show the whole launch", () => { this.range = this.around(null); })].filter(Boolean));
  }

  around(timed) {
    const [from, to] = timed ?? [0, this.trace.launch.clocks], room = timed ? (to - from) * MARGIN : 0;
    return [Math.max(0, from - room), to + room];
  }
  zoom(factor) {
    const [from, to] = this.range, half = Math.max(4, (to - from) / 2 * factor), middle = (from + to) / 2;
    this.range = [Math.max(0, middle - half), Math.min(this.trace.launch.clocks, middle + half)];
  }
  move(part) {
    const [from, to] = this.range, by = Math.max(-from, Math.min(this.trace.launch.clocks - to, (to - from) * part));
    this.range = [from + by, to + by];
  }

  draw() {
    if (!this.trace) return;
    const { lanes, timed, launch, lanes_left_out: hidden, events_left_out: cut, report } = this.trace;
    const [from, to] = timed ?? [0, launch.clocks], parts = spent(lanes, from, to), all = parts.reduce((sum, one) => sum + one.clocks, 0);
    const what = timed ? `${to - from} clocks from the first clock read to the last` : `${launch.clocks} clocks of the launch, which reads no clock`;
    const most = parts[0], reason = most && REASONS[most.what];
    const left = [hidden ? `${hidden} more warp slots are not shown` : "", cut ? `${cut} events are left out` : ""].filter(Boolean);
    this.body.replaceChildren(
      make("p", {}, make("strong", {}, most ? `${what}, ${Math.round(100 * most.clocks / all)} % of them ${most.what}${reason ? `: ${reason}` : ""}` : what)),
      make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Warps over clocks" }, this.picture(`${what}; the table below has the sums`)),
      make("div", { class: "scroll" }, make("table", { class: "parts" }, make("caption", {}, "Clocks of the shown warps in that time"),
        make("tbody", {}, ...parts.map((one) => this.part(one, all))))),
      make("details", { open: this.counters, ontoggle: (event) => { this.counters = event.target.open; } },
        make("summary", {}, "Counters of this point"), make("pre", {}, report.trimEnd())),
      make("p", { class: "note" }, ["A virtual GPU's trace: a model, not a measurement", `the last of ${launch.number} launches of this point`, ...left].join("; ") + "."));
  }

  part({ what, unit, clocks }, all) {
    const bar = make("span", { class: "bar" });
    bar.style.cssText = `width: ${100 * clocks / all}%; background: ${colourOf(unit)}`;
    return make("tr", {}, make("th", { scope: "row" }, what, REASONS[what] ? make("span", { class: "note" }, ` ${REASONS[what]}`) : ""),
                make("td", {}, String(clocks)), make("td", {}, `${(100 * clocks / all).toFixed(1)} %`), make("td", { class: "bars" }, bar));
  }

  picture(label) {
    const { lanes, timed } = this.trace, [from, to] = this.range;
    const x = (clock) => LEFT + (clock - from) / (to - from) * (WIDTH - LEFT), height = TOP + ROW * lanes.length + 4;
    const image = svg("svg", { class: "trace", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
    for (let i = 0; i <= 5; i++) {
      const clock = Math.round(from + (to - from) * i / 5);
      image.append(svg("text", { class: "tick", x: x(clock), y: 14, "text-anchor": i === 5 ? "end" : "start" }, String(clock)));
    }
    lanes.forEach((lane, i) => image.append(svg("text", { class: "lane", x: 0, y: TOP + ROW * i + 15 }, `SM ${lane.sm}, slot ${lane.slot}`),
      ...lane.events.filter(([, , at, clocks]) => at < to && at + clocks > from).map((event) => this.event(event, TOP + ROW * i, x))));
    for (const clock of timed ?? []) if (clock >= from && clock <= to)
      image.append(svg("line", { class: "read", x1: x(clock), x2: x(clock), y1: TOP - 4, y2: height }));
    return image;
  }

  event([name, unit, at, clocks], y, x) {
    const [from, to] = this.range, left = x(Math.max(from, at)), width = Math.max(0.5, x(Math.min(to, at + clocks)) - left);
    const title = svg("title", {}, `${name} (${unit}): clocks ${at} to ${at + clocks}`);
    const box = svg("rect", { x: left, y: y + 2, width, height: ROW - 4, class: unit === "stall" ? "stall" : "issue" }, title);
    box.style.fill = colourOf(unit);
    if (width < name.length * 6.5 + 4) return box;
    return svg("g", {}, box, svg("text", { class: unit === "stall" ? "in stall" : "in", x: left + 3, y: y + 15 }, name));
  }
}

/** The button of a cell. */
function traceButton(view) {
  if (view.cell.kind !== "experiment") return null;
  return button("Trace", () => {
    if (view.tracePane) {
      view.tracePane.element.remove();
      view.tracePane = null;
    } else {
      view.tracePane = new Trace(view);
      view.openPane(view.tracePane.element);
    }
    view.draw();
  }, { "aria-pressed": Boolean(view.tracePane) });
}

export { spent, traceButton };
