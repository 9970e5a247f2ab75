// A predicted time and its reasons: bars for the prediction, the measurement and the what-ifs; where
// the clocks go, in all and by line of the kernel's file.
import { button, make } from "/api.js";

const MOST_LINES = 12;
const CHARACTER = 0.045;  // A letter's share of the narrowest bar.

/** Parts of a stack always have the same colour; what is no wait of a warp is grey. */
const PART_COLOURS = { launch: 7, tail: 7, blocks: 7, issue: 2, "issue slot": 2, arithmetic: 0, "shared memory": 1, "bank conflicts": 1, L1: 5, "L1 queue": 5,
                       L2: 3, "L2 queue": 3, DRAM: 4, "DRAM queue": 4, atomics: 6, constant: 6, stores: 6 };

function timeText(seconds) {
  const names = ["ns", "µs", "ms", "s"];
  let value = seconds * 1e9, i = 0;
  while (i < 3 && value >= 1000) { value /= 1000; i++; }
  return `${Number(value.toPrecision(4))} ${names[i]}`;
}
const percent = (share) => `${(100 * share).toFixed(1)} %`;
/** "−19.8 %": a time against another one. */
function change(time, other) {
  const text = percent(Math.abs(time / other - 1));
  return text === percent(0) ? text : (time < other ? "−" : "+") + text;
}

/** Parts side by side, whose shares of `all` are their lengths. */
function stack(parts, all) {
  return make("div", { class: "stack" }, ...Object.entries(parts).map(([name, value], i) => {
    const part = make("span", { class: i % 2 ? "part odd" : "part", title: `${name}: ${percent(value / all)}` }, value / all > name.length * CHARACTER ? name : "");
    part.style.width = `${100 * value / all}%`;
    part.style.background = `var(--c${PART_COLOURS[name] ?? 7})`;
    return part;
  }));
}

function table(caption, heads, rows) {
  return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, make("table", { class: "parts" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows)));
}

/** Times as bars of one scale. `low` and `high`: the ends of an interval. */
function timeRows(rows) {
  const most = Math.max(...rows.map((one) => one.high ?? one.seconds));
  return rows.map(({ name, seconds, low, high, note, kind, act }) => {
    const bar = make("span", { class: `bar ${kind ?? ""}` });
    bar.style.width = `${100 * seconds / most}%`;
    const interval = low == null ? null : make("span", { class: "interval" });
    if (interval) {
      interval.style.left = `${100 * low / most}%`;
      interval.style.width = `${100 * (high - low) / most}%`;
    }
    return make("tr", {}, make("th", { scope: "row" }, act ? button(name, act, { class: "link", title: "Predict this launch" }) : name), make("td", {}, timeText(seconds)), make("td", {}, note ?? ""), make("td", { class: "bars" }, make("div", { class: "track" }, bar, interval)));
  });
}

function times(prediction, before, launch) {
  const { simulation, measured, device } = prediction, time = simulation.seconds, [low, high] = simulation.interval ?? [];
  const rows = [{ name: "predicted", seconds: time, low, high, note: simulation.interval ? `${timeText(low)} to ${timeText(high)} in nine of ten cases` : "no interval: no kernel was measured on this device" }];
  if (measured) rows.push({ name: device.kind === "virtual" ? "run on the virtual GPU" : "measured", seconds: measured.seconds, kind: "measured",
                            note: measured.error == null ? measured.error_reason : `the prediction is ${percent(Math.abs(measured.error))} too ${measured.error < 0 ? "short" : "long"}` });
  if (before) rows.push({ name: "predicted before", seconds: before, kind: "before", note: `${change(time, before)} now` });
  for (const one of simulation.what_if ?? [])
    rows.push({ name: one.change, seconds: one.seconds, kind: "what-if", note: change(one.seconds, time), act: launch(one.change) });
  return table("Times", ["", "time", "", ""], timeRows(rows));
}

/** Each line's share of the warps' clocks and what it waits for; pointing at it lights the code. */
function byLine(lines, source, light) {
  const texts = source.split("\n"), most = lines[0]?.share ?? 1;
  const rows = lines.slice(0, MOST_LINES).map(({ line, share, parts }) => {
    const bar = stack(parts, most);
    const row = make("tr", { tabindex: "0", onfocus: () => light(String(line)), onpointerenter: () => light(String(line)), onpointerleave: () => light(null), onblur: () => light(null) },
      make("th", { scope: "row" }, String(line)), make("td", {}, make("code", {}, texts[line - 1]?.trim() ?? "")), make("td", {}, percent(share)),
      make("td", {}, Object.entries(parts).slice(0, 3).map(([name, part]) => `${name} ${percent(part / share)}`).join(", ")), make("td", { class: "bars" }, bar));
    return row;
  });
  const left = lines.length - rows.length;
  return table(`By line of the file${left > 0 ? `: the first ${rows.length} of ${lines.length}` : ""}`, ["line", "", "clocks of warps", "waits for", ""], rows);
}

/** `answer`: of /api/predict. `source`: the file's text. `before`: an earlier prediction in seconds.
 *  `launch(change)`: what makes a what-if the launch itself; nothing where it is a change of the machine. */
function predictionView(answer, source, before, { light, launch }) {
  const { prediction, report } = answer, { simulation, device } = prediction;
  const whole = make("details", { open: !simulation }, make("summary", {}, "All of it, with counts and occupancy"), make("pre", { class: "output" }, report.trimEnd()));
  if (!simulation) return [whole];
  const all = Object.values(simulation.stack).reduce((sum, one) => sum + one, 0);
  const badge = device.kind === "virtual" ? make("span", { class: "badge virtual" }, `virtual GPU ${device.name}: a model, not a measurement`)
                                          : make("span", { class: "badge real" }, device.name);
  return [make("p", {}, badge), make("p", {}, make("strong", {}, `${timeText(simulation.seconds)}, bound by ${simulation.bound}`)), times(prediction, before, launch),
          table("Where the time goes", ["part", "clocks", "share", ""], Object.entries(simulation.stack).map(([name, clocks]) =>
            make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, String(Number(clocks.toPrecision(4)))), make("td", {}, percent(clocks / all)),
                 make("td", { class: "bars" }, stack({ [name]: clocks }, all))))),
          byLine(simulation.lines, source, light), whole];
}

export { predictionView };
