// Two boards side by side. The list of boards and the data of each are scripts, which a page without
// a server can load: boards.js calls gpxBoards, boards/NAME.js calls gpxBoard.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const known = new Map();  // Files to the data of their boards.
  let boards = [];          // [file, serial, device]

  function make(tag, text, css) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (css) element.className = css;
    return element;
  }

  function load(path) {
    return new Promise((done, failed) => {
      const script = make("script");
      script.src = path;
      script.onload = () => { script.remove(); done(); };
      script.onerror = () => failed(new Error("cannot read " + path));
      document.head.append(script);
    });
  }

  async function dataOf(file) {
    if (!known.has(file)) await load("boards/" + file + ".js");
    return known.get(file);
  }

  const chosen = (input) => boards.find(([file, serial]) => input.value === serial || input.value === file);

  function row(name, first, second) {
    const numbers = first && second && first[1] !== null && second[1] !== null && first[1] !== 0;
    const ratio = numbers ? second[1] / first[1] : NaN;
    const differs = numbers ? Math.abs(ratio - 1) > 0.01 : !first || !second || first[0] !== second[0];
    const line = make("tr", undefined, differs ? "differs" : "");
    const head = make("th");
    head.scope = "row";
    head.append(make("code", name));
    line.append(head, make("td", first ? first[0] : "–"), make("td", second ? second[0] : "–"),
                make("td", numbers ? ratio.toPrecision(4) : ""));
    return [line, differs];
  }

  function table(first, second, a, b) {
    const names = [...new Set([...Object.keys(a.findings), ...Object.keys(b.findings)])];
    const all = make("table", undefined, "findings");
    all.append(make("caption", "Findings of both boards"));
    const head = all.createTHead().insertRow();
    for (const text of ["finding", first[1], second[1], "second / first"]) {
      const cell = make("th", text);
      cell.scope = "col";
      head.append(cell);
    }
    const body = all.createTBody();
    let count = 0;
    for (const name of names) {
      const [line, differs] = row(name, a.findings[name], b.findings[name]);
      count += differs;
      if (differs || !$("different").checked) body.append(line);
    }
    return [all, names.length, count];
  }

  async function show() {
    const first = chosen($("first")), second = chosen($("second"));
    $("result").replaceChildren();
    if (!first || !second) {
      $("status").textContent = boards.length < 2 ? "There is only one board." : "Choose two boards.";
      return;
    }
    history.replaceState(null, "", "#" + first[0] + "," + second[0]);
    try {
      const [all, names, count] = table(first, second, await dataOf(first[0]), await dataOf(second[0]));
      const scroll = make("div", undefined, "scroll");
      scroll.tabIndex = 0;
      scroll.role = "region";
      scroll.ariaLabel = "Findings of both boards";
      scroll.append(all);
      $("result").replaceChildren(scroll);
      $("status").textContent = `${names} findings, ${count} differ.` +
        (first[2] === second[2] ? "" : ` The devices differ: ${first[2]} and ${second[2]}.`);
    } catch (error) {
      $("status").textContent = error.message;
    }
  }

  // The address names the boards' files: compare.html#first,second.
  async function fromAddress() {
    const wanted = decodeURIComponent(location.hash.slice(1)).split(",");
    const serial = (file) => (boards.find((one) => one[0] === file) || ["", ""])[1];
    $("first").value = serial(wanted[0]) || (boards[0] || ["", ""])[1];
    $("second").value = serial(wanted[1]);
    await show();
  }

  window.gpxBoards = (list) => { boards = list; };
  window.gpxBoard = (file, data) => known.set(file, data);

  async function begin() {
    await load("boards.js");
    const most = 1000;  // A longer list of suggestions is slow; any serial can be typed.
    for (const [, serial, device] of boards.slice(0, most)) {
      const option = make("option");
      option.value = serial;
      option.label = device;
      $("boards").append(option);
    }
    for (const id of ["first", "second", "different"]) $(id).addEventListener("change", show);
    $("choice").addEventListener("submit", (event) => { event.preventDefault(); show(); });
    window.addEventListener("hashchange", fromAddress);
    await fromAddress();
    document.documentElement.dataset.ready = "true";
    performance.mark("drawn");
  }
  begin();
})();
