import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Locator, Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openSection, openTab, play, row } from './receiving.js';
import { copied } from './visitor.js';
import { type Assistant, addWebhook, api } from './webhook-form.js';

const PAGE = 50;
/** Rows of a list before older deliveries get one of their own. */
const ROWS_MAX = 200;
const LOOK_MS = 500;
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\n{"a":1}';

export function deliveryWalks(stage: Stage): void {
  it.concurrent('shows a delivery as it arrives, and what was sent and answered', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 202, body: 'thank you' });
      await addWebhook(page, { url: `${receiver.url}/hook`, secret: 'a secret' });
      await look(page, 'webhook-new-page');
      await assistant.publish('inbox.organized', {
        total_emails: 47,
        categorized: { important: 5, meetings: 8, tasks: 12 },
        big: 9_007_199_254_740_991,
      });
      await row(page, 'Succeeded').waitFor();
      await openTab(page, 'Deliveries');
      await page.getByText('1 delivery.').waitFor();

      await page.getByRole('link', { name: 'inbox.organized' }).click();
      await page.getByRole('link', { name: 'Open its page' }).click();
      await page.getByRole('heading', { level: 1, name: 'Inbox organized' }).waitFor();
      await page.getByText('The receiver accepted it on the first attempt.').waitFor();
      await page.getByText('thank you').waitFor();
      const { headers, body } = await receiver.waitFor(() => true);
      const sent = await page.getByLabel('Request line and headers').textContent();
      expect(sent).toContain(`POST ${receiver.url}/hook`);
      expect(sent).toContain(`X-Service-Signature: ${String(headers['x-service-signature'])}`);
      expect(sent).toContain(`webhook-id: ${String(headers['webhook-id'])}`);
      const shown = page.getByRole('region', { name: 'Request body' }).last();
      expect(await shown.textContent()).toContain('\n    "total_emails": 47,');
      await look(page, 'delivery-succeeded', { dark: true });
      await page.getByText('Exact bytes').click();
      expect(await shown.textContent()).toBe(body.toString());
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function deliveryDetailWalks(stage: Stage): void {
  it.concurrent('shows what all webhooks got, as it happens, and what an event matched', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/all`, secret: 'a secret' });
      const meetings = await api(page, 'POST', '/api/webhooks', {
        url: `${receiver.url}/meetings`,
        events: ['meeting.joined'],
        enabled: true,
      });
      await openSection(page, 'Deliveries');
      await page.getByText('Nothing sent yet').waitFor();
      const tail = page.getByRole('log', { name: 'Latest attempts' });
      await streamOpen(page, assistant, tail.getByText('200 OK'));
      await page.getByRole('button', { name: 'Pause' }).click();
      const attempts = tail.getByRole('listitem');
      const shown = await attempts.count();
      await assistant.publish('meeting.joined');
      await page.getByText('Paused. 2 more since then.').waitFor();
      expect(await attempts.count()).toBe(shown);
      await page.getByRole('button', { name: 'Resume live view' }).click();
      await page.getByText('Newest attempts first.').waitFor();
      await attempts.nth(shown + 1).waitFor();
      expect(await attempts.count()).toBe(shown + 2);

      await row(page, 'Succeeded').filter({ hasText: '/meetings' }).waitFor();
      await page.getByText('100%').waitFor();
      await page.getByText('Resting', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.getByText('The numbers as a table').click();
      const numbers = page.getByRole('region', { name: 'Attempts by time' });
      await numbers.getByRole('cell', { name: String(shown + 2), exact: true }).waitFor();
      await look(page, 'deliveries-all', { dark: true });

      await page.getByRole('button', { name: 'By event' }).click();
      const group = page.getByRole('button', { name: '2 webhooks, all succeeded' }).first();
      await group.click();
      await row(page, 'Succeeded').filter({ hasText: '/meetings' }).waitFor();
      await look(page, 'deliveries-grouped', { dark: true });
      await page.getByRole('button', { name: 'By event' }).click();
      await page.getByRole('group', { name: 'Attempts by time' }).getByRole('link').last().click();
      await page.waitForURL(/[?&]from=.*[?&]to=/);
      await page.getByText(`${shown + 2} deliveries that match the filter.`).waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n');
      expect(lines).toHaveLength(1 + shown + 2);
      await page.getByRole('button', { name: 'Clear filter' }).click();

      await page.getByLabel('Webhook', { exact: true }).selectOption(webhookId);
      await page.getByLabel('Response').selectOption('2xx');
      await page.getByLabel('Time', { exact: true }).selectOption('Last hour');
      await page.getByText(`${shown + 1} deliveries that match the filter.`).waitFor();
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).toEqual({
        webhook_id: webhookId,
        http_status: '2xx',
        period: '1h',
      });
      await page.getByLabel('Time', { exact: true }).selectOption('Between …');
      await page.getByLabel('Until').fill('2020-01-01T00:00');
      await page.getByText('must be later than from').waitFor();
      await page.getByRole('button', { name: 'Clear filter' }).click();

      await row(page, 'Succeeded').getByRole('link', { name: 'draft.created' }).first().click();
      await page.getByRole('link', { name: 'See the event' }).click();
      await page.getByText('1 webhook: The webhook names neither this kind of event').click();
      await page.getByRole('link', { name: '/meetings' }).waitFor();
      await row(page, 'Succeeded').waitFor();
      await page.getByRole('region', { name: 'Payload' }).getByText('"note"').waitFor();
      await look(page, 'event', { dark: true });

      // A webhook that did not get the event gets its data as a test event.
      const { webhook_id: meetingsId } = meetings as { webhook_id: string };
      await page.getByRole('button', { name: 'Send to a webhook' }).click();
      const dialog = page.getByRole('dialog', { name: 'Send this event to a webhook' });
      await dialog.getByLabel('Webhook').selectOption(meetingsId);
      await dialog.getByText('marked with "test": true').waitFor();
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await dialog.getByText(/^200 OK in \d/).waitFor();
      await receiver.waitFor(
        ({ path, body }) => path === '/meetings' && body.includes('"test":true'),
      );
      await dialog.getByRole('button', { name: 'Close' }).last().click();

      await openSection(page, 'Webhooks');
      await page
        .getByRole('img', { name: /^Last .* succeeded/ })
        .nth(1)
        .waitFor();
      await look(page, 'webhooks-numbers', { dark: true });

      // The page of one webhook tells of that one alone.
      await page.goto(`/webhooks/${meetingsId}?tab=deliveries`, { waitUntil: 'commit' });
      await page.waitForResponse((response) => response.url().endsWith('/api/webhooks/stream'));
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      await page.getByText('New attempts appear here as they happen.').waitFor();
      await assistant.publish('draft.created');
      for (const nth of [0, 1]) {
        await assistant.publish('meeting.joined');
        await tail.getByRole('link', { name: 'Meeting joined' }).nth(nth).waitFor();
      }
      expect(await attempts.count()).toBe(2);
      await look(page, 'webhook-live', { dark: true });
    });
  });

  it.concurrent('says why attempts fail and that the circuit is open, and shows the answer as text', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500, body: HOSTILE, headers: { 'content-type': 'text/html' } });
      await addWebhook(page, { url: `${receiver.url}/broken` });
      for (let n = 0; n < 8; n += 1) await assistant.publish('draft.created');
      await page.getByText(/^It began to fail .* It rests until/).waitFor();
      await page.getByText('uses up no attempts').waitFor();
      await page.getByText('Waiting: the webhook rests until').first().waitFor();
      await row(page, 'Retrying').first().getByText('500 Internal Server Error').waitFor();
      await look(page, 'webhook-circuit-open', { dark: true });

      await page.getByRole('link', { name: 'draft.created' }).last().click();
      await page.getByText('and we’ll try again. The receiver answered 500').waitFor();
      const sample = page.getByLabel('Beginning of the response body').last();
      expect(await sample.textContent()).toBe(HOSTILE);
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
      await look(page, 'delivery-retrying', { dark: true });

      receiver.answer({});
      await page.goBack();
      await page.getByText('Active', { exact: true }).waitFor({ timeout: 60_000 });
      await row(page, 'Succeeded').first().waitFor();
    });
  });

  it.concurrent('filters by status, kind and text, which reload and back keep', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer(({ body }) => ({ status: body.includes('draft.created') ? 400 : 200 }));
      await addWebhook(page, { url: receiver.url });
      for (const kind of ['draft.created', 'meeting.joined', 'meeting.joined', 'reminder.sent']) {
        await assistant.publish(kind);
      }
      await openTab(page, 'Deliveries');
      await page.getByText('4 deliveries.').waitFor();
      await row(page, 'Succeeded').nth(2).waitFor();
      await page.getByLabel('Status').selectOption('Succeeded');
      await page.getByText('3 deliveries that match the filter.').waitFor();
      await page.getByLabel('Kind of event').selectOption('Meeting joined');
      await page.getByText('2 deliveries that match the filter.').waitFor();
      expect(new URL(page.url()).search).toBe(
        '?tab=deliveries&status=succeeded&event_type=meeting.joined',
      );

      await page.reload();
      await page.getByText('2 deliveries that match the filter.').waitFor();
      await page.getByRole('link', { name: 'meeting.joined' }).first().click();
      await page.getByRole('region', { name: 'Open delivery' }).waitFor();
      await page.goBack();
      await page.getByText('2 deliveries that match the filter.').waitFor();
      await look(page, 'deliveries-filtered');

      await page.getByLabel('Status').selectOption('Exhausted');
      await page.getByText('No matches').waitFor();
      await look(page, 'deliveries-no-match');
      await page.getByRole('button', { name: 'Clear filter' }).click();
      await page.getByText('4 deliveries.').waitFor();

      await page.getByLabel('Text or ID').fill('of Reminder');
      await page.keyboard.press('Enter');
      await page.getByText('1 delivery that matches the filter.').waitFor();
      await page.reload();
      await page.getByRole('link', { name: 'reminder.sent' }).waitFor();
      expect(new URL(page.url()).searchParams.get('text')).toBe('of Reminder');
      expect(await page.getByLabel('Text or ID').inputValue()).toBe('of Reminder');
    });
  });

  it.concurrent('finds a test event by its id, shows where its time went, and leads to what repeats it', async () => {
    await play(stage, async ({ page, receiver }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/t`, secret: 'a secret' });
      const sent = await api(page, 'POST', `/api/webhooks/${webhookId}/test`, {
        kind: 'draft.created',
      });
      const { delivery_id: deliveryId } = sent as { delivery_id: string };
      await page.goto('/deliveries');
      await row(page, 'Succeeded').waitFor();
      await page.getByLabel('Text or ID').fill('dlv_00000000-0000-7000-8000-000000000000');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('No delivery has this ID.').waitFor();
      await page.getByLabel('Text or ID').fill(`see ${deliveryId}.`);
      await page.getByRole('button', { name: 'Search' }).click();

      await page.getByText('Test event', { exact: true }).waitFor();
      const timing = page.getByRole('table', { name: 'Where the time went' });
      await timing.getByRole('row', { name: /^First byte \d/ }).waitFor();
      const { headers, body } = await receiver.waitFor(() => true);
      const copy = page.getByRole('button', { name: 'Copy as curl' });
      const command = await copied(page, () => copy.click());
      expect(command).toContain(`X-Service-Signature: ${String(headers['x-service-signature'])}'`);
      expect(command).toContain(`--data-raw '${body.toString()}'`);

      await api(page, 'POST', `/api/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, {});
      await page.getByRole('link', { name: /^Delivery created/ }).click();
      await page.getByText('Resend of', { exact: true }).waitFor();
      await page.getByText('Resent', { exact: true }).waitFor();
      await page.getByText('Test event', { exact: true }).waitFor();
      await page.getByText('The receiver accepted it on the first attempt.').waitFor();
      await look(page, 'delivery-sent-again');
      await page.getByRole('link', { name: /^Delivery created/ }).click();
      await page.waitForURL(`**/deliveries/${deliveryId}`);
    });
  });

  it.concurrent('lists many in pages, newest first', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      await addWebhook(page, { url: receiver.url });
      for (let n = 0; n < PAGE; n += 1) await assistant.publish('briefing.sent');
      await openTab(page, 'Deliveries');
      await page.getByText(`${PAGE} deliveries.`).waitFor();
      await assistant.publish('reminder.sent');
      await page.getByText(`The newest ${PAGE} deliveries; there are more.`).waitFor();
      await page.getByRole('row').nth(1).getByText('reminder.sent').waitFor();
      await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded();
      await page.getByText(`${PAGE + 1} deliveries.`).waitFor();
      expect(await page.getByRole('row').count()).toBe(1 + PAGE + 1);

      for (let n = PAGE; n < ROWS_MAX; n += 1) await assistant.publish('briefing.sent');
      const older = page.getByRole('link', { name: 'Older deliveries' });
      await eventually(async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        await older.waitFor({ timeout: LOOK_MS });
      });
      expect(await page.getByRole('row').count()).toBe(1 + ROWS_MAX);
      await older.click();
      await page.getByText('1 older delivery.').waitFor();
      await page.getByRole('link', { name: 'Newest deliveries' }).click();
      await page.getByText(`The newest ${ROWS_MAX} deliveries; there are more.`).waitFor();
    });
  });
}

/** The tail tells nothing of what was before its stream was open. */
async function streamOpen(page: Page, assistant: Assistant, told: Locator): Promise<void> {
  // Waits for the stream of this load. The previous page's stream may be answered only now.
  await page.reload({ waitUntil: 'commit' });
  await page.waitForResponse((response) => response.url().endsWith('/api/webhooks/stream'));
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByText('New attempts appear here as they happen.').waitFor();
  await assistant.publish('draft.created');
  await told.waitFor();
}
