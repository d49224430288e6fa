import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const modules = path.join(process.env.E2E_MODULES, '@actions/artifact/lib/artifact.js');
const { DefaultArtifactClient } = await import(pathToFileURL(modules));

const root = process.env.GITHUB_WORKSPACE;
const hidden = process.env['INPUT_INCLUDE-HIDDEN-FILES'] === 'true';
const patterns = process.env.INPUT_PATH.split('\n').map((line) => line.trim()).filter(Boolean).map(expression);

// expression is a glob with ** and * as a regular expression.
function expression(glob) {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp('^' + escaped.replaceAll('**/', '\0').replaceAll('*', '[^/]*').replaceAll('\0', '(?:.*/)?') + '$');
}

const names = fs.readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(root, path.join(entry.path, entry.name)))
  .filter((name) => patterns.some((pattern) => pattern.test(name)))
  .filter((name) => hidden || !name.split('/').some((part) => part.startsWith('.')));
if (names.length === 0) throw new Error('no file to save');
await new DefaultArtifactClient().uploadArtifact(process.env.INPUT_NAME, names.map((name) => path.join(root, name)), root);
