// A kernel's file as a part of a cell: its CUDA with the machine code beside it, line by line, and
// its predicted time. The file is beside the document; other programs may change it, too.
import { ask, button, later, make } from "/api.js";
import { ARCHITECTURES } from "/code.js";
import { editor } from "/language.js";
import { colourOf, legend, lineElement } from "/listings.js";
import { deviceChoices, menu } from "/places.js";
import { predictionView } from "/predict.js";

/** " 7 Y W2 R- 01----" of an instruction as /api/sass has it. */
function controlOf(one) {
  const waits = [0, 1, 2, 3, 4, 5].map((i) => (one.waits.includes(i) ? i : "-")).join("");
  return `${one.address.toString(16).padStart(4, "0")} ${String(one.stall).padStart(2)} ${one.yield ? "Y" : "-"} ` +
         `W${one.sets ?? "-"} R${one.reads ?? "-"} ${waits}`;
}

/** The files that a cell's kernels come from. */
const filesOf = (text) => [...new Set([...text.matchAll(/\bfrom\s+"([^"]+\.cuh?)"/g)].map((match) => match[1]))];

/** An option of `gpx predict` in a message, as the form's field. */
const FIELDS = { grid: "grid", block: "block", registers: "registers", shared: "dynamic shared bytes", define: "macros", arg: "arguments",
                 buffer: "buffers", entry: "entry", device: "device", "what-if": "what-ifs", measure: "run it, too" };
const inForm = (text) => text.replace(/--(what-if|[a-z]+)\b[= ]?/g, (option, name) => FIELDS[name] ? `${FIELDS[name]}: ` : option);

class Kernel {
  constructor(view, file) {
    this.view = view;
    this.file = file;
    this.arch = "sm_90a";
    this.status = make("span", { class: "note", "aria-live": "polite" });
    this.source = make("div", { class: "source" });
    this.title = make("figcaption");
    this.machine = make("pre", { tabindex: "0", "aria-label": `Machine code of ${file}` });
    this.prediction = make("div", { class: "prediction", "aria-live": "polite", hidden: true });
    this.element = make("section", { class: "code-pane", "aria-label": `Kernel file ${file}` },
      make("div", { class: "tools" }, make("strong", {}, file),
        menu("machine code of", this.arch, ARCHITECTURES, (arch) => { this.arch = arch; this.sass(); }), this.status),
      make("div", { class: "listings" }, this.source, make("figure", { class: "listing" }, this.title, legend("SASS"), this.machine)),
      this.form(), this.prediction);
    this.save = later(400, () => this.write());
    this.machine.addEventListener("pointerover", (event) => this.light(event.target.closest?.("[data-origin]")?.dataset.origin));
    this.machine.addEventListener("pointerleave", () => this.light(null));
    this.open();
  }

  async open() {
    await this.fill();
    try {
      const { text, hash } = await ask(`/api/file?path=${encodeURIComponent(this.file)}`);
      this.hash = hash;
      this.text = text;
    } catch (error) {
      this.status.textContent = error.message;
      return;
    }
    this.editor = editor(this.source, {
      text: this.text, label: () => `Text of ${this.file}`, language: "cuda", place: null,
      changed: (text, byUser) => { this.text = text; if (byUser) this.save(); },
      pointed: (line) => this.light(line ? String(line) : null),
    });
    this.sass();
  }

  async write() {
    try {
      const answer = await ask("/api/file", { path: this.file, text: this.text, hash: this.hash });
      if (!answer.saved) { this.status.textContent = "changed elsewhere: open it again"; return; }
      this.hash = answer.hash;
      this.status.textContent = "saved";
      this.sass();
      if (this.predicted) this.predict();
    } catch (error) { this.status.textContent = error.message; }
  }

  async sass() {
    const text = this.text;
    this.title.textContent = `SASS of ${this.arch}`;
    try {
      const { functions } = await ask("/api/sass", { path: this.file, arch: this.arch });
      if (text !== this.text) return;
      const name = this.file.split("/").at(-1), lines = new Map();
      const rows = functions.flatMap((one) => [
        make("span", { class: "line function" }, `${one.name}: ${one.instructions.length} instructions, ${one.registers} registers`),
        ...one.instructions.map((instruction) => {
          const own = instruction.file?.split("/").at(-1) === name ? instruction.line : 0;
          if (own) lines.set(own, colourOf(own));
          return lineElement({ text: instruction.text, control: controlOf(instruction), origin: own });
        })]);
      this.machine.classList.remove("failure");
      this.machine.replaceChildren(...rows);
      this.editor.colours(lines);
    } catch (error) {
      this.machine.classList.add("failure");
      this.machine.replaceChildren((error.text || error.message).trim());
    }
  }

  light(origin) {
    if (origin === this.lit) return;
    this.lit = origin;
    for (const line of this.machine.querySelectorAll(".lit")) line.classList.remove("lit");
    if (origin) for (const line of this.machine.querySelectorAll(`[data-origin="${CSS.escape(origin)}"]`)) line.classList.add("lit");
    this.editor?.light(Number(origin ?? 0));
  }

  /** Everything that `gpx predict` needs. Once there is a prediction, a change makes another. */
  form() {
    const field = (label, value, size) => {
      const input = make("input", { type: "text", value, size });
      return [make("label", { class: "check" }, label, input), input];
    };
    const [entry, entryField] = field("entry", "", 14), [grid, gridField] = field("grid", "1024", 8);
    const [block, blockField] = field("block", "256", 8), [args, argsField] = field("arguments", "", 22);
    const [buffers, buffersField] = field("buffers", "", 30);
    const [registers, registersField] = field("registers", "", 4), [shared, sharedField] = field("dynamic shared bytes", "", 6);
    const [defines, definesField] = field("macros", "", 8);
    const measure = make("input", { type: "checkbox" }), whatIf = make("input", { type: "checkbox" });
    // One for each NAME=; a value may have blanks.
    const split = (input) => input.value.trim().split(/\s+(?=[\w.]+\s*=)(?![^(]*\))/).filter(Boolean).map((one) => one.replace(/\s*([=:])\s*/g, "$1"));
    this.device = this.view.page.devices[0];
    this.fields = { entry: entryField, grid: gridField, block: blockField, registers: registersField, shared: sharedField,
                    arg: argsField, buffer: buffersField, define: definesField };
    this.launch = () => ({ path: this.file, device: this.device, entry: entryField.value.trim(), grid: [gridField.value.trim()], block: [blockField.value.trim()],
      arg: split(argsField), buffer: split(buffersField), define: definesField.value.split(/\s+/).filter(Boolean), registers: registersField.value.trim(), shared: sharedField.value.trim(), measure: measure.checked, what_if: whatIf.checked });
    return make("form", { class: "tools", "aria-label": "Prediction", onsubmit: (event) => { event.preventDefault(); this.predict(); },
                          onchange: () => { if (this.predicted) this.predict(); } },
      menu("device", this.device, deviceChoices(this.view.page), (device) => { this.device = device; }),
      entry, grid, block, registers, shared, defines, args, buffers, make("label", { class: "check" }, whatIf, "what-ifs"),
      make("label", { class: "check" }, measure, "run it, too"), make("button", { type: "submit" }, "Predict"));
  }

  /** What the cell gives to the kernel at its first point. */
  async fill() {
    const launch = await ask("/api/launch", { cell: this.view.cell.name, path: this.file }).catch(() => ({}));
    for (const [name, value] of Object.entries(launch)) this.fields[name].value = Array.isArray(value) ? value.join(" ") : value;
  }

  /** "128 registers a thread", "64 threads a block": what sets the fields so and predicts again. */
  launchOf(change) {
    const [, number, what] = change.match(/^(\d+) (registers a thread|threads a block)/) ?? [], { grid, block, registers } = this.fields;
    if (!number) return null;
    return () => {
      if (what.startsWith("registers")) registers.value = number;
      else [grid.value, block.value] = [String(Math.ceil(grid.value * block.value / number)), number];
      this.predict();
    };
  }

  async predict() {
    const turn = this.turn = {};
    this.prediction.hidden = false;
    this.prediction.classList.add("is-stale");
    if (!this.predicted) this.prediction.textContent = "predicting …";
    let shown;
    try {
      const answer = await ask("/api/predict", this.launch());
      shown = predictionView(answer, this.text ?? "", this.seconds,
                             { light: (line) => this.light(line), launch: (change) => this.launchOf(change) });
      if (turn === this.turn) this.seconds = answer.prediction.simulation?.seconds;
    } catch (error) {
      shown = [make("pre", { class: "failure" }, inForm((error.text || error.message).trim()))];
    }
    if (turn !== this.turn) return;
    this.predicted = true;
    this.prediction.classList.remove("is-stale");
    this.prediction.replaceChildren(...shown);
  }
}

/** A button for each kernel's file of a cell. */
function kernelButton(view) {
  const files = filesOf(view.text);
  if (!files.length) return null;
  view.kernels ??= new Map();
  return make("span", { class: "kernel-files" }, ...files.map((file) => button(file, () => {
    if (view.kernels.has(file)) {
      view.kernels.get(file).element.remove();
      view.kernels.delete(file);
    } else {
      view.kernels.set(file, new Kernel(view, file));
      view.openPane(view.kernels.get(file).element);
    }
    view.draw();
  }, { "aria-pressed": view.kernels.has(file) })));
}

export { kernelButton };
