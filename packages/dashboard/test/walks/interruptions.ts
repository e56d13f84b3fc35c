import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { atHome, fillCredentials, passwordField, signOut, signUp } from './visitor.js';
import { addWebhook, api, openSettings } from './webhook-form.js';

const HOOK = 'https://hooks.example.org/kept';
/** Longer than an answer takes before the page says that it is slow. */
const SLOW_MS = 6_000;

/** Defines the walks through what befalls an open page: deploys, networks, other tabs, the end of its session. */
export function interruptionWalks(stage: Stage): void {
  it.concurrent('loads a page anew by itself, once, when its script is gone', async () => {
    await stage.play(async (watched) => {
      await signUp(watched);
      const { page, loads } = await unwatched(stage, watched);
      await page.goto('/integrations');
      await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
      let isGone = true;
      await page.route('**/assets/list-page-*.js', (route) =>
        isGone ? route.fulfill({ status: 404 }) : route.continue(),
      );
      page.on('request', (request) => {
        if (request.isNavigationRequest()) isGone = false;
      });
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      expect([loads(), new URL(page.url()).pathname]).toEqual([2, '/webhooks']);

      await page.route('**/assets/operators-page-*.js', (route) => route.fulfill({ status: 404 }));
      await page.goto('/operations');
      await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
      await page.locator('.frame-header').waitFor();
      expect(loads()).toBe(3);
      await page.context().close();
    });
  });

  it.concurrent('asks before it loads a page anew on which something was typed', async () => {
    await stage.play(async (watched) => {
      await signUp(watched);
      const { page, loads } = await unwatched(stage, watched);
      await page.route('**/assets/account-menu-*.js', (route) => route.fulfill({ status: 404 }));
      await page.goto('/webhooks/new');
      await page.getByLabel('URL').fill(HOOK);
      await page.getByRole('button', { name: 'Account', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Load the page again?' });
      await look(page, 'script-gone');
      await dialog.getByRole('button', { name: 'Not now' }).click();
      expect([await page.getByLabel('URL').inputValue(), loads()]).toEqual([HOOK, 1]);
      await page.context().close();
    });
  });

  it.concurrent('keeps what was typed offline and on a slow line, and says in words what happens', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await fillForm(page);
      await page.context().setOffline(true);
      await page.getByText('You are offline', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('You are offline, so nothing was sent.').waitFor();
      await look(page, 'form-offline', { dark: true });
      expect(await page.getByLabel('URL').inputValue()).toBe(HOOK);
      await page.context().setOffline(false);
      await page.getByText('You are offline', { exact: true }).waitFor({ state: 'hidden' });

      await page.route('**/api/webhooks/configure', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        await route.continue();
      });
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('This takes longer than usual').waitFor();
      await look(page, 'form-slow');
      await page.getByText('Webhook added.').waitFor();
      await page.getByText('This takes longer than usual').waitFor({ state: 'hidden' });
    });
  });

  it.concurrent('asks for the password above the form when the session has ended, and sends the form then', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await fillForm(page);
      await page.context().clearCookies({ name: /jn_/ });
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByText(ada.email).waitFor();
      await look(page, 'session-ended', { dark: true });
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByText('Your session has ended, so nothing was sent.').waitFor();

      await page.getByRole('button', { name: 'Add webhook' }).click();
      await passwordField(dialog).fill('not the one');
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByRole('alert').waitFor();
      await passwordField(dialog).fill(ada.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Webhook added.').waitFor();
      expect(await api(page, 'GET', '/api/webhooks')).toMatchObject({ items: [{ url: HOOK }] });
    });
  });

  it.concurrent('shows both versions of a webhook that was changed in another tab', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const id = await addWebhook(page, { url: HOOK });
      const change = (description: string) =>
        api(page, 'PATCH', `/api/webhooks/${id}`, { description });
      const description = page.getByLabel('Description');
      const address = await openSettings(page, 'Address and description');
      const save = address.getByRole('button', { name: 'Save', exact: true });
      await description.fill('Of this tab');
      await change('Of the other tab');
      await save.click();
      const row = page.getByRole('row', { name: 'Description' });
      await row.waitFor();
      expect(await row.getByRole('cell').allTextContents()).toEqual([
        'Of the other tab',
        'Of this tab',
      ]);
      await look(page, 'conflict', { dark: true });
      await page.getByRole('button', { name: 'Use what is saved' }).click();
      expect(await description.inputValue()).toBe('Of the other tab');

      await description.fill('Of this tab again');
      await change('Of the other tab again');
      await save.click();
      await page.getByRole('button', { name: 'Save my version' }).click();
      await page.getByText('Your changes are saved').waitFor();
      expect(await api(page, 'GET', `/api/webhooks/${id}`)).toMatchObject({
        description: 'Of this tab again',
      });
    });
  });

  it.concurrent('shows nothing any more in the other tabs once one of them has signed out', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      const other = await page.context().newPage();
      await other.goto('/account');
      await other.getByText(ada.email).first().waitFor();
      await signOut(page);
      await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(await other.getByText(ada.email).count()).toBe(0);
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(other);
    });
  });
}

/** Most requests that a page may begin with. */
const REQUESTS_MAX = 25;
const FIRST_PAGES = {
  '/': 'Home',
  '/integrations': 'Integrations',
  '/webhooks': 'Webhooks',
  '/deliveries': 'Deliveries',
  '/account': 'Your account',
};

/** Defines the walks through the beginning of a page: what it asks for, and what stands while it waits. */
export function firstLoadWalks(stage: Stage): void {
  it.concurrent('begins with few requests, and a visitor with an empty console', async () => {
    await stage.play(async (page) => {
      const { page: visitor, complaints } = await unwatched(stage, page);
      await visitor.goto('/');
      await visitor.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      await visitor.getByRole('link', { name: 'Continue with Acme' }).waitFor();
      expect(complaints()).toEqual([]);
      await visitor.context().close();

      await signUp(page);
      for (const [path, title] of Object.entries(FIRST_PAGES)) {
        const asked: string[] = [];
        const count = (request: { url(): string }) => asked.push(new URL(request.url()).pathname);
        page.on('request', count);
        await page.goto(path);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
        page.off('request', count);
        expect(asked.length > REQUESTS_MAX ? asked : []).toEqual([]);
      }
    });
  });

  it.concurrent('has its header at every moment of a slow load', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const network = await page.context().newCDPSession(page);
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 300,
        downloadThroughput: 60_000,
        uploadThroughput: 60_000,
      });
      await page.addInitScript(() => {
        const seen = { missing: 0, frames: 0 };
        Object.assign(globalThis, { headerSeen: seen });
        const look = () => {
          const isThere = (document.querySelector('.frame-header')?.clientHeight ?? 0) > 0;
          if (document.querySelector('#root')) seen[isThere ? 'frames' : 'missing'] += 1;
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      });
      await page.goto('/webhooks');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.getByRole('link', { name: 'Deliveries' }).click();
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
      expect(await page.evaluate('headerSeen.frames')).toBeGreaterThan(1);
      expect(await page.evaluate('headerSeen.missing')).toBe(0);
    });
  });
}

/** A tab in a browser whose console may complain, signed in as the watched one is. */
async function unwatched(stage: Stage, watched: Page) {
  const context = await watched
    .context()
    .browser()
    ?.newContext({
      baseURL: stage.product().endpoints.gateway,
      storageState: await watched.context().storageState(),
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
  if (!context) throw new Error('The context has no browser.');
  const page = await context.newPage();
  let loaded = 0;
  const complaints: string[] = [];
  page.on('load', () => {
    loaded += 1;
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, loads: () => loaded, complaints: () => complaints };
}

/** Fills in the form of a new webhook. */
async function fillForm(page: Page): Promise<void> {
  await page.goto('/webhooks/new');
  await page.getByLabel('URL').fill(HOOK);
}
