import { readFileSync } from 'node:fs'

// GitHub's packages import JSON files without saying so, as bundlers allow and
// Node does not.
export async function load(url, context, next) {
  if (!url.endsWith('.json')) return next(url, context)
  return { format: 'module', shortCircuit: true, source: `export default ${readFileSync(new URL(url), 'utf8')}` }
}
