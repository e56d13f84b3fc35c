import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Page } from 'playwright-core';
import { look, shootIfAsked } from '../look.js';
import type { Stage } from '../stage.js';
import { openTab, play, row } from './receiving.js';
import { addWebhook, api } from './webhook-form.js';

/** Wide enough for a delivery beside the list. */
const WIDE = { width: 1_600, height: 900 };

export function sendingAgainWalks(stage: Stage): void {
  it('sends a test event from the empty state, and shows what the receiver answers', async () => {
    await play(stage, async ({ page, receiver }) => {
      receiver.answer({ status: 202, body: '{"taken":true}' });
      await addWebhook(page, { url: `${receiver.url}/try`, secret: 'a secret' });
      await page.getByRole('button', { name: 'Send test event' }).last().click();
      const dialog = page.getByRole('dialog', { name: 'Send a test event' });
      await dialog.getByLabel('Kind of event').selectOption('meeting.joined');
      await look(page, 'test-event');
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await dialog.getByText(/^202 Accepted in \d/).waitFor();
      await dialog.getByText('{"taken":true}').waitFor();
      const { body } = await receiver.waitFor(({ path }) => path === '/try');
      expect(JSON.parse(body.toString())).toMatchObject({
        event_type: 'meeting.joined',
        data: { test: true },
      });
      await look(page, 'test-event-answered');

      receiver.answer({ status: 500, body: 'out of order' });
      await dialog.getByRole('button', { name: 'Send another' }).click();
      await dialog.getByText(/^500 Internal Server Error in/).waitFor();
      await dialog.getByText('out of order').waitFor();
      await dialog.getByRole('link', { name: 'See the delivery' }).click();
      await page.getByText('Test event', { exact: true }).waitFor();
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function sendingAgainDetailWalks(stage: Stage): void {
  it('retries at once what waits for its next attempt, and sends again what was given up', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500, body: 'out of order' });
      await addWebhook(page, { url: `${receiver.url}/again` });
      await assistant.publish('draft.created');
      await row(page, 'Retrying').waitFor();
      await page.getByRole('link', { name: 'draft.created' }).click();
      await page.getByText('2 attempts failed').waitFor(); // the third comes in an hour
      await page.getByText('any of the remaining retries').waitFor();
      await look(page, 'delivery-retry-now');
      await page.getByRole('button', { name: 'Retry now' }).click();
      await page.getByText('You asked for an extra attempt.').waitFor();
      await page.getByText('3 attempts failed').waitFor();

      receiver.answer({});
      await page.getByRole('button', { name: 'Retry now' }).click();
      await page.getByText('The receiver accepted it on attempt 4.').waitFor();
      await page.getByRole('button', { name: 'Resend' }).click();
      await page.getByText('Sent again as a new delivery').waitFor();
      await page.getByText(/^200 OK in \d/).waitFor();
      await look(page, 'delivery-resent', { dark: true });
      await page.getByRole('link', { name: 'See the delivery' }).click();
      await page.getByText('Resend of', { exact: true }).waitFor();
      expect(receiver.requests).toHaveLength(5);
      const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
      expect(ids.size).toBe(1);
    });
  });

  it('replays what was given up: counted first, then cancelled, then to its end', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/replay` });
      for (const kind of ['draft.created', 'meeting.joined', 'meeting.joined']) {
        await assistant.publish(kind);
      }
      await openTab(page, 'Deliveries');
      await page.getByText('3 deliveries.').waitFor();
      await row(page, 'Succeeded').nth(2).waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      const dialog = page.getByRole('dialog', { name: 'Replay' });
      await dialog.getByText('No deliveries match').waitFor();
      expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
      await dialog.getByLabel(/^Succeeded/).check();
      await dialog.getByText('3 events would be sent again.').waitFor();
      await dialog.getByText('Kinds of events: all').click();
      await look(page, 'replay-dialog');
      await dialog.getByLabel('Draft created').uncheck();
      await dialog.getByText('2 events would be sent again.').waitFor();
      await dialog.getByLabel('Time').selectOption('Between …');
      await dialog.getByText('Choose from when on.').waitFor();
      await dialog.getByLabel('From').fill('2030-01-01T00:00');
      await dialog.getByText('From must').waitFor();
      await dialog.getByLabel('From').fill('2020-01-01T00:00');
      await dialog.getByRole('button', { name: 'Send 2 events' }).click();
      const replay = page.getByRole('region', { name: 'Replay' });
      await replay.getByText('Done: 2 were sent again.').waitFor();
      await page.getByText('5 deliveries.').waitFor();
      await row(page, 'Succeeded').nth(4).waitFor();
      await look(page, 'replay-done', { dark: true });
      await replay.getByRole('button', { name: 'Close' }).click();
      await replay.waitFor({ state: 'detached' });

      // A webhook that answers nothing has room for some of them at a time.
      for (let n = 0; n < 200; n += 1) await assistant.publish('draft.created');
      await eventually(() => expect(receiver.requests).toHaveLength(205));
      await eventually(async () => {
        const statistics = await api(page, 'GET', `/api/webhooks/stats?webhook_id=${webhookId}`);
        expect(statistics).toMatchObject({ waiting: 0 });
      });
      await api(page, 'PATCH', `/api/webhooks/${webhookId}`, { paused: true });
      await page.getByRole('button', { name: 'Replay' }).click();
      await dialog.getByLabel(/^Succeeded/).check();
      await dialog.getByRole('button', { name: 'Send 203 events' }).click();
      await replay.getByText(/^[1-9]\d* of 203 sent again so far/).waitFor();
      await look(page, 'replay-running', { dark: true });
      await page.reload();
      await replay.getByRole('button', { name: 'Cancel replay' }).click();
      await replay
        .getByText(/^You cancelled it[.] Before that [1-9]\d* were sent again[.]/)
        .waitFor();
    });
  });

  it('offers to send what was held, when a webhook is enabled again', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/held` });
      await openTab(page, 'Settings');
      await page.getByRole('switch', { name: 'Enabled' }).click();
      await page.getByRole('button', { name: 'Disable', exact: true }).click();
      await page.getByText('Disabled by you').waitFor();
      await assistant.publish('reminder.sent');
      await assistant.publish('draft.created');
      await openTab(page, 'Overview');
      await row(page, 'Held').nth(1).waitFor();
      await row(page, 'Held').getByRole('link', { name: 'draft.created' }).click();
      await page.getByText('Enable it to send this event again.').waitFor();
      await page.goBack();
      await openTab(page, 'Settings');
      await page.getByRole('switch', { name: 'Enabled' }).click();
      const offer = page.getByRole('dialog', { name: 'Send what was held?' });
      await offer.getByText('2 events were held').waitFor();
      await look(page, 'held-offer');
      await offer.getByRole('button', { name: 'Send 2 events' }).click();
      await page.getByText('Done: 2 were sent again.').waitFor();
      await row(page, 'Succeeded').nth(1).waitFor();
      expect(receiver.requests).toHaveLength(2);

      await api(page, 'PATCH', `/api/webhooks/${webhookId}`, { enabled: false });
      await assistant.publish('reminder.sent');
      await row(page, 'Held').nth(2).waitFor(); // two of the three were sent again
      await page.getByRole('button', { name: 'Enable (1 held)' }).click();
      await offer.getByText('1 event was held').waitFor();
      await offer.getByRole('button', { name: 'Not now' }).click();
      await offer.waitFor({ state: 'detached' });
      expect(receiver.requests).toHaveLength(2);
    });
  });

  it('chooses several deliveries and sends them again, and says which were refused', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/several` });
      for (const kind of ['draft.created', 'meeting.joined', 'reminder.sent']) {
        await assistant.publish(kind);
      }
      await openTab(page, 'Deliveries');
      await row(page, 'Succeeded').nth(2).waitFor();
      await page.addInitScript(countDrawnRows);
      await page.reload();
      await row(page, 'Succeeded').nth(2).waitFor();
      const before = await drawnRows(page);
      await page.getByLabel('Choose Draft created').check();
      expect((await drawnRows(page)) - before).toBe(1);
      await page.getByLabel('Choose Meeting joined').check();
      await look(page, 'deliveries-chosen', { dark: true });
      await page.getByRole('button', { name: 'Resend 2' }).click();
      await page.getByText('All were sent again.').waitFor();
      await page.getByText('5 deliveries.').waitFor();
      await receiver.waitFor(() => receiver.requests.length === 5);

      await api(page, 'PATCH', `/api/webhooks/${webhookId}`, { enabled: false });
      await page.getByLabel('Choose all that are shown').check();
      await page.getByRole('button', { name: 'Resend 5' }).click();
      await page.getByText('5 were not sent again. This webhook is disabled').waitFor();
      await page.getByRole('button', { name: 'Resend 5' }).waitFor();
      await page.getByRole('button', { name: 'Choose none' }).click();
      await page.getByRole('region', { name: 'Chosen deliveries' }).waitFor({ state: 'detached' });
      expect(receiver.requests).toHaveLength(5);
    });
  });

  it('opens a delivery beside the list on a wide screen', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      await page.setViewportSize(WIDE);
      await addWebhook(page, { url: `${receiver.url}/beside` });
      await assistant.publish('draft.created');
      await assistant.publish('meeting.joined');
      await openTab(page, 'Deliveries');
      await page.getByRole('link', { name: 'draft.created' }).click();
      const pane = page.getByRole('region', { name: 'Open delivery' });
      await pane.getByText('The receiver accepted it on the first attempt.').waitFor();
      await shootIfAsked(page, 'deliveries-beside');
      await page.reload();
      await pane.getByRole('heading', { name: 'Draft created' }).waitFor();
      await page.getByRole('link', { name: 'meeting.joined' }).click();
      await pane.getByRole('heading', { name: 'Meeting joined' }).waitFor();
      await look(page, 'delivery-beside');
      await page.setViewportSize(WIDE);
      await page.keyboard.press('Escape');
      await pane.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'meeting.joined' }).click();
      await pane.getByRole('link', { name: 'Open its page' }).click();
      await page.getByRole('heading', { level: 1, name: 'Meeting joined' }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/deliveries\/dlv_/);
    });
  });

  it('tests a receiver that rests at once', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500 });
      await addWebhook(page, { url: `${receiver.url}/resting` });
      for (let n = 0; n < 8; n += 1) await assistant.publish('draft.created');
      await page.getByText(/^It began to fail .* It rests until/).waitFor();
      await row(page, 'Retrying').getByRole('link', { name: 'draft.created' }).first().click();
      await page.getByText('We’re resting after failures.').waitFor();
      await look(page, 'delivery-resting');
      const before = receiver.requests.length;
      await page.getByRole('button', { name: 'Retry now' }).click();
      await page.getByText('You asked for an extra attempt.').waitFor();
      await receiver.waitFor(() => receiver.requests.length > before);
      expect(await page.getByRole('button', { name: 'Retry now' }).count()).toBe(1);
    });
  });
}

/** Counts in the page how many rows are drawn: each reads this field of its delivery once. */
function countDrawnRows(): void {
  const { parse } = JSON;
  JSON.parse = (text: string) => {
    const answer = parse(text);
    for (const item of answer?.items ?? []) {
      const { redelivery_of: value } = item;
      if (value === undefined) continue;
      const get = () => {
        document.documentElement.dataset['drawn'] = String(1 + drawn());
        return value;
      };
      Object.defineProperty(item, 'redelivery_of', { get, enumerable: true });
    }
    return answer;
  };
  const drawn = () => Number(document.documentElement.dataset['drawn'] ?? 0);
}

const drawnRows = (page: Page) =>
  page.evaluate(() => Number(document.documentElement.dataset['drawn']));
