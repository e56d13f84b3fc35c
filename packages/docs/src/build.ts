import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pageHtml } from './layout.js';
import { llmsFullText, llmsText } from './llms.js';
import { render } from './markdown.js';
import { PAGES } from './pages.js';
import { markdownOf } from './source.js';
import { styleSheet } from './style.js';

/** Files below the gateway's root, by their paths there. */
export type Site = ReadonlyMap<string, string>;

/** Everything the gateway serves as documentation. */
export function buildSite(): Site {
  const site = new Map<string, string>();
  // Below /assets a name changes with its content, so browsers keep it.
  const asset = (name: string, content: string): string => {
    const file = `/assets/${name.replace('.', `-${fingerprint(content)}.`)}`;
    site.set(file, content);
    return file;
  };
  const script = readFileSync(path.join(import.meta.dirname, '../public/docs.js'), 'utf8');
  const assets = { style: asset('docs.css', styleSheet()), script: asset('docs.js', script) };

  const pages = PAGES.map((page) => [page, markdownOf(page)] as const);
  for (const [page, markdown] of pages) {
    site.set(`${page.path}.md`, markdown);
    site.set(`${page.path}.html`, pageHtml(page, render(markdown), assets));
  }
  site.set('/llms.txt', llmsText());
  site.set('/llms-full.txt', llmsFullText(pages));
  return site;
}

const fingerprint = (content: string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);
