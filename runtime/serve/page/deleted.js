// A cell that was deleted can be taken back: by a button where it stood, and by Ctrl-Z while no editor
// has the focus, so that no edit of another cell is undone in its place.
import { button, make } from "/api.js";

let shown = null;

function close() {
  shown?.bar.remove();
  shown = null;
}

/** `place`: the element behind whose content it is shown. */
function offerUndo(name, place, act) {
  close();
  const undo = () => { close(); act(); };
  const first = button("Undo", undo, { title: "Ctrl-Z" });
  const bar = make("div", { class: "deleted", role: "status" }, `${name} was deleted.`, first, button("Dismiss", close, { class: "quiet" }));
  shown = { bar, undo };
  place.tagName === "MAIN" ? place.before(bar) : place.append(bar);
  first.focus({ preventScroll: true });
  bar.scrollIntoView({ block: "nearest", behavior: "instant" });
}

document.addEventListener("keydown", (event) => {
  const is_undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
  if (!shown || !is_undo || event.target.closest?.(".cm-editor, input[type=text]")) return;
  event.preventDefault();
  shown.undo();
});

export { offerUndo };
