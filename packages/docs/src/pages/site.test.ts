import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EVENT_CATALOGUE } from '@junction/contracts';
import { problems } from '@junction/errors';
import { TRY_PATH } from './api-reference.js';
import { buildSite } from './build.js';
import { NOT_FOUND } from './not-found.js';
import { PAGES } from './pages.js';
import { ROOT } from './root.js';

const site = buildSite();
const html = (page: string): string => site.get(`${page}.html`) ?? '';
const pages = PAGES.map(({ path }) => path);

/** Characters of a page with about 50 calls of the API, each with its fields and answers. */
const HTML_MAX = 190_000;

/** Addresses of the dashboard and the API, which the same gateway serves. */
const DASHBOARD = ['/', '/webhooks', '/favicon.svg', '/openapi.json', '/asyncapi.json'];

describe.each(pages)('%s', (page) => {
  it('has a title, and no script and no style of its own, which the policy would refuse', () => {
    expect(html(page)).toMatch(/<title>[^<]+<\/title>/);
    expect(html(page)).toMatch(/<h1>[^<]*\w/);
    expect(html(page)).not.toMatch(/<style|<script(?! src="\/assets\/)|\sstyle=|\son\w+=/);
  });

  it('links to what is there, by anchors that are there', () => {
    const targets = [...html(page).matchAll(/(?:href|src)="([^"]+)"/g)].map(
      ([, target = '']) => target,
    );
    expect(targets.length).toBeGreaterThan(PAGES.length / 2);
    expect(targets.filter((target) => !leads(page, target))).toEqual([]);
  });

  it('ends before its reader gives up', () => {
    expect(html(page).length).toBeLessThan(HTML_MAX);
  });

  it('has each id once', () => {
    const ids = [...html(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is Markdown at the same address, and llms.txt and llms-full.txt have it', () => {
    expect(site.get(`${page}.md`)).toMatch(/^# /);
    expect(site.get(`${page}.md`)).not.toContain('<!--');
    expect(site.get('/llms.txt')).toContain(`](${page}.md): `);
    expect(site.get('/llms-full.txt')).toContain(site.get(`${page}.md`)?.trim());
  });
});

it('each page has an address and a name of its own', () => {
  expect(new Set(pages).size).toBe(PAGES.length);
  expect(new Set(PAGES.map(({ label }) => label)).size).toBe(PAGES.length);
});

describe('the sources of the pages', () => {
  const sources = PAGES.flatMap(({ source }) => (typeof source === 'string' ? [source] : []));

  it.each(sources)('%s links to files that are there', (source) => {
    const text = readFileSync(path.join(ROOT, source), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
    const files = [...text.matchAll(/\]\((?!https?:|#|\/)([^)#\s]+)/g)].map(
      ([, file = '']) => file,
    );
    const folder = path.join(ROOT, path.dirname(source));
    expect(files.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
  });
});

it.each(Object.keys(problems))(
  'the code %s has an anchor that leads to its explanation',
  (code) => {
    const [, target = ''] =
      new RegExp(` id="${code}" href="([^"]+)"`).exec(html('/docs/errors')) ?? [];
    expect(target).toMatch(new RegExp(`^/docs/errors/\\w+#${code}$`));
    expect(leads('/docs/errors', target)).toBe(true);
  },
);

it('the page for an address that is none leads to pages, and to the search', () => {
  const targets = [...html(NOT_FOUND.path).matchAll(/href="([^"]+)"/g)].map(([, to = '']) => to);
  expect(targets.filter((target) => !leads(NOT_FOUND.path, target))).toEqual([]);
  expect(html(NOT_FOUND.path)).toContain('search-button');
});

it.each(EVENT_CATALOGUE)('the kind $kind has an anchor of its name, and its example', (entry) => {
  expect(html('/docs/events')).toContain(` id="${entry.kind}"`);
  expect(site.get('/docs/events.md')).toContain(JSON.stringify(entry.example, null, 2));
});

function leads(from: string, target: string): boolean {
  if (/^https?:/.test(target)) return true;
  const [place = '', anchor] = target.split('#');
  const page = place === '' ? from : place;
  if (site.has(page) || DASHBOARD.includes(page)) return true;
  const text = site.get(`${page}.html`);
  if (text === undefined) return false;
  if (page === TRY_PATH) return true; // its anchors come with the calls, which the viewer reads
  return anchor === undefined || text.includes(` id="${anchor}"`);
}
