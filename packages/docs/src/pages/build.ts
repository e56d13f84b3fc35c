import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CatalogueEntry } from '@junction/contracts';
import { TRY_PATH } from './api-reference.js';
import { pageHtml } from './layout.js';
import { llmsFullText, llmsText } from './llms.js';
import { render } from './markdown.js';
import { NOT_FOUND } from './not-found.js';
import { PAGES } from './pages.js';
import { searchTexts } from './search-texts.js';
import { markdownOf } from './source.js';
import { styleSheet } from './style.js';
import { tryPage } from './try-page.js';

const PUBLIC = path.join(import.meta.dirname, '../../public');

/** Files below the gateway's root, by their paths there. */
export type Site = ReadonlyMap<string, string>;

/** Builds all files that the gateway serves as documentation. Without `kinds` those of every installation are shown. */
export function buildSite(kinds?: readonly CatalogueEntry[]): Site {
  const site = new Map<string, string>();
  // Below /assets a name changes with its content, so browsers keep it.
  const asset = (name: string, content: string): string => {
    const file = `/assets/${name.replace('.', `-${fingerprint(content)}.`)}`;
    site.set(file, content);
    return file;
  };
  const script = (name: string) => asset(name, readFileSync(path.join(PUBLIC, name), 'utf8'));
  const style = (name: string) => asset(name, styleSheet(name));
  const pages = PAGES.map((page) => [page, markdownOf(page, kinds)] as const);
  const assets = {
    style: style('docs.css'),
    script: script('docs.js'),
    search: asset('search.js', searchScript()),
    texts: asset('search.json', JSON.stringify(searchTexts(pages))),
  };

  const notFound = [NOT_FOUND, markdownOf(NOT_FOUND)] as const;
  for (const [page, markdown] of [...pages, notFound]) {
    site.set(`${page.path}.md`, markdown);
    site.set(`${page.path}.html`, pageHtml(page, render(markdown), assets));
  }
  site.set(
    `${TRY_PATH}.html`,
    tryPage(
      { ...assets, style: asset('try.css', viewer('swagger-ui.css') + styleSheet('try.css')) },
      asset('swagger-ui.js', viewer('swagger-ui-bundle.js')),
      script('try.js'),
    ),
  );
  site.set('/llms.txt', llmsText());
  site.set('/llms-full.txt', llmsFullText(pages));
  return site;
}

/** The script of the search with the library that it imports, because the pages have no bundler. */
function searchScript(): string {
  const library = readFileSync(fileURLToPath(import.meta.resolve('minisearch')), 'utf8');
  const own = readFileSync(path.join(PUBLIC, 'search.js'), 'utf8');
  return `/*! MiniSearch, Copyright 2022 Luca Ongaro, MIT, https://github.com/lucaong/minisearch */
${library.replaceAll(/^(?:export .*|\/\/# sourceMappingURL.*)$/gm, '')}
${own.replace("import MiniSearch from 'minisearch';\n", '')}`;
}

/** A file of Swagger UI, as its package has it ready to serve, without the comment that leads to a source map. */
function viewer(file: string): string {
  const text = readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8');
  const licence = '/*! Swagger UI, https://github.com/swagger-api/swagger-ui, Apache-2.0 */';
  return `${licence}\n${text.replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '')}\n`;
}

const fingerprint = (content: string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);
