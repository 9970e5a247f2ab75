// The editor of a cell: CodeMirror with gpx's words, and the server's errors, completions and hovers.
import { ask, markdown } from "/api.js";

const cm = globalThis.gpxEditor;
const nonce = document.querySelector('meta[name="nonce"]').content;

let words = {};
const setWords = (all) => { words = all; };

/** A word's colour; `string`, `comment` and `number` are CodeMirror's own names. */
const KINDS = { keyword: "keyword", operation: "typeName", function: "propertyName", word: "atom" };

const gpxLanguage = cm.StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^x(?=\d)/)) return "keyword";
    if (stream.match(/^\d[\d.]*[A-Za-z%]*/)) return "number";
    const word = stream.match(/^[A-Za-z_][\w.]*/);
    if (word) return word[0] === "param" ? "keyword" : KINDS[words[word[0]]] ?? null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});

const highlight = cm.HighlightStyle.define([
  { tag: cm.tags.keyword, class: "t-keyword" }, { tag: cm.tags.typeName, class: "t-operation" },
  { tag: cm.tags.propertyName, class: "t-function" }, { tag: cm.tags.atom, class: "t-word" },
  { tag: cm.tags.number, class: "t-number" }, { tag: cm.tags.string, class: "t-string" },
  { tag: cm.tags.comment, class: "t-comment" }, { tag: cm.tags.meta, class: "t-function" },
  { tag: cm.tags.standard(cm.tags.variableName), class: "t-operation" },
]);

const languages = { gpx: gpxLanguage, cuda: cm.StreamLanguage.define(cm.cpp) };

const COMPLETION_KINDS = { 3: "function", 6: "variable", 9: "namespace", 11: "constant", 12: "constant", 14: "keyword" };

/** `place.whole()` is the document's text, `place.line()` the line of it where the cell begins. */
function completions(place) {
  return async (context) => {
    const word = context.matchBefore(/[\w.]*/);
    const before = context.state.sliceDoc(Math.max(0, word.from - 1), word.from);
    if (!context.explicit && word.from === word.to && !/[ (,<:=]/.test(before)) return null;
    if (!context.explicit && /^\d/.test(word.text)) return null;  // A number is whole without a unit.
    const line = context.state.doc.lineAt(context.pos);
    const position = { line: place.line() + line.number - 1, character: context.pos - line.from };
    let items;
    try { ({ items } = await ask("/api/complete", { text: place.whole(), position })); } catch { return null; }
    if (context.aborted || !items.length) return null;
    return {
      from: line.from + items[0].textEdit.range.start.character,
      options: items.map((item) => ({
        label: item.label, type: COMPLETION_KINDS[item.kind] ?? "text",
        detail: item.detail === item.label ? undefined : item.detail,
        info: item.documentation.value ? () => markdown(item.documentation.value) : undefined })),
      validFor: /^[\w.]*$/,
    };
  };
}

const HOVER_MS = 700;

function hovers(place) {
  return cm.hoverTooltip(async (view, at) => {
    const line = view.state.doc.lineAt(at);
    const position = { line: place.line() + line.number - 1, character: at - line.from };
    let hover;
    try { ({ hover } = await ask("/api/hover", { text: place.whole(), position })); } catch { return null; }
    if (!hover) return null;
    return { pos: line.from + hover.range.start.character, end: line.from + hover.range.end.character, above: true,
             create: () => ({ dom: markdown(hover.markdown) }) };
  }, { hoverTime: HOVER_MS });
}

/** Problems of the document as diagnostics of a cell that begins at `line`. */
function diagnosticsOf(state, problems, line) {
  const at = (position) => {
    const number = position.line - line + 1;
    if (number < 1) return 0;
    if (number > state.doc.lines) return state.doc.length;
    const found = state.doc.line(number);
    return Math.min(found.from + position.character, found.to);
  };
  return problems.map((problem) => ({
    from: at(problem.range.start), to: Math.max(at(problem.range.start), at(problem.range.end)),
    severity: problem.severity === 1 ? "error" : "warning", message: problem.message }));
}

/** Backgrounds of lines by number, and the line that is pointed at elsewhere. */
const setColours = cm.StateEffect.define();
const colourField = cm.StateField.define({
  create: () => ({ colours: null, lit: 0, marks: cm.Decoration.none }),
  update(value, transaction) {
    let next = value;
    for (const effect of transaction.effects) if (effect.is(setColours)) next = { ...next, ...effect.value };
    if (next === value && !transaction.docChanged) return value;
    const builder = new cm.RangeSetBuilder(), { doc } = transaction.state;
    const lines = new Set([...(next.colours?.keys() ?? []), ...(next.lit ? [next.lit] : [])]);
    for (const line of [...lines].filter((one) => one >= 1 && one <= doc.lines).sort((a, b) => a - b)) {
      const attributes = { class: line === next.lit ? "linked lit" : "linked" };
      if (next.colours?.has(line)) attributes.style = `background: ${next.colours.get(line)}`;
      builder.add(doc.line(line).from, doc.line(line).from, cm.Decoration.line({ attributes }));
    }
    return { ...next, marks: builder.finish() };
  },
  provide: (field) => cm.EditorView.decorations.from(field, (value) => value.marks),
});

/**
 * An editor in `parent`. `place` as for completions(), null for a text that is no experiment file;
 * `changed(text, byUser)`, and `keys`: [{key, run}].
 */
function editor(parent, { text, label, language = "gpx", place, changed, keys = [], focused = () => {}, pointed = () => {} }) {
  const own = cm.Annotation.define();
  const view = new cm.EditorView({
    parent,
    state: cm.EditorState.create({
      doc: text,
      extensions: [
        cm.EditorView.cspNonce.of(nonce),
        cm.Prec.high(cm.keymap.of(keys)),
        cm.lineNumbers(), cm.history(), cm.drawSelection(), cm.bracketMatching(), cm.closeBrackets(), cm.EditorView.lineWrapping,
        cm.indentUnit.of("  "), languages[language], cm.syntaxHighlighting(highlight),
        place ? [cm.autocompletion({ override: [completions(place)] }), hovers(place)] : [],
        colourField,
        cm.EditorView.domEventHandlers({
          mousemove: (event, view) => {
            const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
            pointed(at == null ? 0 : view.state.doc.lineAt(at).number);
          },
          mouseleave: () => pointed(0),
        }),
        cm.keymap.of([...cm.completionKeymap, ...cm.lintKeymap, ...cm.searchKeymap, ...cm.historyKeymap,
                      ...cm.defaultKeymap]),
        cm.EditorView.contentAttributes.of(() => ({ "aria-label": label() })),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString(), !update.transactions.some((t) => t.annotation(own)));
          if (update.focusChanged) focused(update.view.hasFocus);
        }),
      ],
    }),
  });
  return {
    view,
    /** Changes as little as there is between the two texts, so that the cursor stays. */
    replace(next) {
      const now = view.state.doc.toString();
      if (now === next) return;
      let begin = 0, end = 0;
      const most = Math.min(now.length, next.length);
      while (begin < most && now[begin] === next[begin]) begin++;
      while (end < most - begin && now[now.length - 1 - end] === next[next.length - 1 - end]) end++;
      view.dispatch({ changes: { from: begin, to: now.length - end, insert: next.slice(begin, next.length - end) },
                      annotations: own.of(true) });
    },
    /** `colours`: a map from lines to backgrounds, or null. */
    colours(colours) { view.dispatch({ effects: setColours.of({ colours }) }); },
    light(lit) { view.dispatch({ effects: setColours.of({ lit }) }); },
    /** Completions that are shown, or on their way. */
    closePopup() { cm.completionKeymap.find((one) => one.key === "Escape").run(view); },
    problems(problems, line) {
      view.dispatch(cm.setDiagnostics(view.state, diagnosticsOf(view.state, problems, line)));
    },
  };
}

export { editor, setWords };
