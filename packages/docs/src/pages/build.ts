import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TRY_PATH } from './api-reference.js';
import { pageHtml } from './layout.js';
import { llmsFullText, llmsText } from './llms.js';
import { render } from './markdown.js';
import { PAGES } from './pages.js';
import { markdownOf } from './source.js';
import { styleSheet } from './style.js';
import { tryPage } from './try-page.js';

const PUBLIC = path.join(import.meta.dirname, '../../public');

/** Files below the gateway's root, by their paths there. */
export type Site = ReadonlyMap<string, string>;

/** Builds all files that the gateway serves as documentation. */
export function buildSite(): Site {
  const site = new Map<string, string>();
  // Below /assets a name changes with its content, so browsers keep it.
  const asset = (name: string, content: string): string => {
    const file = `/assets/${name.replace('.', `-${fingerprint(content)}.`)}`;
    site.set(file, content);
    return file;
  };
  const script = (name: string) => asset(name, readFileSync(path.join(PUBLIC, name), 'utf8'));
  const style = (name: string) => asset(name, styleSheet(name));
  const assets = { style: style('docs.css'), script: script('docs.js') };

  const pages = PAGES.map((page) => [page, markdownOf(page)] as const);
  for (const [page, markdown] of pages) {
    site.set(`${page.path}.md`, markdown);
    site.set(`${page.path}.html`, pageHtml(page, render(markdown), assets));
  }
  site.set(
    `${TRY_PATH}.html`,
    tryPage({ ...assets, style: style('try.css') }, asset('scalar.js', scalar()), script('try.js')),
  );
  site.set('/llms.txt', llmsText());
  site.set('/llms-full.txt', llmsFullText(pages));
  return site;
}

/** Scalar's build for a page without a bundler. It lies beside the style sheet, which its package exports. */
function scalar(): string {
  const style = createRequire(import.meta.url).resolve('@scalar/api-reference/style.css');
  const bundle = readFileSync(path.join(path.dirname(style), 'browser/standalone.js'), 'utf8');
  // The setting keeps zod, which Scalar contains, from trying whether eval is allowed: the policy refuses eval, and
  // the console would report it.
  const settings = 'globalThis.__zod_globalConfig = { jitless: true };';
  return `/*! @scalar/api-reference, https://github.com/scalar/scalar, MIT */\n${settings}\n${bundle}`;
}

const fingerprint = (content: string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);
