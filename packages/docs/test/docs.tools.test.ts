import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gateway } from '@junction/local-stack';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../dashboard/test/chromium.js';
import { complaintsOf } from '../../dashboard/test/complaints.js';
import { DESKTOP, look, PHONE } from '../../dashboard/test/look.js';
import { TRY_PATH } from '../src/pages/api-reference.js';
import { PAGES, SECTIONS } from '../src/pages/pages.js';

const MINUTE = 60_000;
const PACKAGES = path.resolve(import.meta.dirname, '../..');
const FOLDERS = ['dashboard', 'docs'].map((name) => path.join(PACKAGES, name, 'dist/site'));
/** Size of the smallest file that the build compresses. */
const PACKED_BYTES_MIN = 1_000;
/** Address without a listener, because these pages need no service. */
const AWAY = 'http://127.0.0.1:9';

/** Pages of each kind, small ones where there are several: every element that a page can have is checked once. */
const LOOKED_AT = [
  '/docs',
  '/docs/receive',
  '/docs/events',
  '/docs/errors',
  '/docs/errors/webhooks',
  '/docs/receivers/python',
  '/docs/api/events',
  '/docs/configuration',
];

let server: Server;
let origin: string;
let browser: Browser;

beforeAll(async () => {
  const pages = { folders: FOLDERS, portalOrigins: [] };
  server = gateway({ auth: AWAY, integrations: AWAY, webhooks: AWAY }, pages, () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  server?.closeAllConnections();
});

it('the build leaves every text beside its compressed twins', () => {
  const folder = FOLDERS.at(-1) ?? '';
  const files = readdirSync(folder, { recursive: true }).map(String);
  const texts = files
    .filter((file) => /\.\w+$/.test(file) && !/\.(?:gz|br)$/.test(file))
    .filter((file) => statSync(path.join(folder, file)).size >= PACKED_BYTES_MIN);
  expect(texts.length).toBeGreaterThan(PAGES.length);
  const twins = texts.flatMap((file) => [`${file}.gz`, `${file}.br`]);
  expect(twins.filter((twin) => !files.includes(twin))).toEqual([]);
});

describe('a reader', () => {
  it.each(LOOKED_AT)(
    'finds %s fit for every eye, in light and dark, on desk and phone',
    async (address) => {
      await read(async (tab) => {
        expect((await tab.goto(address))?.status()).toBe(200);
        await look(tab, `docs-${address.slice(1).replaceAll('/', '-')}`, { dark: true });
      });
    },
  );

  it('goes to the parts of every section by the navigation', async () => {
    await read(async (tab) => {
      await tab.goto('/docs');
      const parts = PAGES.filter(({ path }) => /^.docs.(errors|receivers)/.test(path));
      const firsts = SECTIONS.flatMap(({ pages }) => pages.slice(0, 1));
      for (const { label, path } of [...parts, ...firsts]) {
        await unfold(tab, label);
        await navigation(tab).getByRole('link', { name: label, exact: true }).click();
        await tab.waitForURL(`${origin}${path}`);
        const current = navigation(tab).locator('[aria-current=page]');
        expect(await current.textContent()).toBe(label);
      }
    });
  });

  it('copies an example as it stands, with the address of the gateway that serves the page', async () => {
    await read(async (tab) => {
      await tab.goto('/docs');
      expect(await tab.locator('pre').nth(1).textContent()).toContain(`JUNCTION_URL=${origin}\n`);
      await tab.getByRole('button', { name: 'Copy' }).first().click();
      await tab.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe('npm start');
    });
  });

  it('with the keyboard skips to the content, and scrolls an example', async () => {
    await read(async (tab) => {
      await tab.goto('/docs/receive');
      await tab.keyboard.press('Tab');
      await tab.keyboard.press('Enter');
      await tab.locator('main:focus').waitFor();
      const example = tab.locator('pre').first();
      await example.focus();
      expect(await example.evaluate((element) => element.matches(':focus'))).toBe(true);
    });
  });

  it('lands on the code that a problem names', async () => {
    await read(async (tab) => {
      await tab.goto('/docs/errors#webhook_not_found');
      await tab.waitForURL(`${origin}/docs/errors/webhooks#webhook_not_found`);
      const heading = tab.getByRole('heading', { name: 'webhook_not_found' });
      expect(await heading.evaluate((element) => element.matches(':target'))).toBe(true);
      await heading.and(tab.locator(':visible')).waitFor();
    });
  });

  it('finds by the keyboard alone, and says how much', async () => {
    await read(async (tab) => {
      await tab.goto('/docs/receive');
      await tab.keyboard.press('/');
      const dialog = tab.getByRole('dialog', { name: 'Search' });
      await dialog.waitFor();
      await tab.keyboard.type('webhook_not_fou');
      await dialog.getByRole('status').filter({ hasText: /hit/ }).waitFor();
      expect(await dialog.getByRole('link').count()).toBeGreaterThan(1);
      await look(tab, 'docs-search', { dark: true });
      await tab.keyboard.press('ArrowDown');
      await dialog
        .getByRole('link', { name: /^webhook_not_found/ })
        .and(tab.locator(':focus'))
        .waitFor();
      await tab.keyboard.press('ArrowUp');
      await tab.keyboard.press('Enter');
      await tab.waitForURL(`${origin}/docs/errors/webhooks#webhook_not_found`);
    });
  });

  it('finds on a phone, and from an address that is none', async () => {
    await read(async (tab) => {
      expect((await tab.goto('/docs/nowhere'))?.status()).toBe(404);
      await look(tab, 'docs-not-found', { dark: true });
      await tab.setViewportSize(PHONE);
      await tab.getByRole('button', { name: 'Search' }).click();
      await tab.getByRole('searchbox').fill('python');
      await tab.getByRole('link', { name: /Verify signatures in Python/ }).click();
      await tab.getByRole('heading', { level: 1, name: 'Verify signatures in Python' }).waitFor();
    });
  });

  // A load of this page takes seconds of a processor, so all that concerns it is one test.
  it('tries a call out at this origin alone, without a barrier, in both schemes, and by the thumb', async () => {
    await read(async (tab) => {
      await tab.goto('/docs/api/webhooks');
      await tab.locator(`a[href="${TRY_PATH}#/webhooks/createWebhook"]`).click();
      const execute = tab.getByRole('button', { name: 'Execute' });
      await execute.waitFor();
      await look(tab, 'docs-try', { dark: true });
      await tab.getByRole('button', { name: 'Authorize', exact: true }).click();
      await tab.getByRole('heading', { name: 'Available authorizations' }).waitFor();
      await look(tab, 'docs-try-authorize', { dark: true });
      await tab.setViewportSize(PHONE);
      expect(await tab.evaluate(smallControls)).toEqual([]);
      await tab.locator('.close-modal').click();
      await execute.click();
      // No service is there to answer, so the gateway does.
      await tab.getByText('upstream_unavailable').first().waitFor();
      expect(await tab.getByText('503').count()).toBeGreaterThan(0);
    });
  });

  it('without a script reads, and on a phone opens and leaves the navigation', async () => {
    const options = { viewport: PHONE, javaScriptEnabled: false };
    await read(async (tab) => {
      await tab.goto('/docs');
      await navigation(tab).waitFor({ state: 'hidden' });
      await tab.getByRole('button', { name: 'Menu' }).click();
      await unfold(tab, 'Problem codes');
      await navigation(tab).getByRole('link', { name: 'Problem codes' }).click();
      await tab.getByRole('heading', { level: 1, name: 'Problem codes' }).waitFor();
      expect(await navigation(tab).isVisible()).toBe(false);
    }, options);
  });

  it('sees the colour scheme that was chosen in the dashboard', async () => {
    await read(async (tab) => {
      await tab.goto('/docs');
      const background = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      await tab.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
      await tab.reload();
      expect(await background()).not.toBe(light);
    });
  });
});

/** Runs in the page. Returns the controls that a thumb misses: below 44 px (WCAG 2.2, 2.5.5). */
const smallControls = (): readonly string[] =>
  [...document.querySelectorAll('#main :is(button, input, select, textarea)')]
    .filter((each) => each.getClientRects().length > 0)
    .map((each) => ({ each, size: each.getBoundingClientRect() }))
    .filter(({ size }) => size.width < 44 || size.height < 44)
    .map(({ each }) => each.outerHTML);

const navigation = (tab: Page) => tab.getByRole('navigation', { name: 'Documentation' });

/** Opens the section of the navigation that holds a page, unless it is open. */
async function unfold(tab: Page, label: string): Promise<void> {
  const section = navigation(tab)
    .locator('details')
    .filter({ has: tab.getByText(label, { exact: true }) });
  if ((await section.getAttribute('open')) === null) await section.locator('summary').click();
}

type Options = Parameters<Browser['newContext']>[0];

/**
 * Plays a scene in a browser context of its own. Neither an error on a console nor a request to another host is
 * allowed.
 */
async function read(scene: (tab: Page) => Promise<void>, options: Options = {}): Promise<void> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(MINUTE);
  const elsewhere = requestsElsewhere(context);
  try {
    const complaints = await complaintsOf(context, origin);
    await scene(await context.newPage());
    // A browser reports on its console that a page is not there, too.
    expect(complaints.filter((each) => !each.includes(`(${origin}/docs/nowhere)`))).toEqual([]);
    expect(elsewhere).toEqual([]);
  } finally {
    await context.close();
  }
}

function requestsElsewhere(context: BrowserContext): readonly string[] {
  const urls: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) urls.push(request.url());
  });
  return urls;
}
