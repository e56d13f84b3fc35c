import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Suite } from './suite.js';

/** A mistake in the command line: printed without a stack. */
export class UsageError extends Error {}

const SUITES = path.join(import.meta.dirname, 'suites');
/** Compiled, or as a test meets it. */
const MODULE = /^([a-z-]+)\.(js|ts)$/;

const suiteNames = (): readonly string[] =>
  readdirSync(SUITES)
    .flatMap((file) => MODULE.exec(file)?.[1] ?? [])
    .toSorted();

/** The suites with these names, all of them when none is given. Throws UsageError for an unknown name. */
export async function findSuites(
  names: readonly string[],
): Promise<readonly (readonly [string, Suite])[]> {
  const known = suiteNames();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(
      `No suite is called ${unknown.map((name) => `"${name}"`).join(' or ')}. ` +
        `The suites are: ${known.join(', ')}.`,
    );
  }
  const found: [string, Suite][] = [];
  for (const name of names.length > 0 ? names : known) {
    const file = readdirSync(SUITES).find((each) => MODULE.exec(each)?.[1] === name) ?? '';
    const module = (await import(pathToFileURL(path.join(SUITES, file)).href)) as { suite: Suite };
    found.push([name, module.suite]);
  }
  return found;
}
