import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Page, page } from './page.js';
import { ROOT } from './root.js';

/** The page about all receivers. Its table names each with its language and its start. */
export const RECEIVERS = 'docs/webhooks/verify/README.md';

const PATH = '/docs/receivers';
const ROW = /^\| (.+) \| \[(receive[.]\w+)\]\(.+?\) \| (.+) \|$/gm;

/** A page for each receiver: how it is started, and the whole file. */
export function receiverPages(): readonly Page[] {
  const rows = readFileSync(path.join(ROOT, RECEIVERS), 'utf8').matchAll(ROW);
  return [...rows].map(([, version = '', file = '', start = '']) => {
    const language = version.replace(/ [\d.]+$/, '');
    const text = `# Verify signatures in ${language}

Needs ${version} and nothing else. Start: ${start}. [Receivers](README.md) says what each of them does.
`;
    return page(
      `${PATH}/${language.split(' ')[0]?.toLowerCase()}`,
      `In ${language}`,
      `A whole receiver that verifies, in ${language}.`,
      (linked) => linked(text, RECEIVERS),
      [path.posix.join(path.posix.dirname(RECEIVERS), file)],
    );
  });
}
