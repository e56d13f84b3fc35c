import { run } from './program.js';

const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => interrupt.abort());
}
// `junction … | head` closes the pipe: the reader has read enough.
process.stdout.on('error', () => process.exit(0));

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  output: {
    out: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(`${text}\n`),
    isTerminal: process.stderr.isTTY,
  },
  input: process.stdin,
  signal: interrupt.signal,
});
