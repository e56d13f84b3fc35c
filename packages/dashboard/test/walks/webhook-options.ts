import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openTab, play, row } from './receiving.js';
import { paste, signUp } from './visitor.js';
import { addWebhook, api } from './webhook-form.js';

export function webhookOptionWalks(stage: Stage): void {
  it('sets everything that a webhook can have, and takes it back', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.goto('/webhooks/new');
      await page.getByLabel('URL').fill('https://receiver.example/options');
      await page.getByLabel('Description').fill('Of the mail team');
      await page.getByLabel('Sign with our key pair too').check();
      await unfold(page, 'Filter');
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Field of condition 1').fill('categorized.important');
      await page.getByLabel('Comparison of condition 1').selectOption('is more than');
      await page.getByLabel('Value of condition 1').fill('4');
      await page.getByText('example (none received recently)').first().waitFor();
      await unfold(page, 'Order, rate and retries');
      await page.getByLabel('In order').check();
      await page.getByLabel('Rate limit').fill('20');
      await page.getByLabel('Custom schedule').check();
      await page.getByLabel('Time before each retry').fill('5 s, 5 min, 2 h');
      await unfold(page, 'Headers');
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByRole('switch', { name: /^Trace/ }).check();
      await page.getByLabel('Name of header 1').fill('X-Api-Key');
      await page.getByLabel('Value of header 1').fill('very secret');
      await unfold(page, 'Metadata');
      await page.getByRole('button', { name: 'Add entry' }).click();
      await page.getByLabel('Name of entry 1').fill('team');
      await page.getByLabel('Value of entry 1').fill('mail');
      await look(page, 'webhook-options');
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('button', { name: 'Done' }).click();

      await page.getByText('Webhook added.').waitFor();
      await openTab(page, 'Settings');
      for (const words of [
        'Of the mail team',
        'One at a time, in order',
        '20 per second',
        'After 5 s, 5 min, 2 h',
        'X-Api-Key',
        'Sends traceparent',
        'team: mail',
        'Signed with a secret and ed25519',
      ]) {
        await page.getByText(words, { exact: true }).waitFor();
      }
      await look(page, 'webhook-with-options', { dark: true });
      const path = new URL(page.url()).pathname;
      const set = {
        description: 'Of the mail team',
        ordered: true,
        trace_context: true,
        rate_limit: 20,
        retry_schedule: [5, 300, 7_200],
        filter: { path: 'categorized.important', gt: 4 },
        signature: 'ed25519',
        metadata: { team: 'mail' },
      };
      expect(await api(page, 'GET', `/api${path}`)).toMatchObject(set);

      await edit(page);
      await page.getByLabel('Value of condition 1').waitFor(); // unfolded, for it is set
      await page.getByLabel('Description').fill('');
      await page.getByLabel('In order').uncheck();
      await page.getByRole('switch', { name: /^Trace/ }).uncheck();
      await page.getByLabel('Standard schedule').check();
      await page.getByRole('button', { name: 'Remove condition 1' }).click();
      await page.getByRole('button', { name: 'Remove X-Api-Key' }).click();
      await save(page);
      const { metadata, rate_limit: rate, signature, ...gone } = set;
      const webhook = await api(page, 'GET', `/api${path}`);
      expect(webhook).toMatchObject({ metadata, rate_limit: rate, signature });
      for (const name of [...Object.keys(gone), 'headers'])
        expect(webhook).not.toHaveProperty(name);
    });
  });

  it('rotates a secret: for a day both sign, and then the new one alone', async () => {
    await play(stage, async ({ page, receiver }) => {
      const webhookId = await addWebhook(page, { url: `${receiver.url}/r`, secret: 'the first' });
      const signatures = async () => {
        const before = receiver.requests.length;
        await api(page, 'POST', `/api/webhooks/${webhookId}/test`, { kind: 'draft.created' });
        await receiver.waitFor(() => receiver.requests.length > before);
        const last = receiver.requests.at(-1);
        return String(last?.headers['webhook-signature']).split(' ').length;
      };
      expect(await signatures()).toBe(1);
      await openTab(page, 'Settings');
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      const dialog = page.getByRole('dialog', { name: 'Rotate the secret' });
      await dialog.getByLabel('Use my own').check();
      await dialog.getByRole('button', { name: 'Rotate secret' }).click();
      await dialog.getByText('Enter the secret').waitFor();
      await look(page, 'secret-rotate');
      await dialog.getByLabel(/^Generate one/).check();
      await dialog.getByRole('button', { name: 'Rotate secret' }).click();
      const shown = page.getByRole('dialog', { name: 'Saved. Copy the secret now' });
      expect(await shown.getByLabel('Secret', { exact: true }).textContent()).toMatch(/^whsec_/);
      await shown.getByRole('button', { name: 'Done' }).click();
      await page.getByText('The previous secret still signs too').waitFor();
      expect(await signatures()).toBe(2);
      await look(page, 'secret-rotated');

      await edit(page);
      await page.getByLabel('Replace it with my own').check();
      await page.getByText('An attempt under way still carries the old one.').waitFor();
      const own = page.getByLabel('Your secret');
      await paste(own, ' the last\n');
      await page.getByText('Blanks around what you pasted were removed.').waitFor();
      expect(await own.inputValue()).toBe('the last');
      await look(page, 'secret-replace');
      await save(page);
      expect(await signatures()).toBe(1);
      await page.reload();
      await openTab(page, 'Settings');
      await page.getByText('Signed with a secret').waitFor();
      expect(await page.getByText('The previous secret').count()).toBe(0);
    });
  });

  it('tries a filter with what came before it is saved', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      await addWebhook(page, { url: `${receiver.url}/filtered` });
      const important = (count: number) =>
        assistant.publish('inbox.organized', {
          total_emails: 9,
          categorized: { important: count, meetings: 0, tasks: 0 },
        });
      await important(0);
      await important(7);
      await row(page, 'Succeeded').nth(1).waitFor();
      await edit(page);
      await page.getByRole('button', { name: 'Select none' }).click();
      await page.getByLabel(/^Inbox organized/).check();
      await unfold(page, 'Filter');
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Field of condition 1').fill('categorized.important');
      await page.getByLabel('Comparison of condition 1').selectOption('is at least');
      await page.getByLabel('Value of condition 1').fill('5');
      await page.getByText('1 of 2 would be sent:').waitFor();
      await page.getByText('Not sent', { exact: true }).waitFor();
      await look(page, 'webhook-filter');
      await page.getByText('JSON', { exact: true }).click();
      const json = page.getByLabel('Filter as JSON');
      expect(JSON.parse(await json.inputValue())).toEqual({
        path: 'categorized.important',
        gte: 5,
      });
      await json.fill('{"not": {"path": "categorized.important", "gte": 5}');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('This is not JSON').waitFor();
      await json.fill('{"not": {"path": "categorized.important", "more": 5}}');
      await page.getByText('Not checked yet').waitFor();
      await json.fill('{"not": {"path": "categorized.important", "gte": 5}}');
      await page.getByText('1 of 2 would be sent:').waitFor();
      await save(page);
      await openTab(page, 'Settings');
      await page.getByLabel('Filter', { exact: true }).getByText('"gte": 5').waitFor();
      await openTab(page, 'Overview');
      await important(8);
      await important(2);
      await row(page, 'Succeeded').nth(2).waitFor();
      const sent = receiver.requests.map(({ body }) => JSON.parse(body.toString()));
      const counts = sent.map(({ data }) => data.categorized.important as number);
      expect(counts).toEqual([0, 7, 2]);
    });
  });

  it('unfolds what is wrong, also what only the API knows', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const webhookId = await addWebhook(page, { url: 'https://receiver.example/wrong' });
      await edit(page);
      await unfold(page, 'Order, rate and retries');
      await page.getByLabel('Rate limit').fill('fast');
      await unfold(page, 'Order, rate and retries');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Enter a whole number from 1 to 1000').waitFor();
      await page.getByLabel('Rate limit').and(page.locator(':focus')).waitFor();
      await page.getByLabel('Rate limit').fill('');
      await unfold(page, 'Headers');
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByLabel('Name of header 1').fill('Content-Type');
      await page.getByLabel('Value of header 1').fill('text/plain');
      await unfold(page, 'Headers');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByLabel('Name of header 1').and(page.locator(':focus')).waitFor();
      await look(page, 'webhook-options-refused');
      const webhook = await api(page, 'GET', `/api/webhooks/${webhookId}`);
      expect(webhook).not.toHaveProperty('headers');
    });
  });
}

async function edit(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('heading', { level: 1, name: 'Edit webhook' }).waitFor();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Your changes are saved').waitFor();
}

/** Unfolds a group of options, or folds an open one. */
const unfold = (page: Page, name: string) =>
  page.locator('summary').filter({ hasText: name }).click();
