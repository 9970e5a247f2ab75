// The menus of the page: devices, gallery, sharing.
import { ask, button, make } from "/api.js";

/** A menu closes when the focus or the pointer goes elsewhere, and by Escape. */
function closing(menu) {
  if (menu.dataset.closing) return;
  menu.dataset.closing = "true";
  document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

function devicesMenu(menu, page) {
  closing(menu);
  menu.querySelector("summary").textContent = page.devices.length > 2 ? `${page.devices.length} devices` : page.devices.join(", ");
  const known = [{ name: "auto", about: "the first real GPU, else a virtual one" }, ...page.known_devices];
  for (const name of page.devices)
    if (!known.some((one) => one.name === name)) known.push({ name, about: "" });
  const boxes = known.map(({ name, about }) => make("label", { class: "choice" },
    make("input", { type: "checkbox", value: name, checked: page.devices.includes(name) }), name,
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
      page.add(page.views.at(-1) ?? null, text.trimEnd());
      if (written.length) page.notice(`${written.join(", ")} was written beside the file.`);
    };
    menu.querySelector("div").replaceChildren(...shelves.flatMap((shelf) => [
      make("h2", {}, shelf.title),
      make("ul", {}, ...shelf.entries.map(({ name, title }) =>
        make("li", {}, button(title || name, () => take(name), { class: "link" }))))]));
  });
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
    if (menu.open) link.value = `${location.origin}/${kMark}${await packed(page.text())}`;
  });
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

export { devicesMenu, galleryMenu, shareMenu };
