// What the page of gpx serve uses of CodeMirror 6: bundle.sh makes editor.min.js of it.
export { EditorState, Compartment, Prec, StateEffect, StateField, RangeSetBuilder, Annotation } from "@codemirror/state";
export { EditorView, keymap, drawSelection, highlightActiveLine, hoverTooltip, lineNumbers, Decoration, ViewPlugin, placeholder } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { autocompletion, completionKeymap, acceptCompletion, startCompletion, closeBrackets } from "@codemirror/autocomplete";
export { setDiagnostics, lintGutter, lintKeymap, forEachDiagnostic } from "@codemirror/lint";
export { StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentUnit } from "@codemirror/language";
export { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export { lua } from "@codemirror/legacy-modes/mode/lua";
export { cpp } from "@codemirror/legacy-modes/mode/clike";
export { tags } from "@lezer/highlight";
