// Listings of code: lines with their colours and control bits, what is timed, and two listings side by
// side.
import { make } from "/api.js";

const MOST_DIFF = 1500;

/** The columns in front of machine code (docs/sass.md). */
const CONTROL = "address, stall in clocks, Y: may yield, W and R: the barrier that the result or the operands set, barriers waited for, operands reused";

const colourOf = (line) => `hsl(${line * 137 % 360} 60% 50% / .16)`;

/** A line for a listing: control bits, text; `origin` links it. */
function lineElement(line) {
  const row = make("span", { class: line.timed ? "line timed" : "line" });
  if (line.control) row.append(make("span", { class: "control" }, line.control + "  "));
  row.append((line.text || " ").replace(/\t/g, "  "));
  if (line.origin) {
    row.dataset.origin = line.origin;
    row.style.background = colourOf(line.origin);
  }
  return row;
}

/** The timed lines with a few around them; null stands for what is left out. */
function folded(lines) {
  const keep = new Set();
  lines.forEach((line, i) => { if (line.timed) for (let j = i - 2; j <= i + 2; j++) keep.add(j); });
  if (!keep.size) return lines;
  const out = [];
  lines.forEach((line, i) => {
    if (keep.has(i)) out.push(line);
    else if (out.at(-1) !== null) out.push(null);
  });
  return out;
}

/** Pairs of lines of two listings: equal ones beside each other, by the longest common sequence. */
function diff(a, b, same) {
  a = a.slice(0, MOST_DIFF);
  b = b.slice(0, MOST_DIFF);
  const width = b.length + 1, table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = same(a[i], b[j]) ? table[(i + 1) * width + j + 1] + 1
                                              : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
  const pairs = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(a[i], b[j])) pairs.push([a[i++], b[j++], true]);
    else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) pairs.push([a[i++], null, false]);
    else pairs.push([null, b[j++], false]);
  }
  return pairs;
}

/** Registers may differ where the instruction is the same. */
const shape = (line) => line.text.replace(/\b(U?R|U?P|B)\d+/g, "$1").replace(/%\w+/g, "%").replace(/0x[0-9a-f]+/g, "0x");

const legend = (form) => form === "SASS" ? make("p", { class: "note" }, `In front: ${CONTROL}.`) : null;

export { MOST_DIFF, colourOf, diff, folded, legend, lineElement, shape };
