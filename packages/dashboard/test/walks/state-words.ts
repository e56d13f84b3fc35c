import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Page } from 'playwright-core';
import { look, PHONE } from '../look.js';
import type { Stage } from '../stage.js';
import { play, row } from './receiving.js';
import { signUp } from './visitor.js';
import { addWebhook, api } from './webhook-form.js';

/** Defines the walks through what the pages say of a webhook that gets nothing, and of a new account. */
export function stateWordWalks(stage: Stage): void {
  it('says how many events a filter dropped when it drops all, and that no data of them are kept', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/deaf` });
      const filter = { path: 'note', equals: 'never' };
      await api(page, 'PATCH', `/api/webhooks/${webhookId}`, { filter });
      await assistant.publish('draft.created');
      await assistant.publish('reminder.sent');
      await counted(page, webhookId, { total: { filtered: 2 }, last_attempt: null });
      await page.reload();
      await page.getByText('The filter dropped 2 events in the last 24 hours.').waitFor();
      await look(page, 'webhook-filter-drops', { dark: true });
      await page.goto('/deliveries');
      await page.getByText('Dropped by filter').waitFor();
      expect(await fact(page, 'Dropped by filter')).toBe('2');
      expect(await fact(page, 'Last delivery')).toBe('None');

      const events = (await api(page, 'GET', '/api/events')) as { items: { message_id: string }[] };
      await page.goto(`/events/${events.items[0]?.message_id}`);
      const payload = page.getByRole('region', { name: 'Payload' });
      await payload.getByText('Not kept: the data of an event is kept only with').waitFor();
      expect(await page.getByRole('button', { name: 'Send to a webhook' }).count()).toBe(0);
      await look(page, 'event-not-sent', { dark: true });
    });
  });

  it('leads to what waits and to what is held', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500 });
      const webhookId = await addWebhook(page, { url: `${receiver.url}/unsent` });
      await assistant.publish('draft.created');
      await row(page, 'Retrying').waitFor();
      await counted(page, webhookId, { waiting: 1, held: 0, last_attempt: { result: 'http_500' } });
      await page.reload();
      const status = page.getByLabel('Status');
      expect(await fact(page, 'Last attempt')).toContain(': 500 Internal Server Error');
      await page.getByRole('link', { name: '1', exact: true }).click();
      await page.getByText('1 delivery that matches the filter.').waitFor();
      expect(await status.inputValue()).toBe('waiting');

      await api(page, 'PATCH', `/api/webhooks/${webhookId}`, { enabled: false });
      await counted(page, webhookId, { waiting: 0, held: 1 });
      await page.goto('/webhooks');
      await page.getByRole('link', { name: '1 held' }).click();
      await row(page, 'Held').waitFor();
      expect(await status.inputValue()).toBe('held');
      await page.goto('/deliveries');
      await page.getByRole('link', { name: '1', exact: true }).click();
      await row(page, 'Held').waitFor();
      await look(page, 'deliveries-held');
      await page.setViewportSize(PHONE);
      const webhook = page.getByRole('cell', { name: '/unsent' });
      expect(await webhook.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
    });
  });

  it('has a resting webhook tried by one button', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500, body: 'out of order' });
      await addWebhook(page, { url: `${receiver.url}/resting` });
      for (let n = 0; n < 5; n += 1) await assistant.publish('draft.created');
      await page.getByText(/^It began to fail .* It rests until/).waitFor();
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByText(/^500 Internal Server Error in/).waitFor();
      await page.getByText(/^It began to fail .* It rests until/).waitFor();
      await look(page, 'webhook-resting', { dark: true });
      receiver.answer({});
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByText(/^200 OK in/).waitFor();
      await page.getByText('Active', { exact: true }).waitFor();
      await look(page, 'webhook-recovered');
      expect(await page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
    });
  });

  it('says "No matches" only of the filter that was asked for', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/matches` });
      await assistant.publish('draft.created');
      await row(page, 'Succeeded').waitFor();
      await page.goto(`/webhooks/${webhookId}?tab=deliveries`);
      await page.getByLabel('Status').selectOption('Refused');
      await page.getByText('No deliveries match this filter.').waitFor();
      const asked = /\/api\/deliveries\?.*status=succeeded/;
      let go = () => {};
      const held = new Promise<void>((resolve) => (go = resolve));
      await page.route(asked, async (route) => held.then(() => route.continue()));
      await page.getByLabel('Status').selectOption('Succeeded');
      await page.getByText('No deliveries match this filter.').waitFor({ state: 'detached' });
      expect(await page.getByRole('row').count()).toBe(0);
      go();
      await row(page, 'Succeeded').waitFor();

      // The API ends a page early when it has looked at much.
      const early = { items: [], next_cursor: null, searched_back_to: '2030-01-02T03:04:05Z' };
      await page.unroute(asked);
      await page.route(asked, async (route) =>
        route.fulfill({
          json: { ...early, next_cursor: 'dlv_0190f3a0-0000-7000-8000-000000000001' },
        }),
      );
      await page.goto(`/webhooks/${webhookId}?status=succeeded`);
      await page.getByText('Nothing found so far').waitFor();
      await page.getByRole('button', { name: 'Look further back' }).waitFor();
      await page.unroute(asked);
    });
  });

  it('closes the first steps for good, whatever a browser remembers', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.getByText('0 of 4 done').waitFor();
      const kept = page.waitForResponse('**/api/auth/me');
      await page.getByRole('button', { name: 'Close for good' }).click();
      await page.getByText('Get started').waitFor({ state: 'detached' });
      expect((await kept).status()).toBe(200);
      await page.evaluate(() => localStorage.clear());
      for (const path of ['/', '/integrations']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        expect(await page.getByText('Get started').count()).toBe(0);
      }
    });
  });
}

/** The value beside a term. */
const fact = async (page: Page, term: string) =>
  page.locator('dl > div').filter({ hasText: term }).locator('dd').textContent();

/** Waits until the statistics, which are written a second late, hold these numbers. */
const counted = (page: Page, webhookId: string, numbers: object) =>
  eventually(async () =>
    expect(await api(page, 'GET', `/api/webhooks/stats?webhook_id=${webhookId}`)).toMatchObject(
      numbers,
    ),
  );
