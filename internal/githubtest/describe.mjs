// Keeps of an OpenAPI description the operations on a repository that Breadcrumb
// may use, and what they refer to. Reads standard input, writes standard output.
import fs from 'node:fs';

const wanted = /^\/user$|^\/repos\/\{owner\}\/\{repo\}(\/(actions|activity|branches|check-runs|collaborators|commits|contents|compare|environments|git|issues|pulls|releases|rulesets)\b.*)?$/;
const all = JSON.parse(fs.readFileSync(0, 'utf8'));
const kept = { openapi: all.openapi, info: all.info, paths: {}, components: {} };
const pending = [];
for (const [path, item] of Object.entries(all.paths)) {
  // {base}...{head} is {basehead} again.
  if (wanted.test(path) && !path.includes('...')) pending.push((kept.paths[path] = without(item)));
}
while (pending.length > 0) {
  for (const reference of references(pending.pop())) {
    const [, , kind, name] = reference.split('/');
    kept.components[kind] ??= {};
    if (name in kept.components[kind]) continue;
    pending.push((kept.components[kind][name] = without(all.components[kind][name])));
  }
}
process.stdout.write(JSON.stringify(kept));

// without leaves examples out: they are most of the text, and check nothing.
function without(value) {
  if (Array.isArray(value)) return value.map(without);
  if (value === null || typeof value !== 'object') return value;
  const isExample = (key, part) => key === 'x-github' || key === 'examples' && !Array.isArray(part) && part?.type === undefined;
  return Object.fromEntries(Object.entries(value).filter(([key, part]) => !isExample(key, part)).map(([key, part]) => [key, without(part)]));
}

function references(value) {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' && typeof part === 'string' ? [part] : references(part)));
}
