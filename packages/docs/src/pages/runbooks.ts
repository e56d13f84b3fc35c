import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.js';

/** The text of a file of the repository, with links to other pages of this site. */
export type Linked = (text: string, source: string) => string;

const FOLDER = 'docs/runbooks';

const INTRODUCTION = `# Runbooks

Each alert of \`infra/observability/alerts.yaml\` has a chapter here, to which it links: its meaning, diagnosis and mitigation.`;

/** Joins the runbooks, a file for each alert, into one page. */
export const runbooks = (linked: Linked): string =>
  [
    INTRODUCTION,
    ...readdirSync(path.join(ROOT, FOLDER))
      .sort()
      .map((file) => chapter(file, linked)),
  ].join('\n\n');

function chapter(file: string, linked: Linked): string {
  const source = `${FOLDER}/${file}`;
  const text = readFileSync(path.join(ROOT, source), 'utf8')
    .trim()
    // A link to another runbook becomes a link to its chapter on the same page.
    .replaceAll(
      /\[(Junction\w+)\]\([\w-]+\.md\)/g,
      (_, name: string) => `[${name}](#${name.toLowerCase()})`,
    );
  return linked(text, source).replaceAll(/^#/gm, '##');
}
