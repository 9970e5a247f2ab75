// Starts `gpx lsp` for files of gpx.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const program = { command: workspace.getConfiguration("gpx").get("path"), args: ["lsp"] };
  client = new LanguageClient("gpx", "gpx", program, {
    documentSelector: [{ language: "gpx" }],
  });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
