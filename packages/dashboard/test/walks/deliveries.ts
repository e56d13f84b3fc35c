import { expect, it } from '@jest/globals';
import { freePort, type Receiver, startReceiver } from '@junction/testing';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { signUp } from './visitor.js';
import { type Assistant, addWebhook, assistantOf } from './webhook-form.js';

const PAGE = 25;
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\n{"a":1}';

export function deliveryWalks(stage: Stage): void {
  it('shows a delivery as it arrives, and what was sent and answered', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 202, body: 'thank you' });
      await addWebhook(page, { url: `${receiver.url}/hook`, secret: 'a secret' });
      await page.getByText('Nothing was sent yet').waitFor();
      await look(page, 'webhook-new-page');
      await assistant.publish('inbox.organized', {
        total_emails: 47,
        categorized: { important: 5, meetings: 8, tasks: 12 },
        big: 9_007_199_254_740_991,
      });
      await row(page, 'Delivered').waitFor();
      await page.getByText('1 delivery.').waitFor();

      await page.getByRole('link', { name: 'Inbox organized' }).click();
      await page.getByText('The receiver accepted it at the first attempt.').waitFor();
      await page.getByText('thank you').waitFor();
      const { headers, body } = await receiver.waitFor(() => true);
      const sent = await page.getByLabel('Request line and headers').textContent();
      expect(sent).toContain(`POST ${receiver.url}/hook`);
      expect(sent).toContain(`X-Service-Signature: ${String(headers['x-service-signature'])}`);
      expect(sent).toContain(`webhook-id: ${String(headers['webhook-id'])}`);
      const shown = page.getByRole('region', { name: 'Request body' }).last();
      expect(await shown.textContent()).toContain('\n    "total_emails": 47,');
      await look(page, 'delivery-succeeded');
      await page.getByText('Exact bytes').click();
      expect(await shown.textContent()).toBe(body.toString());
    });
  });

  it('says why attempts fail and that the circuit is open, and shows the answer as text', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 500, body: HOSTILE, headers: { 'content-type': 'text/html' } });
      await addWebhook(page, { url: `${receiver.url}/broken` });
      for (let n = 0; n < 8; n += 1) await assistant.publish('draft.created');
      await page.getByText('Circuit open').waitFor();
      await page.getByText('no attempts are used up').waitFor();
      await page.getByText(/The next probe is (in|due)/).waitFor();
      await row(page, 'Retrying').first().getByText('500 Internal Server Error').waitFor();
      await look(page, 'webhook-circuit-open');

      await page.getByRole('link', { name: 'Draft created' }).last().click();
      await page.getByText('and it is tried again. The receiver answered 500').waitFor();
      const sample = page.getByLabel('Beginning of the response body').last();
      expect(await sample.textContent()).toBe(HOSTILE);
      expect(await page.locator('main img, main script').count()).toBe(0);
      expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
      await look(page, 'delivery-retrying');

      receiver.answer({});
      await page.goBack();
      await page.getByText('Active', { exact: true }).waitFor({ timeout: 60_000 });
      await row(page, 'Delivered').first().waitFor();
    });
  });

  it('filters by status and kind, which reload and back keep', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer(({ body }) => ({ status: body.includes('draft.created') ? 400 : 200 }));
      await addWebhook(page, { url: receiver.url });
      for (const kind of ['draft.created', 'meeting.joined', 'meeting.joined', 'reminder.sent']) {
        await assistant.publish(kind);
      }
      await page.getByText('4 deliveries.').waitFor();
      await row(page, 'Delivered').nth(2).waitFor();
      await page.getByLabel('Status').selectOption('Delivered');
      await page.getByText('3 deliveries that match the filter.').waitFor();
      await page.getByLabel('Kind of event').selectOption('Meeting joined');
      await page.getByText('2 deliveries that match the filter.').waitFor();
      expect(new URL(page.url()).search).toBe('?status=succeeded&kind=meeting.joined');

      await page.reload();
      await page.getByText('2 deliveries that match the filter.').waitFor();
      await page.getByRole('link', { name: 'Meeting joined' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Meeting joined' }).waitFor();
      await page.goBack();
      await page.getByText('2 deliveries that match the filter.').waitFor();
      await look(page, 'deliveries-filtered');

      await page.getByLabel('Status').selectOption('Given up');
      await page.getByText('No match').waitFor();
      await look(page, 'deliveries-no-match');
      await page.getByRole('button', { name: 'Clear filter' }).click();
      await page.getByText('4 deliveries.').waitFor();
    });
  });

  it('says that nobody answers at an address', async () => {
    await play(stage, async ({ page, assistant }) => {
      await addWebhook(page, { url: `http://127.0.0.1:${await freePort()}/` });
      await assistant.publish('meeting.joined');
      await row(page, 'Retrying').getByText('Connection refused').waitFor();
      await page.getByRole('link', { name: 'Meeting joined' }).click();
      await page.getByText('Nothing accepts connections').first().waitFor();
      expect(await page.getByText('No response arrived.').count()).toBeGreaterThan(0);
    });
  });

  it('holds what comes for a disabled webhook, and keeps what comes for a paused one', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      await addWebhook(page, { url: receiver.url });
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      await assistant.publish('briefing.sent');
      await row(page, 'Pending').getByText('Waits until you resume').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await row(page, 'Delivered').waitFor();

      await page.getByRole('switch', { name: 'Enabled' }).click();
      await page.getByRole('button', { name: 'Disable', exact: true }).click();
      await page.getByText('Disabled by you').waitFor();
      await assistant.publish('reminder.sent');
      await row(page, 'Held').getByText('Webhook disabled').waitFor();
      await page.getByRole('link', { name: 'Reminder sent' }).click();
      await page.getByText('The event is kept here and not sent').waitFor();
      await page.getByText('None was made.').waitFor();
      expect(receiver.requests).toHaveLength(1);
    });
  });

  it('lists many in pages, newest first', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      await addWebhook(page, { url: receiver.url });
      for (let n = 0; n < PAGE; n += 1) await assistant.publish('briefing.sent');
      await page.getByText(`${PAGE} deliveries.`).waitFor();
      await assistant.publish('reminder.sent');
      await page.getByText(`The newest ${PAGE} deliveries; there are more.`).waitFor();
      await page.getByRole('row').nth(1).getByText('Reminder sent').waitFor();
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText(`${PAGE + 1} deliveries.`).waitFor();
      expect(await page.getByRole('row').count()).toBe(1 + PAGE + 1);
    });
  });
}

interface Scene {
  readonly page: Page;
  readonly receiver: Receiver;
  readonly assistant: Assistant;
}

/** Somebody new, with a receiver of their own and an assistant that works for them. */
const play = (stage: Stage, scene: (scene: Scene) => Promise<void>) =>
  stage.play(async (page) => {
    await signUp(page);
    const receiver = await startReceiver();
    const assistant = await assistantOf(page, stage.product());
    try {
      await scene({ page, receiver, assistant });
    } finally {
      await assistant.close();
      await receiver.close();
    }
  });

const row = (page: Page, status: string) =>
  page.getByRole('row').filter({ has: page.getByRole('cell', { name: status, exact: true }) });
