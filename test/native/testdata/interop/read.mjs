// Reads PowerShell scripts as JSON from the input, [text], and prints what the grammar that
// Visual Studio Code uses finds in each: errors, commands with their parameters, where
// variables get a value and where they are used, all by their place in the text.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const { Parser, Language } = require("@vscode/tree-sitter-wasm");
const folder = dirname(require.resolve("@vscode/tree-sitter-wasm"));
await Parser.init({ locateFile: (name) => join(folder, name) });
const parser = new Parser();
parser.setLanguage(await Language.load(join(folder, "tree-sitter-powershell.wasm")));

const nameOf = (variable) => variable.text.replace(/[${}]/g, "").toLowerCase();

function read(text) {
  const found = { errors: [], commands: [], functions: [], assigned: [], used: [] };
  const visit = (node) => {
    const at = node.startIndex;
    if (node.isError || node.isMissing) found.errors.push(`${node.type} at line ${node.startPosition.row + 1}`);
    if (node.type === "function_name") found.functions.push(node.text);
    if (node.type === "command") {
      const name = node.descendantsOfType("command_name")[0];
      const elements = node.namedChildren.find((c) => c.type === "command_elements");
      const parameters = elements ? elements.namedChildren.filter((c) => c.type === "command_parameter").map((c) => c.text) : [];
      if (name) found.commands.push({ name: name.text, parameters });
    }
    if (node.type === "variable") {
      const top = node.parent.type;
      const assigned = top === "script_parameter" || (top === "foreach_statement" && node.parent.namedChildren.find((c) => c.type === "variable").id === node.id);
      found[assigned ? "assigned" : "used"].push({ name: nameOf(node), at });
    }
    if (node.type === "left_assignment_expression" && /^\$\w+$/.test(node.text)) {
      found.assigned.push({ name: nameOf(node), at });
      return;
    }
    node.children.forEach(visit);
  };
  visit(parser.parse(text).rootNode);
  return found;
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
