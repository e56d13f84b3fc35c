#!/usr/bin/env node
// npm test: installs and builds what is missing, starts a Postgres and a Kafka, runs the tests, and leaves nothing
// behind. A whole product is started once a test needs one. Arguments go to jest.
import { constants } from 'node:os';
import { endWithNpm, ROOT } from './bootstrap.mjs';
import { prepare } from './prepare.mjs';

endWithNpm();
await prepare({ checks: true });

const { LocalStackError, runTests } = await import('../dist/index.js');
const { lendProduct } = await import('../../demo/dist/index.js');
const off = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => off.abort(signal));

const failed = (error) => {
  if (!off.signal.aborted) console.error(error instanceof LocalStackError ? error.message : error);
  return 1;
};
const product = await lendProduct(process.env);
let code = await runTests({
  args: process.argv.slice(2),
  env: { ...process.env, ...product.env },
  root: ROOT,
  say: (line) => console.error(line),
  signal: off.signal,
}).catch(failed);
if (!(await product.end())) {
  console.error('The product that the tests shared did not end in good order.');
  code ||= 1;
}
process.exit(off.signal.aborted ? 128 + constants.signals[off.signal.reason] : code);
