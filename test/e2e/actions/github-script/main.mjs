import { appendFileSync } from 'node:fs';

const core = {
  setSecret: (value) => console.log(`::add-mask::${value}`),
  setOutput: (name, value) => appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`),
};
const AsyncFunction = (async () => {}).constructor;
await new AsyncFunction('core', process.env.INPUT_SCRIPT)(core);
