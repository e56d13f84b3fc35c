#!/usr/bin/env node
// Checks the dependencies of the product for known weaknesses. Fails when the registry names one that is high or
// critical. Prints a line when there is none, or when the registry does not answer: nothing is known then, which is
// no failure of this checkout.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const BAD = ['high', 'critical'];
const TIMEOUT_MS = 60_000;

const { stdout, error } = spawnSync('npm', ['audit', '--json', '--omit=dev'], {
  cwd: ROOT,
  encoding: 'utf8',
  timeout: TIMEOUT_MS,
  maxBuffer: 64 * 1024 * 1024,
});
const { vulnerabilities, message } = parsed(stdout);
if (vulnerabilities === undefined) {
  console.log(
    `advisories: the registry did not answer (${message ?? error?.message ?? stdout.slice(0, 200)}): nothing is known`,
  );
} else {
  const found = Object.values(vulnerabilities);
  const bad = found.filter(({ severity }) => BAD.includes(severity));
  for (const { name, severity, range, via } of bad) {
    const titles = via.flatMap((one) =>
      typeof one === 'string' ? [] : [`${one.title} (${one.url})`],
    );
    console.error(
      `advisories: ${severity}: ${name} ${range}: ${titles.join('; ') || `by ${via.join(', ')}`}`,
    );
  }
  console.log(`advisories: ${found.length} known, ${bad.length} of them high or critical`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
