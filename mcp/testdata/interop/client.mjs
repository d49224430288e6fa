// Asks a server with the protocol's own TypeScript client, which checks every
// answer against the schema that its tool declares:
//   node client.mjs CALLS.json stdio COMMAND [ARG…]
//   node client.mjs CALLS.json http URL
// CALLS.json holds [{"name": TOOL, "arguments": {…}}, …]. Prints what came back.
import fs from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [calls, kind, where, ...args] = process.argv.slice(2);
const transport = kind === 'stdio'
  ? new StdioClientTransport({ command: where, args })
  : new StreamableHTTPClientTransport(new URL(where));
const client = new Client({ name: 'interop', version: '1.0.0' });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const call of JSON.parse(fs.readFileSync(calls, 'utf8'))) {
  try {
    results.push(await client.callTool(call));
  } catch (error) {
    results.push({ thrown: String(error) });
  }
}
// The client checks resources and prompts against the protocol's schemas.
const resources = [];
for (const { uri } of (await client.listResources()).resources) resources.push(...(await client.readResource({ uri })).contents);
const prompts = [];
for (const { name } of (await client.listPrompts()).prompts) {
  const { messages } = await client.getPrompt({ name, arguments: { test_id: 'a\n\nb' } });
  prompts.push({ name, text: messages.map(m => m.content.text).join('') });
}
const { name } = client.getServerVersion();
await client.close();
console.log(JSON.stringify({ name, instructions: client.getInstructions(), tools, results, resources, prompts }));
