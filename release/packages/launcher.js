#!/usr/bin/env node
// Runs the breadcrumb of this platform's package, which npm installed as an optional
// dependency, where it is the very file that belongs to this version.
'use strict'
const { spawn } = require('node:child_process')
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')

function fail(message) {
  console.error(`breadcrumb: ${message}`)
  process.exit(3)
}

const platform = `${process.platform}-${process.arch}`
const known = require('./digests.json')[platform]
if (!known) fail(`there is no binary for ${platform}`)

const name = known.file.slice(0, known.file.lastIndexOf('/'))
let file, text
try {
  file = require.resolve(known.file)
  text = readFileSync(file)
} catch (error) {
  fail(`the package ${name} cannot be read: install with optional dependencies, on the platform that runs it (${error.code})`)
}
const digest = createHash('sha256').update(text).digest('hex')
if (digest !== known.sha256) fail(`${file} has the digest ${digest}, not ${known.sha256}: it was not run`)

const child = spawn(file, process.argv.slice(2), { stdio: 'inherit', windowsHide: true })
// A terminal's interrupt reaches both, and the binary decides what it means.
const ignore = () => {}
process.on('SIGINT', ignore)
const pass = (signal) => child.kill(signal)
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, pass)
child.on('error', (error) => fail(`${file} cannot be run: ${error.message}`))
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  process.removeListener('SIGINT', ignore)
  process.removeListener(signal, pass)
  process.kill(process.pid, signal)
})
