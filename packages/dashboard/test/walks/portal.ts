import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { serviceToken } from '@junction/demo';
import { kafkaProducer } from '@junction/producer';
import { apiAt, startReceiver } from '@junction/testing';
import type { Frame, Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openSection } from './receiving.js';

interface User {
  readonly id: string;
  readonly token: string;
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="88" height="26"><rect width="88" height="26" rx="6" fill="#0b7285"/></svg>';
/** Origin of another product, which PORTAL_ORIGINS of the product that the tests share allows to frame the portal. */
const FRAMING = 'https://app.example.com';

/** A page of another product, from another site than the gateway's, with the webhooks of one of its users. */
export function portalWalks(stage: Stage): void {
  const gateway = () => stage.product().endpoints.gateway;

  it.concurrent('a user makes a webhook and sees its deliveries, in the colours of the product', async () => {
    const ada = await signUp(gateway());
    const url = await linkTo(stage, ada, {
      product_name: 'Acme',
      accent_color: '#0b7285',
      logo_url: `${FRAMING}/logo.svg`,
    });
    await stage.play(async (page) => {
      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await portal.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      expect(portal.url()).not.toContain('jn_pt_');
      // Mailboxes belong to the account, which a portal does not show.
      expect(await portal.getByText(/mailbox/i).count()).toBe(0);
      await look(page, 'portal-empty', { frame: portal });

      await portal.getByRole('link', { name: 'Add webhook' }).click();
      await portal.getByLabel('URL').fill('https://hooks.example.org/acme');
      await look(page, 'portal-form', { frame: portal, dark: true });
      await portal.getByRole('button', { name: 'Add webhook' }).click();
      await portal.getByText('Webhook added.').waitFor();
      const made = await apiAt(gateway())('GET', '/api/webhooks', { token: ada.token });
      expect(made.body).toMatchObject({ items: [{ url: 'https://hooks.example.org/acme' }] });
      await look(page, 'portal-webhook', { frame: portal, dark: true });

      await openSection(portal, 'Deliveries');
      await portal.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
      await portal.getByText('Nothing sent yet').waitFor();
      expect(await portal.getByRole('link', { name: 'Connect an account' }).count()).toBe(0);
      await look(page, 'portal-deliveries', { frame: portal });

      const worn = await portal.evaluate(() => ({
        accent: document.documentElement.style.getPropertyValue('--mantine-color-indigo-filled'),
        stored: [localStorage.length, sessionStorage.length, document.cookie.length],
        logo: document.querySelector('img')?.width,
      }));
      expect(worn).toEqual({ accent: '#0b7285', stored: [0, 0, 0], logo: 88 });
      expect(await page.context().cookies(gateway())).toEqual([]);
    });
  });

  it.concurrent('a user exports deliveries as they are filtered, and a link reaches no other export', async () => {
    const ada = await signUp(gateway());
    const receiver = await startReceiver();
    receiver.answer(({ body }) => ({ status: body.includes('briefing.sent') ? 500 : 200 }));
    await sendTo(stage, ada, receiver.url);
    const url = await linkTo(stage, ada);
    await stage.play(async (page) => {
      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await openSection(portal, 'Deliveries');
      await portal.getByText('2 deliveries.').waitFor();
      const exported = async (name: string) => {
        const download = page.waitForEvent('download');
        await portal.getByRole('button', { name }).click();
        return readFileSync(await (await download).path(), 'utf8')
          .trim()
          .split(/\r?\n/);
      };
      expect(await exported('CSV')).toHaveLength(1 + 2);
      await portal.getByLabel('Response').selectOption('2xx');
      await portal.getByText('1 delivery that matches the filter.').waitFor();
      const [row = '', ...others] = await exported('JSON lines');
      expect(others).toEqual([]);
      expect(JSON.parse(row)).toMatchObject({ event_type: 'reminder.sent', status: 'succeeded' });
    });
    await receiver.close();

    const api = apiAt(gateway());
    const json = { token: new URL(await linkTo(stage, ada)).hash.slice(1) };
    const session = await api('POST', '/api/portal-links/exchange', { json });
    const { access_token: token } = session.body as { access_token: string };
    expect((await api('GET', '/api/deliveries?format=csv', { token })).status).toBe(200);
    for (const path of ['/api/auth/export', '/api/integrations', '/api/auth/sessions']) {
      expect((await api('GET', path, { token })).status).toBe(403);
    }
  });
}

/** Defines the walks around the frame, and outside of one. */
export function portalDetailWalks(stage: Stage): void {
  const gateway = () => stage.product().endpoints.gateway;

  it.concurrent('nothing but the webhooks is there, and a link that was used opens nothing', async () => {
    const url = await linkTo(stage, await signUp(gateway()));
    await stage.play(async (page) => {
      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await portal.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      expect(await portal.getByRole('button', { name: 'Account' }).count()).toBe(0);
      expect(await portal.getByRole('link', { name: 'Integrations' }).count()).toBe(0);

      await portal.goto(`${gateway()}/portal/account`);
      await portal.getByText('This page has ended').waitFor();
      await page.reload();
      const again = await frameOf(page);
      await again.getByText('This page has ended').waitFor();
      await look(page, 'portal-ended', { frame: again });
    });
  });

  it.concurrent('a link opens nothing outside of a frame, and is not used up by that', async () => {
    const url = await linkTo(stage, await signUp(gateway()));
    await stage.play(async (page) => {
      await page.goto(url);
      await page.getByText('This page belongs inside another one').waitFor();
      expect(page.url()).toBe(`${gateway()}/portal`);
      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await portal.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    });
  });

  it.concurrent('the page around it is told that it has ended, and nothing else', async () => {
    const ada = await signUp(gateway());
    const url = await linkTo(stage, ada);
    await stage.play(async (page) => {
      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await portal.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      await apiAt(gateway())('DELETE', '/api/auth/me', {
        token: ada.token,
        json: { password: PASSWORD },
      });
      await portal.getByRole('link', { name: 'Deliveries', exact: true }).click();
      await portal.getByText('This page has ended').waitFor();
      const heard = await page.evaluate(() => (globalThis as unknown as Heard).heard);
      expect(heard).toEqual([{ type: 'junction.portal.ended' }]);
    });
  });

  it.concurrent('another site gets no frame at all, and uses no link up', async () => {
    const url = await linkTo(stage, await signUp(gateway()));
    const stranger = await startReceiver();
    stranger.answer({ headers: { 'content-type': 'text/html' }, body: pageWith(url) });
    await stage.play(async (page) => {
      // A context of its own: the browser reports the refused frame as an error, which this test expects.
      const context = await page.context().browser()?.newContext();
      const elsewhere = await context?.newPage();
      const asked: string[] = [];
      elsewhere?.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await elsewhere?.goto(stranger.url);
      await expect(elsewhere?.frames()[1]?.waitForURL(/^chrome-error:/)).resolves.toBeUndefined();
      expect(asked).not.toContain('/api/portal-links/exchange');
      await context?.close();

      await showFrame(page, url);
      await page.goto(FRAMING);
      const portal = await frameOf(page);
      await portal.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    });
    await stranger.close();
  });
}

interface Heard {
  readonly heard: readonly unknown[];
}

const PASSWORD = 'correct horse battery staple';

async function signUp(gateway: string): Promise<User> {
  const api = apiAt(gateway);
  const json = { email: `${crypto.randomUUID()}@example.com`, password: PASSWORD };
  const registered = await api('POST', '/api/auth/register', { json });
  const login = await api('POST', '/api/auth/login', { json });
  return {
    id: (registered.body as { user: { id: string } }).user.id,
    token: (login.body as { access_token: string }).access_token,
  };
}

/** Has a reminder and a briefing sent to a webhook of the user. */
async function sendTo(stage: Stage, { id: userId, token }: User, url: string): Promise<void> {
  const { gateway, kafka } = stage.product().endpoints;
  const json = { url, events: ['reminder.sent', 'briefing.sent'] };
  await apiAt(gateway)('POST', '/api/webhooks', { token, json });
  const producer = await kafkaProducer({ brokers: [kafka], source: 'assistant/test' });
  await producer.publish({ type: 'reminder.sent', userId, data: { text: 'Call back' } });
  await producer.publish({ type: 'briefing.sent', userId, data: { items: 6 } });
  await producer.close();
}

/** Requests a portal link, as the product's server does. */
async function linkTo(stage: Stage, { id }: User, appearance?: object): Promise<string> {
  const { endpoints } = stage.product();
  const token = await serviceToken(endpoints, 'operator', 'auth', 'portals:open');
  const json = { user_id: id, origin: FRAMING, appearance };
  const link = await apiAt(endpoints.gateway)('POST', '/api/portal-links', { token, json });
  expect(link.status).toBe(201);
  return (link.body as { url: string }).url;
}

/** The page of a product, with a frame of ours. */
const pageWith = (url: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Acme</title><link rel="icon" href="data:,">
<script>heard = []; addEventListener('message', ({ data }) => heard.push(data));</script>
<style>body{margin:0;font:16px sans-serif}iframe{border:0;width:100%;height:1400px}</style>
<main><h1>Acme settings</h1><iframe title="Webhooks" src="${url}"></iframe></main></html>`;

/** Has the browser find that page, and its logo, at the address of the product. */
async function showFrame(page: Page, url: string): Promise<void> {
  // A page of the internet may frame nothing of this machine otherwise.
  await page.context().grantPermissions(['local-network-access']);
  await page.route(`${FRAMING}/**`, (route) =>
    route.fulfill(
      route.request().url().endsWith('/logo.svg')
        ? { contentType: 'image/svg+xml', body: LOGO }
        : { contentType: 'text/html', body: pageWith(url) },
    ),
  );
}

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe');
  const frame = await element.contentFrame();
  if (!frame) throw new Error('The page has no frame.');
  return frame;
}
