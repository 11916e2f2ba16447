// Starts the language server of Numbat for grammars, lexicon tables and exercises.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const FILES = "**/*.{pg,yaml,yml,tsv}";
let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("numbat").get("command");
  const documentSelector = [
    { language: "numbat" },
    { scheme: "file", pattern: "**/*.exercise.{yaml,yml}" },
    { scheme: "file", pattern: "**/*.tsv" },
  ];
  const synchronize = { fileEvents: workspace.createFileSystemWatcher(FILES) };
  client = new LanguageClient("numbat", "Numbat", { command, args }, { documentSelector, synchronize });
  await client.start();
};

exports.deactivate = () => client?.stop();
