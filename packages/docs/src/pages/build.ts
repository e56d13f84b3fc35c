import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** A file of Swagger UI, as its package has it ready to serve, without the comment that leads to a source map. */
function viewer(file: string): string {
  const text = readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)), 'utf8');
  const licence = '/*! Swagger UI, https://github.com/swagger-api/swagger-ui, Apache-2.0 */';
  return `${licence}\n${text.replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '')}\n`;
}

const fingerprint = (content: string): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);
