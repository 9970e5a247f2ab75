// The code of a cell: CUDA, PTX and machine code with its control bits, as `gpx explain` has them.
// Lines of one line of the experiment have one colour, here and in the editor. Two points, cells, devices
// or architectures are compared line by line.
import { ask, button, later, make } from "/api.js";
import { MOST_DIFF, colourOf, diff, folded, legend, lineElement, shape } from "/listings.js";
import { deviceChoices, deviceNames, menu, pointSlider } from "/places.js";

const ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"];
const FORMS = ["kernel", "CUDA", "PTX", "SASS"];

class Code {
  /** `view`: of the cell. The pane stands below its text and its results. */
  constructor(view) {
    this.view = view;
    this.forms = new Set(["PTX", "SASS"]);
    this.timedOnly = true;
    this.which = 0;
    this.one = { cell: view.cell.name, device: view.page.devices[0], arch: "sm_90", point: 0 };
    this.other = null;  // What it is compared with: another point, cell, device or architecture.
    this.choice = "";
    this.element = make("section", { class: "code-pane", "aria-label": `Code of ${view.cell.name}` });
    this.controls = make("div", { class: "tools", role: "toolbar", "aria-label": "Code" });
    this.points = make("div", { class: "knobs" });
    this.facts = make("div", { class: "facts-line", "aria-live": "polite" });
    this.body = make("div", { class: "listings" });
    this.element.append(this.controls, this.points, this.facts, this.body);
    for (const kind of ["pointerover", "focusin"])
      this.body.addEventListener(kind, (event) => this.light(event.target.closest?.("[data-origin]")?.dataset.origin));
    this.body.addEventListener("pointerleave", () => this.light(null));
    this.soon = later(120, () => this.fetch());
    this.changed = later(120, () => { if (this.key !== this.keys()) this.follow(); });
    this.buildControls();
    this.fetch();
  }

  buildControls() {
    this.toggles = FORMS.map((form) => button(form, (event) => {
      if (!this.forms.delete(form)) this.forms.add(form);
      event.target.setAttribute("aria-pressed", this.forms.has(form));
      this.draw();
    }, { "aria-pressed": this.forms.has(form) }));
    const timed = make("input", { type: "checkbox", checked: this.timedOnly, onchange: (event) => { this.timedOnly = event.target.checked; this.draw(); } });
    this.timed = make("label", { class: "check" }, timed, "timed region only");
    const set = (name) => (value) => { this.one[name] = value; this.compare(this.choice); };
    this.controls.replaceChildren(...this.toggles, this.timed,
      menu("device", this.one.device, deviceChoices(this.view.page), set("device")),
      menu("machine code of", this.one.arch, ARCHITECTURES, set("arch")),
      this.compareMenu());
  }

  compareMenu() {
    const { page, cell } = this.view, group = (label, kind, names) => names.length ? [make("optgroup", { label },
      ...names.map((name) => make("option", { value: `${kind} ${name}`, selected: `${kind} ${name}` === this.choice }, name)))] : [];
    const cells = page.views.filter((one) => one.cell.kind === "experiment" && one.cell.name !== cell.name).map((one) => one.cell.name);
    return make("label", { class: "check" }, "compare with", make("select", { onchange: (event) => this.compare(event.target.value) },
      make("option", { value: "" }, "nothing"), make("option", { value: "point", selected: this.choice === "point" }, "another point"),
      ...group("cells", "cell", cells), ...group("architectures", "arch", ARCHITECTURES), ...group("devices", "device", deviceNames(page))));
  }

  compare(choice) {
    const [kind, name] = choice.split(" "), point = choice === this.choice ? this.other?.point : null;
    this.choice = choice;
    const one = { ...this.one, label: null, moved: false };
    this.other = !choice ? null : kind === "point" ? { ...one, point: point ?? Math.max(0, (this.first?.points.length ?? 1) - 1) }
                                : { ...one, ...(kind === "cell" ? { point: point ?? 0 } : {}), [kind]: name };
    this.fetch();
  }

  /** A slider for each side whose point can be chosen alone. */
  drawPoints() {
    const name = (label) => this.other ? `${label} ` : "", points = this.first.points;
    const move = (place) => (point) => {
      place.point = point;
      place.moved = true;
      if (this.other && place === this.one && !/^(point|cell)/.test(this.choice)) this.other.point = point;
      this.soon();
    };
    const wanted = [this.choice, points, this.second?.points].join();
    if (wanted === this.drawnPoints && this.points.contains(document.activeElement)) return;  // It moves just now.
    this.drawnPoints = wanted;
    this.points.replaceChildren(...[pointSlider(`${name("first")}point`, points, this.one.point, move(this.one)),
      /^(point|cell)/.test(this.choice) && this.second ? pointSlider(`${name("second")}point`, this.second.points, this.other.point, move(this.other)) : null].filter(Boolean));
  }

  /** What the shown cells say. */
  keys() {
    const other = this.other && this.view.page.views.find((one) => one.cell.name === this.other.cell);
    return [...this.view.cell.keys, ...(other?.cell.keys ?? [])].join();
  }

  /** The text of the cell, or of the one that it is compared with, has changed. */
  follow() {
    this.one.cell = this.view.cell.name;
    if (this.other && !this.choice.startsWith("cell")) this.other.cell = this.one.cell;
    this.controls.lastChild.replaceWith(this.compareMenu());
    this.fetch();
  }

  async fetch() {
    this.key = this.keys();
    if (this.view.errors) {  // The text has them; nobody needs them twice.
      this.turn = {};
      this.fail("No code: the cell has an error.");
      return;
    }
    const explain = ({ point, cell, device, arch }) => ask("/api/explain", { cell, device, arch, point: String(point) });
    const turn = this.turn = {};
    try {
      const [one, two] = await Promise.all([explain(this.one), this.other ? explain(this.other) : null]);
      if (turn !== this.turn) return;
      this.first = one;
      this.second = two;
      if (this.keepPoints()) return this.fetch();
      this.drawPoints();
      this.draw();
    } catch (error) {
      if (turn !== this.turn) return;
      if (/there is no point/.test(error.text) && (this.one.point || this.other?.point)) {  // The sweep is shorter now.
        for (const place of [this.one, this.other]) if (place) place.point = 0;
        this.fetch();
        return;
      }
      this.fail((error.text || error.message).trim(), "failure");
    }
  }

  /** No code of what the cell says now, and none of what it said before. */
  fail(why, css = "remark") {
    this.first = null;
    this.view.colours(null);
    this.facts.replaceChildren();
    this.points.replaceChildren();
    this.drawnPoints = null;
    this.body.replaceChildren(make("pre", { class: css }, why));
  }

  /** After a change of the sweep a slider keeps its point, wherever it is now; the second one of a
   *  comparison else goes to the last. True: another point than was fetched. */
  keepPoints() {
    const sides = [[this.one, this.first, 0]];
    if (this.other && this.second) sides.push([this.other, this.second, this.second.points.length - 1]);
    let moved = false;
    for (const [place, { points }, otherwise] of sides) {
      if (place.label != null && points.length && points[place.point] !== place.label) {
        const at = points.indexOf(place.label), to = at >= 0 ? at : Math.min(Math.max(otherwise, 0), points.length - 1);
        if (!place.moved && to !== place.point) { place.point = to; moved = true; }
      }
      place.moved = false;
      place.label = points[place.point];
    }
    return moved;
  }

  /** What is worth knowing of one side; of shared memory first. */
  factsOf(shown, name) {
    const why = shown.facts.filter((fact) => fact.startsWith("shared memory: "));
    return make("div", {}, ...why.map((fact) => make("p", {}, make("strong", {}, name + fact))),
      make("p", { class: "note" }, name + [shown.heading, ...shown.facts.filter((fact) => !why.includes(fact))].join(" · ")));
  }

  draw() {
    if (!this.first) return;
    const { explained, shift } = this.first;
    this.which = Math.min(this.which, explained.length - 1);
    const shown = explained[this.which], against = this.second?.explained[Math.min(this.which, this.second.explained.length - 1)];
    const choose = explained.length < 2 ? [] : explained.map((each, i) => button(each.heading.split(": point")[0], () => { this.which = i; this.draw(); }, { "aria-pressed": i === this.which }));
    this.facts.replaceChildren(...choose, make("div", { class: against ? "compared" : "" },
      this.factsOf(shown, against ? "first: " : ""), ...(against ? [this.factsOf(against, "second: ")] : [])));
    this.offerForms(shown);
    const listings = shown.listings.filter((listing) => this.forms.has(listing.form));
    this.body.replaceChildren(...listings.map((listing) => {
      const other = against?.listings.find((one) => one.form === listing.form);
      const same = other && other.lines.length === listing.lines.length && listing.lines.every((line, i) => line.text === other.lines[i].text);
      return other && !same ? this.compared(listing, other) : this.plain(listing, same ? ", the same in both" : "");
    }));
    if (!listings.length) this.body.append(make("p", { class: "note" }, "Nothing of this kind: choose another form above."));
    const origins = new Set(shown.listings.filter((l) => l.form !== "source").flatMap((l) => l.lines.map((line) => line.origin).filter(Boolean)));
    const isFile = shown.listings.some((l) => l.form === "CUDA" && l.of);
    this.shift = shift;
    this.view.colours(isFile ? null : new Map([...origins].map((origin) => [origin + shift, colourOf(origin)])));
  }

  /** A form that the kernel has not is not offered, nor is its timed region where none is marked. */
  offerForms({ listings }) {
    for (const toggle of this.toggles) toggle.hidden = !listings.some((listing) => listing.form === toggle.textContent);
    this.timed.hidden = !listings.some((listing) => listing.lines.some((line) => line.timed));
    this.device = this.factsDevice();
  }
  factsDevice() { return this.first.explained[this.which].facts[0]?.match(/^device: ([^;]+)/)?.[1] ?? this.one.device; }

  /** "PTX for sm_75, which runs on gtx780", "SASS of sm_90". */
  titleOf(listing) {
    if (listing.form !== "PTX") return [listing.form, listing.of].filter(Boolean).join(" of ");
    const target = listing.lines.map((line) => line.text.match(/^\s*\.target\s+(\w+)/)?.[1]).find(Boolean);
    return `PTX${target ? ` for ${target}` : ""}, which runs on ${this.device}`;
  }

  lines(listing) { return this.timedOnly ? folded(listing.lines) : listing.lines; }

  frame(title, form, ...rows) {
    return make("figure", { class: "listing" }, make("figcaption", {}, title), legend(form),
                make("pre", { tabindex: "0", "aria-label": title }, ...rows));
  }

  plain(listing, same) {
    return this.frame(this.titleOf(listing) + same, listing.form,
                      ...this.lines(listing).map((line) => line ? lineElement(line) : make("span", { class: "line left-out" }, "⋮")));
  }

  compared(a, b) {
    const keep = (listing) => this.timedOnly && listing.lines.some((line) => line.timed) ? listing.lines.filter((line) => line.timed) : listing.lines;
    const [first, second] = [keep(a), keep(b)], pairs = diff(first, second, (x, y) => shape(x) === shape(y));
    const cut = Math.max(first.length, second.length) > MOST_DIFF ? `, of the first ${MOST_DIFF}` : "";
    const different = pairs.filter((pair) => !pair[2]).length;
    if (!different && !cut) return this.plain(a, ", the same in both but for registers and constants");
    const row = (line, same) => {
      if (!line) return make("span", { class: "line absent" }, " ");
      const element = lineElement(line);
      if (!same) element.classList.add("differs");
      return element;
    };
    return make("div", { class: "compared" },
      this.frame(`First: ${a.form} of ${a.of || this.device}`, a.form, ...pairs.map(([x, , same]) => row(x, same))),
      this.frame(`Second: ${b.form} of ${b.of || this.other.device}: ${different} lines differ${cut}`, "", ...pairs.map(([, y, same]) => row(y, same))));
  }

  light(origin) {
    if (origin === this.lit) return;
    this.lit = origin;
    for (const line of this.body.querySelectorAll(".lit")) line.classList.remove("lit");
    if (origin) for (const line of this.body.querySelectorAll(`[data-origin="${CSS.escape(origin)}"]`)) line.classList.add("lit");
    this.view.lightLine(origin ? Number(origin) + (this.shift ?? 0) : 0);
  }

  /** From the editor: the line there is under the pointer. */
  lightFromEditor(line) { this.light(line ? String(line - (this.shift ?? 0)) : null); }
}

/** The button of a cell. */
function codeButton(view) {
  if (view.cell.kind !== "experiment") return null;
  return button("Code", () => {
    if (view.codePane) {
      view.codePane.element.remove();
      view.codePane = null;
      view.colours(null);
    } else {
      view.codePane = new Code(view);
      view.openPane(view.codePane.element);
    }
    view.draw();
  }, { "aria-pressed": Boolean(view.codePane) });
}

export { ARCHITECTURES, codeButton };
