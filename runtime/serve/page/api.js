// Messages to the server (docs/serve.md), and small helpers for elements.

/** The JSON of an answer; throws an Error with the server's message and hint. */
async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { cache: "no-store", ...options });
  const is_json = (answer.headers.get("Content-Type") ?? "").startsWith("application/json");
  const json = is_json ? await answer.json() : { error: { message: (await answer.text()).trim() } };
  if (answer.ok || answer.status === 409) return json;
  const error = new Error(json.error?.message ?? `status ${answer.status}`);
  error.hint = json.error?.hint ?? "";
  error.text = json.error?.text ?? error.message;
  error.status = answer.status;
  throw error;
}

/** An element with attributes and children; texts become text, never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const button = (text, act, more = {}) => make("button", { type: "button", onclick: act, ...more }, text);

/** Calls `act` when nothing was asked for `delay` ms. */
function later(delay, act) {
  let timer = 0;
  return (...words) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...words), delay);
  };
}

/** The few marks of Markdown that hovers have, as elements. */
function markdown(text) {
  const block = make("div", { class: "markdown" });
  for (const paragraph of text.split(/\n\n+/)) {
    if (paragraph === "---") { block.append(make("hr")); continue; }
    const p = make("p");
    for (const part of paragraph.split(/(\*\*[^*]+\*\*|`[^`]+`)/)) {
      if (part.startsWith("**")) p.append(make("strong", {}, part.slice(2, -2)));
      else if (part.startsWith("`")) p.append(make("code", {}, part.slice(1, -1)));
      else p.append(part);
    }
    block.append(p);
  }
  return block;
}

export { ask, button, later, make, markdown };
