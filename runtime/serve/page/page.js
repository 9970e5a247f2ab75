// The page: its cells are the file, every change is saved, and what other tabs, other programs and
// the runs do comes back by /api/state. Covered by tests/browser/serve_test.py.
import { ask, button, later, make } from "/api.js";
import { CellView, lineCount } from "/cells.js";
import { codeButton } from "/code.js";
import { kernelButton } from "/kernels.js";
import { setWords } from "/language.js";
import { offerUndo } from "/deleted.js";
import { devicesMenu, galleryMenu, helpMenu, nameDevices, shareMenu } from "/menus.js";
import { traceButton } from "/trace.js";

const EXAMPLE = `# Which of two layouts of shared memory has bank conflicts, and why?
# Run the cell. Then open Code, and compare with another point.
experiment layouts "A column of a tile: rows of 32 words, or of 33" {
  device  gtx780  # a model; --device cuda measures your GPU
  threads 32
  sweep   words in [32, 33]
  < load shared stride(words * 4B) x 4 >
  plot    latency over words
}`;

const $ = (id) => document.getElementById(id);
const main = $("cells");

const page = {
  views: [], devices: ["auto"], at: 0, version: 0,
  /** Buttons of every cell that can run, each a function of its view. */
  extras: [codeButton, traceButton, kernelButton],
  dirty: false, saving: null,

  text() { return page.views.map((view) => view.whole()).join(""); },
  lineOf(view) {
    let line = 0;
    for (const one of page.views) {
      if (one === view) return line;
      line += lineCount(one.whole());
    }
    return line;
  },

  changed() {
    page.dirty = true;
    invite();
    $("status").textContent = "";
    saveSoon();
    check();
  },
  left: later(50, () => { if (!page.dirty) adopt(page.known); }),

  /** When everything typed is in the file and its cells are known. */
  async saved() {
    while (page.dirty || page.saving) await (page.saving ?? save());
  },

  add(after, text = "") {
    const cell = { kind: "note", name: "", title: "", text, uses: [], keys: [], knobs: [] };
    const view = new CellView(page, cell);
    if (!/\s$/.test(text)) view.tail = "\n\n";
    const at = after ? page.views.indexOf(after) + 1 : page.views.length;
    page.views.splice(at, 0, view);
    if (at > 0) {
      // What begins behind a blank line is a cell of its own.
      if (!page.views[at - 1].tail.includes("\n\n")) page.views[at - 1].tail = "\n\n";
      page.views[at - 1].element.after(view.element);
    } else {
      main.prepend(view.element);
    }
    if (text) page.changed();
    view.focus();
    return view;
  },

  remove(view) {
    const at = page.views.indexOf(view), text = view.whole(), before = page.views[at - 1] ?? null;
    page.views.splice(at, 1);
    view.destroy();
    page.changed();
    if (text) offerUndo(view.cell.name || view.cell.kind, before?.element ?? main, () =>
      page.add(page.views.includes(before) ? before : page.views[at - 1] ?? null, text));
    else page.next(null, 0, Math.min(at, page.views.length - 1));
  },

  next(view, by, at = page.views.indexOf(view) + by) {
    const to = page.views[at];
    if (!to) return;
    to.focus();
    to.element.scrollIntoView({ block: "nearest" });
  },

  async format() {
    const { text } = await ask("/api/format", { text: page.text() });
    if (text == null || text === page.text()) return;
    await page.saved();
    take(await ask("/api/save", { base: page.version, text }));
  },

  notice(text, ...more) {
    $("notice").hidden = !text;
    $("notice").replaceChildren(text, ...more.flatMap((one) => [" ", one]));
  },
};

const saveSoon = later(300, () => { if (page.dirty && !page.saving) save(); });

function save() {
  const text = page.text();
  page.dirty = false;
  page.saving = ask("/api/save", { base: page.version, text }).then((answer) => {
    page.saving = null;
    if (!answer.saved) return conflict(answer, text);
    page.version = answer.version;
    page.known = answer;
    if (page.dirty) { saveSoon(); return; }
    $("status").textContent = "saved";
    adopt(answer);
    if ($("auto").checked) runStale(true);
  }).catch((error) => {
    page.saving = null;
    page.notice(`Not saved: ${error.message}`, button("Try again", () => { page.notice(""); page.changed(); }));
  });
  return page.saving;
}

/** Another tab or program has changed the file. What is the same in both needs no question. */
function conflict(answer, mine) {
  const theirs = answer.cells.map((cell) => cell.text).join("");
  if (theirs === mine) { take(answer); return; }
  page.notice("The file was changed elsewhere while you typed.",
              button("Take theirs", () => { page.notice(""); page.dirty = false; take(answer); }),
              button("Keep mine", () => { page.notice(""); page.version = answer.version; page.changed(); }));
}

/** A document from the server, whatever is here. */
function take(answer) {
  page.version = answer.version;
  page.known = answer;
  rebuild(answer.cells);
  check();
}

/** What the server made of the text that is here: new boundaries, unless somebody types there. */
function adopt(answer) {
  if (!answer || page.dirty) return;
  const cells = answer.cells;
  const same = cells.length === page.views.filter((view) => view.text.trim()).length;
  if (!same && page.views.some((view) => view.focused)) {
    // The cell that is typed into keeps what it has; the others are found by their texts.
    const byText = new Map(cells.map((cell) => [cell.text.trimEnd(), cell]));
    for (const view of page.views) {
      const cell = byText.get(view.text);
      const first = cell ?? (view.focused ? cells.find((one) => one.name && view.text.startsWith(one.text.trimEnd())) : null);
      if (first) view.update(first);
    }
    return;
  }
  rebuild(cells);
}

/** Views for the cells; those whose text is the same stay, with their editors and results. */
function rebuild(cells) {
  const old = page.views;
  let begin = 0, end = 0;
  const fits = (view, cell) => view.text === cell.text.trimEnd();
  while (begin < Math.min(old.length, cells.length) && fits(old[begin], cells[begin])) begin++;
  while (end < Math.min(old.length, cells.length) - begin && fits(old.at(-1 - end), cells.at(-1 - end))) end++;
  const middle = old.slice(begin, old.length - end), wanted = cells.slice(begin, cells.length - end);
  // As many as before: the same cells with other texts. Empty ones that wait for text stay.
  const views = wanted.map((cell, i) => {
    const known = middle.length === wanted.length ? middle[i] : middle.find((view) => view && cell.name && view.cell.name === cell.name);
    if (!known) return new CellView(page, cell);
    middle[middle.indexOf(known)] = null;
    known.setText(cell.text);
    return known;
  });
  for (const view of middle) {
    if (view && view.focused && !view.text.trim()) views.push(view);
    else view?.destroy();
  }
  page.views = [...old.slice(0, begin), ...views, ...old.slice(old.length - end)];
  let before = null;
  for (const view of page.views) {
    const place = before ? before.element.nextElementSibling : main.firstElementChild;
    if (place !== view.element) before ? before.element.after(view.element) : main.prepend(view.element);
    before = view;
  }
  let at = 0;
  for (const view of page.views) {
    if (!view.text.trim()) continue;
    const cell = cells[at++];
    view.tail = cell.text.slice(view.text.length) || "\n";
    view.records = page.records.get(cell.name) ?? noRecords;
    view.update(cell);
  }
  if (!page.views.length) page.add(null);
  invite();
}

/** What to do with an empty file. */
function invite() {
  $("empty").hidden = page.views.some((view) => view.text.trim());
  nameDevices($("devices"), page);
}

page.records = new Map();
const noRecords = new Map();

function takeRecords(records) {
  const touched = new Set();
  for (const record of records) {
    if (!page.records.has(record.cell)) page.records.set(record.cell, new Map());
    page.records.get(record.cell).set(record.device, record);
    touched.add(record.cell);
  }
  for (const view of page.views) {
    if (!touched.has(view.cell.name)) { view.results.comparison.update(); continue; }
    view.records = page.records.get(view.cell.name);
    view.draw();
  }
  const running = page.views.filter((view) => view.running).length;
  $("stop-all").hidden = running === 0;
  if (running) $("status").textContent = running === 1 ? `1 cell runs${progress()}` : `${running} cells run`;
  else if (touched.size) $("status").textContent = "";
}

/** "128 of 512 points" of the one cell that runs. */
function progress() {
  const told = page.views.flatMap((view) => view.list()).find((record) => record.phase === "running" && record.progress)?.progress;
  return told ? `: ${told}` : "";
}

/** At once; while an answer is on its way, the newest text waits for it. */
async function check() {
  page.unchecked = true;
  if (page.checking) return;
  page.checking = true;
  while (page.unchecked) {
    page.unchecked = false;
    await checkOnce();
  }
  page.checking = false;
}

async function checkOnce() {
  const text = page.text();
  let problems;
  try { ({ problems } = await ask("/api/check", { text })); } catch { return; }
  if (text !== page.text()) return;
  let line = 0;
  for (const view of page.views) {
    const end = line + lineCount(view.whole());
    const own = problems.filter((problem) => problem.range.start.line >= line && problem.range.start.line < end);
    const changed = own.length !== view.problems.length;
    view.showProblems(own);
    if (changed) view.draw();
    line = end;
  }
}

/** `again`: only those that have run before. */
async function runStale(again = false) {
  await page.saved();
  const cells = page.views.filter((view) => view.stale && (!again || view.list().length)).map((view) => view.cell.name);
  if (cells.length) await ask("/api/run", { cells });
  else if (!again) $("status").textContent = "Nothing to run: every result is of its cell's text.";
}

function takeState(state) {
  page.at = state.at;
  const others = state.devices.join() !== page.devices.join();
  page.devices = state.devices;
  takeRecords(state.records);
  if (state.whole && (state.version !== page.version || others)) {
    if (page.dirty || page.saving) page.known = null;  // The save in progress tells.
    else take(state);
  } else if (!state.whole) {  // Lua whose runs are others now.
    for (const cell of state.cells) page.views.find((view) => view.cell.name === cell.name)?.update(cell);
  }
  if (others) devicesMenu($("devices"), page);
}

async function follow() {
  for (let wait = 1;;) {
    try {
      takeState(await ask(`/api/state?since=${page.at}&wait=20`));
      if (wait > 1) page.notice("");
      wait = 1;
    } catch (error) {
      page.notice(error.status === 403 ? "The server was started again: open the address that it printed."
                                       : "The server does not answer. What you typed is kept here.");
      await new Promise((done) => setTimeout(done, wait * 500));
      wait = Math.min(wait * 2, 16);
    }
  }
}

async function begin() {
  const { words, devices, help } = await ask("/api/words");
  setWords(words);
  page.help = help;
  page.known_devices = devices;
  const state = await ask("/api/state?since=0");
  page.version = state.version;
  page.at = state.at;
  page.devices = state.devices;
  document.title = `${state.file} – gpx`;
  $("file").textContent = state.file;
  takeRecords(state.records);
  take(state);
  devicesMenu($("devices"), page);
  galleryMenu($("gallery"), page);
  shareMenu($("share"), page);
  helpMenu($("help"), page);
  $("to-gallery").addEventListener("click", () => { $("gallery").open = true; $("gallery").querySelector("summary").focus(); });
  $("to-example").addEventListener("click", () => page.add(null, EXAMPLE));
  $("run-stale").addEventListener("click", () => runStale());
  $("stop-all").addEventListener("click", () =>
    ask("/api/stop", { cells: page.views.filter((view) => view.running).map((view) => view.cell.name) }));
  document.documentElement.dataset.live = "true";
  follow();
}

begin().catch((error) => page.notice(`The page cannot begin: ${error.message}`));
