// Controls of panes: menus, and a slider over the points of a cell's sweep.
import { make } from "/api.js";

/** A menu with a label. `values`: texts, or [value, text]. */
function menu(label, value, values, act) {
  const pairs = values.map((one) => Array.isArray(one) ? one : [one, one]);
  return make("label", { class: "check" }, label, make("select", { onchange: (event) => act(event.target.value) },
    ...pairs.map(([each, text]) => make("option", { value: each, selected: each === value }, text))));
}

/** Points by number. `labels`: of each; none: there are too many to have any. */
function pointSlider(label, labels, value, act) {
  if (labels.length === 1) return null;
  if (!labels.length)
    return make("label", { class: "check" }, label, make("input", { type: "number", min: 0, value, onchange: (event) => act(Math.max(0, Math.floor(event.target.value))) }));
  const textOf = (i) => labels[i] || `point ${i}`, shown = make("output", {}, textOf(value));
  return make("label", { class: "knob" }, label, make("input", { type: "range", min: 0, max: labels.length - 1, step: 1, value, "aria-valuetext": textOf(value),
    oninput: (event) => {
      shown.textContent = textOf(event.target.value);
      event.target.setAttribute("aria-valuetext", shown.textContent);
      act(Number(event.target.value));
    } }), shown);
}

/** The devices that a pane can choose: those of the page first. */
const deviceNames = (page) => [...new Set([...page.devices, ...page.known_devices.map((one) => one.name)])];

const deviceChoices = (page) => deviceNames(page).map((name) => name === "auto" ? [name, "as written"] : name);

export { deviceChoices, deviceNames, menu, pointSlider };
