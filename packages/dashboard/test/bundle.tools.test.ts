import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Nginx, startNginx } from '@junction/testing';

const SITE = path.resolve(import.meta.dirname, '../dist/site');
const MANTINE = path.resolve(import.meta.dirname, '../../../node_modules/@mantine/core/styles.css');
/**
 * Weight of everything that a first load brings but the answers of the API, as nginx sends it to a browser that came by
 * TLS. The cases that hold both gateways to the same answers (packages/acceptance) say that `npm start` sends the same.
 * Browsers accept no Brotli over plain HTTP from another machine; by gzip a page is a sixth heavier.
 */
const SIGN_IN_BYTES_MAX = 90_000;
const PAGE_BYTES_MAX = 200_000;
/** Leaves nine of the 25 requests of a first load to the API. */
const FILES_MAX = 16;
/** Size of the smallest file that bin/precompress.mjs compresses. */
const PACKED_BYTES_MIN = 1_000;
/** Address without a listener, because files need no service. */
const AWAY = ['127.0.0.1:9'];

const APP = ['index.html', 'src/app/start.tsx'];
/** Chunks that a browser loads before it shows the page, for each page that users arrive at. */
const FIRST_LOADS: Readonly<Record<string, readonly string[]>> = {
  'sign-in': ['index.html', 'src/session/start.tsx'],
  'the portal': ['portal.html', 'src/webhooks/list-page.tsx'],
  Home: [...APP, 'src/home/home-page.tsx'],
  Integrations: [...APP, 'src/integrations/page.tsx'],
  '/webhooks': [...APP, 'src/webhooks/list-page.tsx'],
  'a webhook': [...APP, 'src/webhooks/webhook-page.tsx'],
  'the form of a webhook': [...APP, 'src/webhooks/new-page.tsx'],
  '/deliveries': [...APP, 'src/deliveries/deliveries-page.tsx'],
  'a delivery': [...APP, 'src/deliveries/delivery-page.tsx'],
  'an event': [...APP, 'src/events/event-page.tsx'],
  '/account': [...APP, 'src/account/account-page.tsx'],
  Operations: [...APP, 'src/operators/operators-page.tsx'],
  'the answer of a provider': [...APP, 'src/integrations/callback-page.tsx'],
};

/** Chunk in Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly css?: readonly string[];
}
let manifest: Readonly<Record<string, Chunk>>;
let nginx: Nginx;

beforeAll(async () => {
  manifest = JSON.parse(read('.vite/manifest.json'));
  const upstreams = { auth: AWAY, integrations: AWAY, webhooks: AWAY };
  nginx = await startNginx({ upstreams, siteDir: SITE });
});
afterAll(() => nginx?.stop());

describe.each(Object.entries(FIRST_LOADS))('the first load of %s', (page, entries) => {
  it('is light, and few files', async () => {
    const chunks = closureOf(entries);
    const loaded = chunks.flatMap(({ file, css = [] }) => [file, ...css]);
    const html = entries[0] ?? '';
    const files = [...new Set([html, 'before-paint.js', 'favicon.svg', ...loaded])];
    expect(chunks.length).toBeGreaterThan(1);
    const bytesMax = page === 'sign-in' ? SIGN_IN_BYTES_MAX : PAGE_BYTES_MAX;
    expect(await weighed(files, bytesMax)).toMatchObject({ isWithin: true });
    expect(files.length <= FILES_MAX ? [] : files).toEqual([]);
  });
});

it('leaves the pages that are not needed at once for later', () => {
  const later = closureOf(APP).flatMap(({ dynamicImports = [] }) => dynamicImports);
  expect(new Set(later).size).toBeGreaterThan(8);
});

it('has the styles of every component of Mantine that is used', () => {
  const classesIn = (text: string) => new Set(text.match(/\bm_[\da-f]{6,8}\b/g));
  const styled = classesIn(readFileSync(MANTINE, 'utf8'));
  const have = classesIn(textOf(Object.values(manifest).flatMap(({ css = [] }) => css)));
  const used = classesIn(textOf(Object.values(manifest).map(({ file }) => file)));
  expect(used.size).toBeGreaterThan(50);
  // When a class is missing, src/app/mantine.css lacks the file of node_modules/@mantine/core/styles that has it.
  expect([...used].filter((name) => styled.has(name) && !have.has(name))).toEqual([]);
});

it('lies beside its compressed twins, which say the same', () => {
  const loaded = closureOf([...APP, 'portal.html'])
    .flatMap(({ file, css = [] }) => [file, ...css])
    .filter((name) => read(name).length >= PACKED_BYTES_MIN);
  expect(loaded.length).toBeGreaterThan(5);
  for (const name of ['index.html', 'portal.html', ...loaded]) {
    const plain = readFileSync(path.join(SITE, name));
    expect(gunzipSync(readFileSync(path.join(SITE, `${name}.gz`))).equals(plain)).toBe(true);
    expect(brotliDecompressSync(readFileSync(path.join(SITE, `${name}.br`))).equals(plain)).toBe(
      true,
    );
  }
  // The favicon is too small to gain by it.
  expect(existsSync(path.join(SITE, 'favicon.svg.gz'))).toBe(false);
});

/** Returns these chunks and all that they import statically. */
function closureOf(entries: readonly string[], seen = new Map<string, Chunk>()): readonly Chunk[] {
  for (const name of entries) {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`The build has no ${name}.`);
    if (seen.has(name)) continue;
    seen.set(name, chunk);
    closureOf(chunk.imports ?? [], seen);
  }
  return [...seen.values()];
}

/** Returns the size of each file with the total, so that a failure says which file is heavy. */
async function weighed(files: readonly string[], bytesMax: number) {
  const sizes = Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await bytesOf(file)] as const)),
  );
  const bytes = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  return { isWithin: bytes <= bytesMax, bytes, sizes };
}

/** Returns the length of the body that nginx sends for a file. */
async function bytesOf(file: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
  const { status, headers: answered } = await fetch(`${nginx.url}/${file}`, {
    method: 'HEAD',
    headers,
  });
  expect([file, status]).toEqual([file, 200]);
  return Number(answered.get('content-length') ?? Number.NaN);
}

const textOf = (files: readonly string[]): string => files.map(read).join('\n');

const read = (file: string): string => readFileSync(path.join(SITE, file), 'utf8');
