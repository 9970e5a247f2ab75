// Draws a report's curves (uPlot) and heat maps from the data that stand beside them: zoom by drag,
// buttons and keys, values under the pointer, a table of the data behind each.
// Covered by tests/browser/report_test.py.
"use strict";
(() => {
  const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [13, 5]];
  const ROWS_AT_ONCE = 500;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** An element with attributes and children; texts become text, never markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on"))
        element.addEventListener(name.slice(2), value);
      else
        element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  /** 12 KB, 10 ms, 3.5: as the report's tables say it. */
  function shown(value, unit) {
    if (value == null || !isFinite(value)) return "–";
    const trim = (v) => String(Number(v.toPrecision(6)));
    if (unit === "B") {
      const names = ["B", "KB", "MB", "GB"];
      let i = 0;
      while (i < 3 && Math.abs(value) >= 1024 && value % 1024 === 0) {
        value /= 1024;
        i++;
      }
      return `${trim(value)} ${names[i]}`;
    }
    if (unit === "B/s") {
      const names = ["B/s", "KB/s", "MB/s", "GB/s"];
      let i = 0;
      while (i < 3 && Math.abs(value) >= 1000) {
        value /= 1000;
        i++;
      }
      return `${trim(value)} ${names[i]}`;
    }
    if (unit === "s" || unit === "Hz") {
      const names = { s: ["ns", "µs", "ms", "s"], Hz: ["Hz", "kHz", "MHz", "GHz"] }[unit];
      let scale = unit === "s" ? value * 1e9 : value, i = 0;
      while (i < 3 && Math.abs(scale) >= 1000) {
        scale /= 1000;
        i++;
      }
      return `${trim(scale)} ${names[i]}`;
    }
    return unit ? `${trim(value)} ${unit}` : trim(value);
  }

  /** For an axis: short, without the axis's own unit. */
  function tick(value, unit) {
    if (value == null) return "";
    if (["B", "B/s", "s", "Hz"].includes(unit)) return shown(value, unit);
    if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
    if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
    return String(Number(value.toPrecision(6)));
  }

  /** Steps between ticks of bytes: powers of two. Of other whole numbers: 1, 2, 5, 10, ... */
  const BYTES = Array.from({ length: 48 }, (_, i) => 2 ** i);
  const WHOLE = Array.from({ length: 48 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

  const named = (axis) =>
    axis.unit && !["B", "B/s", "s", "Hz"].includes(axis.unit) ? `${axis.name} (${axis.unit})` : axis.name;

  /** A table behind a picture, made when it is first opened, a few hundred rows at a time. */
  function dataTable(title, heads, count, rowOf) {
    const body = make("tbody");
    const more = make("button", { type: "button" }, "More rows");
    let next = 0;
    const add = () => {
      for (const end = Math.min(count, next + ROWS_AT_ONCE); next < end; next++) {
        const [first, ...rest] = rowOf(next);
        body.append(make("tr", {}, make("th", { scope: "row" }, first),
                         ...rest.map((cell) => make("td", {}, cell))));
      }
      more.hidden = next >= count;
    };
    more.addEventListener("click", add);
    const head = make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col" }, h))));
    const frame = make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title },
                       make("table", {}, make("caption", {}, title), head, body));
    const details = make("details", { class: "data" },
                         make("summary", {}, `Data: ${title} (${count} rows)`), frame,
                         make("div", { class: "tools" }, more));
    details.addEventListener("toggle", () => { if (details.open && next === 0) add(); });
    return details;
  }

  // ---- curves ---------------------------------------------------------------------------------

  const positions = (x) =>
    Array.isArray(x) ? x : Array.from({ length: x.n }, (_, i) => x.from + i * x.step);

  /** One x for all curves of a panel, as uPlot wants it. */
  function aligned(panel, xs) {
    const same = panel.curves.every((curve) => curve.x === panel.curves[0].x);
    const strict = (x) => x.every((value, i) => i === 0 || x[i - 1] < value);
    if (same && panel.curves.length > 0)
      return [xs[panel.curves[0].x], ...panel.curves.map((c) => c.y)];
    const tables = panel.curves.map((curve) => {
      const x = xs[curve.x];
      if (strict(x)) return [x, curve.y];
      const keep = x.map((value, i) => i).filter((i) => i === 0 || x[i - 1] < x[i]);
      return [keep.map((i) => x[i]), keep.map((i) => curve.y[i])];
    });
    return tables.length ? uPlot.join(tables) : [[]];
  }

  class Curves {
    constructor(figure, data) {
      this.figure = figure;
      this.chart = figure.querySelector(".chart");
      this.caption = figure.querySelector("figcaption").textContent;
      this.logX = data.x.log;
      this.logY = data.panels.some((panel) => panel.log);
      this.hidden = new Set();
      this.labels = [];
      this.plots = [];
      this.range = null;
      this.build(data);
      this.take(data);
    }

    /** Draws data, also others than before. What was hidden and zoomed stays so. */
    take(data) {
      this.data = data;
      this.xs = data.xs.map(positions);
      this.tables = data.panels.map((panel) => aligned(panel, this.xs));
      const before = this.labels;
      this.labels = [];
      for (const panel of data.panels)
        for (const {label, run, colour, dash} of panel.curves) {
          const same = (known) => known.label === label && known.run === run;
          if (!this.labels.some(same))
            this.labels.push(Object.assign(before.find(same) ?? {}, {label, run, colour, dash}));
        }
      this.chart.lastChild.replaceWith(this.keys());
      for (const old of this.figure.querySelectorAll(":scope > details.data")) old.remove();
      this.chart.after(...data.panels.map((panel, i) => this.table(panel, this.tables[i])));
      this.draw();
    }

    /** The same figure with later data is another element: the chart goes there. */
    moveTo(figure, data) {
      figure.querySelector(".chart").replaceWith(this.chart);
      this.figure = figure;
      this.take(data);
    }

    style(curve) { return {stroke: `--c${curve.colour}`, dash: DASHES[curve.dash]}; }

    build(data) {
      const button = (text, label, act, more = {}) =>
        make("button", { type: "button", "aria-label": label, title: label, onclick: act, ...more }, text);
      const toggle = (text, label, which) => {
        const made = button(text, label, () => {
          this[which] = !this[which];
          made.setAttribute("aria-pressed", this[which]);
          this.draw();
        }, { "aria-pressed": this[which] });
        return made;
      };
      this.tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Zoom and scales" },
        button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
        button("←", "Move left", () => this.move(-0.25)), button("→", "Move right", () => this.move(0.25)),
        button("All", "Show all", () => this.reset()));
      if (!data.x.words.length && data.xs.some((x) => positions(x).some((v) => v > 0)))
        this.tools.append(toggle("log x", "Logarithmic x axis", "logX"));
      this.tools.append(toggle("log y", "Logarithmic y axes", "logY"));
      this.area = make("div", { class: "panels", tabindex: "0", role: "application",
        "aria-label": `${this.caption}. Arrow keys read the values, plus and minus zoom, 0 shows all.` });
      this.area.addEventListener("keydown", (event) => this.key(event));
      this.readout = make("div", { class: "readout", "aria-hidden": "true" },
        make("span", { class: "note" }, "Point at the plot, or use the arrow keys in it, to read its values."));
      this.said = make("div", { class: "said", "aria-live": "polite" });
      this.chart.append(this.tools, this.area, this.readout, this.said, make("ul"));
      new ResizeObserver(() => this.fit()).observe(this.area);
    }

    /** Curves, pointer and text have one scale: the picture is drawn as wide as its place is. */
    fit() {
      const width = this.width();
      if (this.area.clientWidth < 50) return;  // It is hidden.
      for (const plot of this.plots)
        if (plot.width !== width) plot.setSize({ width, height: plot.height });
    }

    width() { return Math.max(200, Math.floor(this.area.clientWidth)); }

    keys() {
      const list = make("ul", { class: "keys", "aria-label": "Curves: press to hide or show" });
      if (this.labels.length < 2) return list;
      for (const known of this.labels) {
        const { stroke, dash } = this.style(known);
        const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        line.setAttribute("viewBox", "0 0 22 10");
        line.setAttribute("aria-hidden", "true");
        const stretch = document.createElementNS(line.namespaceURI, "path");
        stretch.setAttribute("d", "M0 5H22");
        stretch.setAttribute("stroke-width", "3");
        stretch.setAttribute("stroke-dasharray", dash.join(" "));
        stretch.style.stroke = `var(${stroke})`;
        line.append(stretch);
        const entry = make("button", { type: "button", class: "key", "aria-pressed": !this.hidden.has(known) },
                           line, known.label || "all");
        entry.addEventListener("click", () => {
          if (!this.hidden.delete(known)) this.hidden.add(known);
          entry.setAttribute("aria-pressed", !this.hidden.has(known));
          this.draw();
        });
        list.append(make("li", {}, entry));
      }
      return list;
    }

    table(panel, columns) {
      const heads = [named(this.data.x), ...panel.curves.map((c) => c.label || named(panel))];
      return dataTable(`${panel.name} over ${this.data.x.name}`, heads, columns[0].length, (row) =>
        columns.map((column, i) => i === 0 ? this.atX(column[row]) : shown(column[row], panel.unit)));
    }

    atX(value) {
      const words = this.data.x.words;
      return words.length ? words[Math.round(value)] ?? "" : shown(value, this.data.x.unit);
    }

    visible(curve) {
      for (const known of this.hidden)
        if (known.label === curve.label && known.run === curve.run) return false;
      return true;
    }

    draw() {
      for (const plot of this.plots) plot.destroy();
      this.plots = [];
      this.area.replaceChildren();
      const last = this.data.panels.length - 1;
      this.data.panels.forEach((panel, index) => {
        const holder = make("div", { class: "panel" });
        this.area.append(holder);
        this.plots.push(new uPlot(this.options(panel, index, index === last), this.tables[index], holder));
      });
      this.full = this.extent();
      this.scale(this.range ?? this.full);
      this.area.dataset.ready = "true";
    }

    options(panel, index, last) {
      const { x } = this.data;
      const grid = { stroke: colour("--line"), width: 1 };
      const font = "12px system-ui, sans-serif";
      const axis = { stroke: colour("--quiet"), grid, ticks: grid, font, labelFont: `600 ${font}` };
      const words = x.words;
      return {
        width: this.width(),
        height: index === 0 ? 320 : 190,
        legend: { show: false },
        cursor: {
          sync: { key: this.figure.id },
          drag: { x: true, y: false, setScale: false },
          points: { size: 7 },
          focus: { prox: 24 },
        },
        scales: {
          x: { time: false, distr: this.logX ? 3 : 1, log: x.unit === "B" ? 2 : 10 },
          y: { distr: this.logY ? 3 : 1, log: panel.unit === "B" ? 2 : 10, range: this.logY ? undefined : (u, low, high) => {
            const [least, greatest] = this.ends(u, panel);
            return least > greatest ? padded(low, high)
                                    : padded(Math.min(low, least), Math.max(high, greatest));
          } },
        },
        series: [{}, ...panel.curves.map((curve) => {
          const { stroke, dash } = this.style(curve);
          return { label: curve.label || panel.name, stroke: colour(stroke), width: 2, dash,
                   paths: words.length ? () => null : undefined,  // Words have no order.
                   show: this.visible(curve), points: { size: 5, show: curve.y.length <= 40 } };
        })],
        axes: [
          { ...axis, label: last ? named(x) : undefined, size: 36, labelSize: 22, space: x.unit ? 72 : 50,
            values: (u, splits) => splits.map((v) => words.length
              ? (Number.isInteger(v) ? words[v] ?? "" : "") : tick(v, x.unit)),
            incrs: x.unit === "B" ? BYTES : words.length || this.xs.every((all) => all.every(Number.isInteger)) ? WHOLE : undefined },
          { ...axis, label: named(panel), size: named(panel) === panel.name && panel.unit ? 84 : 64, labelSize: 22, incrs: panel.unit === "B" ? BYTES : undefined,
            values: (u, splits) => splits.map((v) => tick(v, panel.unit)) },
        ],
        hooks: {
          draw: [(u) => { this.drawIntervals(u, panel); this.drawMarks(u, index === 0); }],
          setCursor: [(u) => this.hover(u)],
          setSelect: [(u) => this.select(u)],
          ready: [(u) => {
            u.over.addEventListener("dblclick", () => this.reset());
            // Whatever grows above a plot moves it.
            u.over.addEventListener("mousemove", () => u.syncRect(true), true);
          }],
        },
      };
    }

    /** The least and the greatest end of the intervals that stand within the x that is shown. */
    ends(u, panel) {
      let low = Infinity, high = -Infinity;
      const { min, max } = u.scales.x;
      for (const curve of panel.curves) {
        if (!curve.low || !this.visible(curve)) continue;
        this.xs[curve.x].forEach((x, i) => {
          if (x < min || x > max || curve.low[i] == null || curve.high[i] == null) return;
          low = Math.min(low, curve.low[i]);
          high = Math.max(high, curve.high[i]);
        });
      }
      return [low, high];
    }

    /** The interval of each point, as a line through it. */
    drawIntervals(u, panel) {
      const { ctx, bbox } = u;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.globalAlpha = 0.4;
      ctx.lineWidth = 3 * (window.devicePixelRatio || 1);
      for (const curve of panel.curves) {
        if (!curve.low || !this.visible(curve)) continue;
        ctx.strokeStyle = colour(this.style(curve).stroke);
        ctx.beginPath();
        this.xs[curve.x].forEach((x, i) => {
          if (curve.low[i] == null || curve.high[i] == null || curve.low[i] >= curve.high[i]) return;
          const at = u.valToPos(x, "x", true);
          ctx.moveTo(at, u.valToPos(curve.low[i], "y", true));
          ctx.lineTo(at, u.valToPos(curve.high[i], "y", true));
        });
        ctx.stroke();
      }
      ctx.restore();
    }

    /** Steps and saturations: a band for the interval, a line at the value, its name above. */
    drawMarks(u, labelled) {
      const { ctx, bbox } = u;
      const scale = window.devicePixelRatio || 1;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.font = `${11 * scale}px system-ui, sans-serif`;
      ctx.textBaseline = "top";
      ctx.textAlign = "left";
      const ends = [];
      const marks = [...this.data.marks].sort((a, b) => a.x - b.x);
      for (const mark of marks) {
        const at = u.valToPos(mark.x, "x", true);
        const low = u.valToPos(mark.low, "x", true), high = u.valToPos(mark.high, "x", true);
        if (!isFinite(at)) continue;
        ctx.fillStyle = ctx.strokeStyle = colour("--poor");
        ctx.globalAlpha = 0.13;
        ctx.fillRect(low, bbox.top, Math.max(high - low, 2 * scale), bbox.height);
        ctx.globalAlpha = 0.85;
        ctx.lineWidth = scale;
        ctx.setLineDash(DASHES[mark.run % DASHES.length].map((v) => v * scale));
        ctx.beginPath();
        ctx.moveTo(at, bbox.top);
        ctx.lineTo(at, bbox.top + bbox.height);
        ctx.stroke();
        if (!labelled) continue;
        const run = this.data.runs.length > 1 ? `${this.data.runs[mark.run]}: ` : "";
        const text = `${run}${mark.name.replace(/^[^[]*\./, "")} ${this.atX(mark.x)}`;
        const width = ctx.measureText(text).width + 10 * scale;
        const after = at + width <= bbox.left + bbox.width;
        const left = Math.max(bbox.left + 4 * scale, after ? at + 4 * scale : at - width);
        let row = ends.findIndex((end) => end <= left);
        if (row < 0) row = ends.length;
        ends[row] = left + width;
        if (row > 5) continue;
        ctx.globalAlpha = 1;
        const top = bbox.top + (2 + row * 14) * scale;
        ctx.fillStyle = colour("--page");
        ctx.globalAlpha = 0.8;
        ctx.fillRect(left - 2 * scale, top - scale, width - 6 * scale, 13 * scale);
        ctx.globalAlpha = 1;
        ctx.fillStyle = colour("--poor");
        ctx.fillText(text, left, top);
      }
      ctx.restore();
    }

    /** The values of all panels at the pointer, beneath the plot. */
    hover(u) {
      const index = u.cursor.idx;
      if (index == null || u.cursor.left < 0) return;
      this.show(u.data[0][index]);
    }

    show(x) {
      const parts = [make("span", { class: "at" }, `${this.data.x.name} ${this.atX(x)}`)];
      this.data.panels.forEach((panel, i) => {
        const columns = this.tables[i];
        const row = nearest(columns[0], x);
        panel.curves.forEach((curve, c) => {
          const value = columns[c + 1][row];
          if (value == null || columns[0][row] !== x || !this.visible(curve)) return;
          const { stroke } = this.style(curve);
          const own = curve.low ? this.xs[curve.x].indexOf(x) : -1;
          const wide = own >= 0 && curve.low[own] < curve.high[own];
          const ends = wide ? ` (${shown(curve.low[own], panel.unit)} to ${shown(curve.high[own], panel.unit)})` : "";
          parts.push(make("span", { style: `color: var(${stroke})` },
            `${panel.name}${curve.label ? ` ${curve.label}` : ""}: ${shown(value, panel.unit)}${ends}`));
        });
      });
      this.readout.replaceChildren(...parts);
      this.current = x;
    }

    select(u) {
      if (u.select.width < 4) return;
      const low = u.posToVal(u.select.left, "x"), high = u.posToVal(u.select.left + u.select.width, "x");
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      this.apply([low, high]);
    }

    extent() {
      let low = Infinity, high = -Infinity;
      for (const x of this.xs)
        for (const value of x)
          if (value != null && (!this.logX || value > 0)) {
            low = Math.min(low, value);
            high = Math.max(high, value);
          }
      return [low, high];
    }

    apply([low, high]) {
      const [first, last] = this.full;
      this.range = [Math.max(first, low), Math.min(last, high)];
      if (!(this.range[0] < this.range[1])) this.range = [first, last];
      this.area.dataset.low = this.range[0];
      this.area.dataset.high = this.range[1];
      this.scale(this.range);
    }

    /** The same x in all panels, also where one has no value at an end. */
    scale([low, high]) {
      if (low < high)
        for (const plot of this.plots) plot.setScale("x", {min: low, max: high});
    }

    /** Around the middle of what is shown; on a logarithmic axis by its ratio. */
    zoom(factor) {
      const [low, high] = (this.range ?? this.full).map((v) => this.logX ? Math.log(v) : v);
      const middle = (low + high) / 2, half = (high - low) / 2 * factor;
      const back = (v) => this.logX ? Math.exp(v) : v;
      this.apply([back(middle - half), back(middle + half)]);
    }

    move(part) {
      const scale = (v) => this.logX ? Math.log(v) : v, back = (v) => this.logX ? Math.exp(v) : v;
      const [low, high] = (this.range ?? this.full).map(scale), [first, last] = this.full.map(scale);
      const by = Math.max(first - low, Math.min(last - high, (high - low) * part));
      this.apply([back(low + by), back(high + by)]);
    }

    reset() {
      this.range = null;
      delete this.area.dataset.low;
      delete this.area.dataset.high;
      this.scale(this.full);
    }

    key(event) {
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
      const acts = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.reset() };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (acts[event.key])
        acts[event.key]();
      else if (event.key in steps || event.key === "Home" || event.key === "End")
        this.step(event.key, steps);
      else
        return;
      event.preventDefault();
    }

    step(key, steps) {
      const x = this.tables[0][0];
      if (!x.length) return;
      const now = this.current == null ? -1 : nearest(x, this.current);
      const to = key === "Home" ? 0 : key === "End" ? x.length - 1 : now + steps[key];
      const at = x[Math.max(0, Math.min(x.length - 1, to))];
      this.show(at);
      for (const plot of this.plots)
        plot.setCursor({ left: plot.valToPos(at, "x"), top: plot.over.clientHeight / 2 }, false);
      this.said.textContent = [...this.readout.children].map((part) => part.textContent).join(", ");
    }
  }

  /** A tenth of room above and below; a flat curve keeps some. */
  function padded(low, high) {
    if (low == null || high == null) return [0, 1];
    const room = high > low ? (high - low) * 0.08 : Math.abs(high) * 0.1 || 1;
    return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
  }

  function nearest(sorted, value) {
    let low = 0, high = sorted.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value)
        low = middle + 1;
      else
        high = middle;
    }
    return low > 0 && value - sorted[low - 1] < sorted[low] - value ? low - 1 : low;
  }

  // ---- heat maps ------------------------------------------------------------------------------

  // Viridis at nine places: even steps of lightness, told apart by colour-blind readers.
  const HEAT = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141],
                [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

  function heatColour(part) {
    const at = Math.max(0, Math.min(0.9999, part)) * (HEAT.length - 1), low = Math.floor(at);
    return HEAT[low].map((v, i) => Math.round(v + (HEAT[low + 1][i] - v) * (at - low)));
  }

  class Heat {
    constructor(figure, data) {
      this.figure = figure;
      this.data = data;
      this.columns = (data.x.words.length || data.x.values.length);
      this.rows = (data.y.words.length || data.y.values.length);
      this.chart = figure.querySelector(".chart");
      this.chart.classList.add("heat");
      const finite = data.cells.filter((v) => v != null);
      this.low = finite.reduce((a, b) => Math.min(a, b), Infinity);
      this.high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
      this.build(figure.querySelector("figcaption").textContent);
    }

    at(axis, index) {
      return axis.words.length ? axis.words[index] : shown(axis.values[index], axis.unit);
    }

    build(caption) {
      const { x, y } = this.data;
      this.canvas = make("canvas", { width: this.columns, height: this.rows, tabindex: "0", role: "application",
        "aria-label": `${caption}. Arrow keys read the cells.` });
      this.canvas.style.aspectRatio = String(Math.max(1.6, Math.min(4, this.columns / this.rows)));
      this.readout = make("div", { class: "readout", "aria-live": "polite" }, "Point at a cell to read it.");
      const ends = (axis, count, flip) => {
        const texts = [0, Math.floor((count - 1) / 2), count - 1].map((i) => make("span", {}, this.at(axis, i)));
        return flip ? texts.reverse() : texts;
      };
      const stops = HEAT.map((c) => `rgb(${c.join()})`).join();
      const bar = make("span", { class: "bar" });
      bar.style.background = `linear-gradient(90deg, ${stops})`;
      this.chart.append(
        make("div", { class: "note" }, `${named(y)} ↑, ${named(x)} →`),
        make("div", { class: "heat-frame" }, make("div", { class: "heat-y" }, ...ends(y, this.rows, true)),
             this.canvas, make("div", { class: "heat-x" }, ...ends(x, this.columns, false))),
        make("div", { class: "heat-scale" }, shown(this.low, this.data.unit), bar, shown(this.high, this.data.unit)),
        this.readout);
      this.chart.after(dataTable(`${this.data.name} of each cell`, [named(x), named(y), named(this.data)], this.data.cells.length, (i) =>
        [this.at(x, i % this.columns), this.at(y, Math.floor(i / this.columns)),
         shown(this.data.cells[i], this.data.unit)]));
      this.canvas.addEventListener("pointermove", (event) => {
        const box = this.canvas.getBoundingClientRect();
        this.show(Math.floor((event.clientX - box.left) / box.width * this.columns),
                  this.rows - 1 - Math.floor((event.clientY - box.top) / box.height * this.rows));
      });
      this.canvas.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (!by) return;
        event.preventDefault();
        const [column, row] = this.place ?? [-by[0], -by[1]];
        this.show(column + by[0], row + by[1]);
      });
      this.draw();
    }

    show(column, row) {
      column = Math.max(0, Math.min(this.columns - 1, column));
      row = Math.max(0, Math.min(this.rows - 1, row));
      this.place = [column, row];
      const { x, y, name, unit, cells } = this.data;
      this.readout.textContent = `${x.name} ${this.at(x, column)}, ${y.name} ${this.at(y, row)}: ` +
        `${name} ${shown(cells[row * this.columns + column], unit)}`;
    }

    draw() {
      const context = this.canvas.getContext("2d");
      const image = context.createImageData(this.columns, this.rows);
      const span = this.high - this.low || 1;
      this.data.cells.forEach((value, i) => {
        const column = i % this.columns, row = this.rows - 1 - Math.floor(i / this.columns);
        if (value == null) return;
        image.data.set([...heatColour((value - this.low) / span), 255], 4 * (row * this.columns + column));
      });
      context.putImageData(image, 0, 0);
    }
  }

  // ---- start ----------------------------------------------------------------------------------

  let drawn = [];

  /** Draws each new figure in an element. If an earlier figure had the same id, its zoom is kept.
   *  Pages that show parts of reports call it. */
  function draw(root) {
    for (const figure of root.querySelectorAll("figure.drawn:not([data-drawn])")) {
      figure.dataset.drawn = "true";
      const data = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
      const before = drawn.find((one) => one.figure.id === figure.id && one.moveTo && !one.chart.isConnected);
      if (before) before.moveTo(figure, data);
      else drawn.push(new (figure.dataset.kind === "heat" ? Heat : Curves)(figure, data));
    }
    drawn = drawn.filter((one) => one.chart.isConnected);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn.forEach((one) => one.draw());
  });
  globalThis.gpxReport = { draw };
  draw(document);
  // uPlot draws after this script: tell it when a frame with all of it was shown.
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark("drawn");
    document.documentElement.dataset.ready = "true";
  }));
})();
