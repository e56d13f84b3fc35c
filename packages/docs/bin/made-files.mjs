// Files that are made of the sources, in the folder a program is run in.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes each file of `made` (path to text) that is not that already; with --check fails instead. `landed` is told of
 * the path and the text that a file is about to lose.
 */
export function makeFiles(made, landed = () => {}) {
  const check = process.argv.includes('--check');
  for (const [file, text] of Object.entries(made)) {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (before === text) continue;
    if (check) fail(`${file} is not what the sources say. Run \`npm run generate\`.`);
    if (before !== undefined) landed(file, before);
    writeFileSync(file, text);
  }
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}
