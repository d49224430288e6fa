// Checks workflows and actions against GitHub's own schema, as its editor does:
// node check.mjs FILE…. Prints what is wrong and exits 1, or says how many files
// are valid.
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

register('./json.mjs', import.meta.url)
const { validate } = await import('@actions/languageservice')
const { FeatureFlags } = await import('@actions/expressions')
const { TextDocument } = await import('vscode-languageserver-textdocument')

// Background steps are for everybody since 25 June 2026; the package still asks for a flag.
const featureFlags = new FeatureFlags({ allowBackgroundSteps: true })
const files = process.argv.slice(2)
let wrong = files.length === 0 ? 1 : 0
if (wrong) console.log('schema: no files given')
for (const file of files) {
  const document = TextDocument.create(pathToFileURL(resolve(file)).href, 'yaml', 1, readFileSync(file, 'utf8'))
  for (const { range, message } of await validate(document, { featureFlags })) {
    wrong++
    console.log(`${file}:${range.start.line + 1}:${range.start.character + 1}: ${message}`)
  }
}
if (wrong === 0) console.log(`schema: ${files.length} files are valid`)
process.exitCode = wrong === 0 ? 0 : 1
