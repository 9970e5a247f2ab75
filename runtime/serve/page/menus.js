// The menus of the page: devices, gallery, sharing.
import { ask, button, make } from "/api.js";

/** A menu closes when the focus or the pointer goes elsewhere, and by Escape. */
function closing(menu) {
  if (menu.dataset.closing) return;
  menu.dataset.closing = "true";
  menu.addEventListener("toggle", () => {  // It stays within the window.
    const panel = menu.querySelector("div");
    panel.style.left = "";
    const over = panel.getBoundingClientRect().right - (document.documentElement.clientWidth - 8);
    if (menu.open && over > 0) panel.style.left = `${-over}px`;
  });
  document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

/** The chosen devices; as written: those that cells name. */
function nameDevices(menu, page) {
  const written = [...new Set(page.views.map((view) => view.text.match(/^\s*device\s+([\w.:-]+)/m)?.[1]).filter(Boolean))];
  const names = page.devices.map((name) => name === "auto" ? `as written${written.length ? ` (${written.join(", ")})` : ""}` : name);
  menu.querySelector("summary").textContent = `Devices: ${names.length > 2 ? names.length : names.join(", ")}`;
}

function devicesMenu(menu, page) {
  closing(menu);
  nameDevices(menu, page);
  const known = [{ name: "auto", shown: "as written", about: "your GPU if there is one, else the device of each cell" }, ...page.known_devices];
  for (const name of page.devices)
    if (!known.some((one) => one.name === name)) known.push({ name, about: "" });
  const rank = ({ name }) => page.devices.includes(name) ? 0 : name === "auto" ? 1 : 2;
  const unique = known.filter((one, i) => known.findIndex((other) => other.name === one.name) === i).sort((a, b) => rank(a) - rank(b));
  // As written is a device that may also have a name of its own: one or the other.
  const alone = ({ target }) => {
    if (target.checked) for (const { firstChild: box } of boxes) if ((box.value === "auto") !== (target.value === "auto")) box.checked = false;
  };
  const boxes = unique.map(({ name, shown, about }) => make("label", { class: "choice" },
    make("input", { type: "checkbox", value: name, checked: page.devices.includes(name), onchange: alone }), shown ?? name,
    make("span", { class: "note" }, about)));
  const set = () => {
    const devices = boxes.map((box) => box.firstChild).filter((box) => box.checked).map((box) => box.value);
    if (!devices.length) return;
    menu.open = false;
    ask("/api/devices", { devices }).catch((error) => page.notice(error.message));
  };
  menu.querySelector("div").replaceChildren(
    make("p", { class: "note" }, "Cells run on every chosen device; their results are one picture."),
    make("div", { class: "choices" }, ...boxes), button("Use these", set));
}

function galleryMenu(menu, page) {
  closing(menu);
  let filled = false;
  menu.addEventListener("toggle", async () => {
    if (!menu.open || filled) return;
    filled = true;
    const { shelves } = await ask("/api/gallery");
    const take = async (name) => {
      menu.open = false;
      const { text, written } = await ask("/api/gallery", { name });
      const view = page.add(page.views.at(-1) ?? null, text.trimEnd());
      view.element.scrollIntoView({ block: "start", behavior: "instant" });
      if (written.length) page.notice(`${written.join(", ")} was written next to the file.`, button("OK", () => page.notice("")));
    };
    menu.querySelector("div").replaceChildren(...shelves.flatMap((shelf) => [
      make("h2", {}, shelf.title),
      make("ul", {}, ...shelf.entries.map(({ name, title }) =>
        make("li", {}, button(title || name, () => take(name), { class: "link" }))))]));
  });
}

/** The language's words, each with a line; those that hold what is typed. */
function helpMenu(menu, page) {
  closing(menu);
  const list = make("dl", { class: "words" }), filter = make("input", { type: "text", placeholder: "load, sweep, shared ...", "aria-label": "Words that hold" });
  const draw = () => list.replaceChildren(...page.help.filter((one) => `${one.syntax} ${one.help}`.toLowerCase().includes(filter.value.toLowerCase()))
    .flatMap((one) => [make("dt", {}, make("code", {}, one.syntax)), make("dd", {}, one.help)]));
  filter.addEventListener("input", draw);
  menu.addEventListener("toggle", () => { if (menu.open) { draw(); filter.focus(); } });
  menu.querySelector("div").replaceChildren(make("p", { class: "note" }, "Words of the language. Point at one in a cell for more, or run gpx help WORD."), filter, list);
}

/** Packed and unpacked texts of links. */
async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
async function packed(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
async function unpacked(link) {
  const binary = atob(link.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), Uint8Array.from(binary, (c) => c.charCodeAt(0))));
}

const kMark = "#source=";

function shareMenu(menu, page) {
  closing(menu);
  const link = make("input", { type: "text", readonly: true, "aria-label": "Link with the source", onfocus: (event) => event.target.select() });
  menu.addEventListener("toggle", async () => {
    if (menu.open) files.hidden = !/\bfrom\s+"|"[^"\s]+\.lua"/.test(page.text());
    if (menu.open) link.value = `${location.origin}/${kMark}${await packed(page.text())}`;
  });
  const files = make("p", { class: "note", hidden: true }, "It does not hold kernels (.cu) and scripts (.lua): send those files, too.");
  const copied = make("span", { class: "note", "aria-live": "polite" });
  const copy = async () => {
    link.select();
    try { await navigator.clipboard.writeText(link.value); copied.textContent = "copied"; } catch { copied.textContent = "press Ctrl-C to copy"; }
  };
  const save = async () => {
    const answer = await fetch("/api/export");
    if (!answer.ok) { page.notice((await answer.json()).error.message); return; }
    const url = URL.createObjectURL(await answer.blob());
    make("a", { href: url, download: document.title.split(" ")[0].replace(/\.gpx$/, "") + ".html" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    menu.open = false;
  };
  menu.querySelector("div").replaceChildren(
    make("p", { class: "note" }, "The link holds the text itself. It opens on any page of gpx serve."), link,
    make("div", { class: "tools" }, button("Copy", copy), copied), files,
    make("p", { class: "note" }, "One file with all results and their code, for any browser:"), button("Save as HTML", save));
  offer(page);
}

/** A link with a source was opened: nothing of it is taken without a word. */
async function offer(page) {
  if (!location.hash.startsWith(kMark)) return;
  let text;
  try { text = await unpacked(location.hash.slice(kMark.length)); } catch { page.notice("This link is damaged."); return; }
  history.replaceState(null, "", "/");
  const add = () => { page.notice(""); page.add(page.views.at(-1) ?? null, text.trimEnd()); };
  page.notice("A shared text:", make("pre", {}, text), button("Add it to this file", add), button("Leave it", () => page.notice("")));
}

export { devicesMenu, galleryMenu, helpMenu, nameDevices, shareMenu };
