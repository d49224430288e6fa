// Reads files as JSON from the input, [{name, text}], and prints for each the errors that
// the language's own parser, or its grammar, has for it: TypeScript's compiler, and for C#
// the grammar that Visual Studio Code uses.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

const require = createRequire(import.meta.url);
const { Parser, Language } = require("@vscode/tree-sitter-wasm");
const folder = dirname(require.resolve("@vscode/tree-sitter-wasm"));
await Parser.init({ locateFile: (name) => join(folder, name) });
const csharp = new Parser();
csharp.setLanguage(await Language.load(join(folder, "tree-sitter-c-sharp.wasm")));

function errorsOf({ name, text }) {
  if (!name.endsWith(".cs")) {
    return ts.createSourceFile(name, text, ts.ScriptTarget.Latest).parseDiagnostics.map((d) => ts.flattenDiagnosticMessageText(d.messageText, " "));
  }
  const errors = [];
  const visit = (node) => {
    if (node.isError || node.isMissing) errors.push(`${node.type} at line ${node.startPosition.row + 1}`);
    if (node.hasError) node.children.forEach(visit);
  };
  visit(csharp.parse(text).rootNode);
  return errors;
}
const files = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(files.map(errorsOf)));
