import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openTab, play, row } from './receiving.js';
import { paste, signUp } from './visitor.js';
import { addWebhook, api, openSettings, saveSettings } from './webhook-form.js';

export function webhookOptionWalks(stage: Stage): void {
  it('sets everything that a webhook can have, and takes it back', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/options', secret: 'mine' });
      const address = await openSettings(page, 'Address and description');
      await address.getByLabel('Description').fill('Of the mail team');
      await saveSettings(address);
      const signing = await openSettings(page, 'Secret and signature');
      await signing.getByLabel('Sign with our key pair too').check();
      await saveSettings(signing);
      const filter = await openSettings(page, 'Filter');
      await filter.getByRole('button', { name: 'Add condition' }).click();
      await filter.getByLabel('Field of condition 1').fill('categorized.important');
      await filter.getByLabel('Comparison of condition 1').selectOption('is more than');
      await filter.getByLabel('Value of condition 1').fill('4');
      await filter.getByText('example (none received recently)').first().waitFor();
      await saveSettings(filter);
      const sending = await openSettings(page, 'Order, rate and retries');
      await sending.getByLabel('In order').check();
      await sending.getByLabel('Rate limit').fill('20');
      await sending.getByLabel('Custom schedule').check();
      await sending.getByLabel('Time before each retry').fill('5 s, 5 min, 2 h');
      await saveSettings(sending);
      const headers = await openSettings(page, 'Headers');
      await headers.getByRole('button', { name: 'Add header' }).click();
      await headers.getByRole('switch', { name: /^Trace/ }).check();
      await headers.getByLabel('Name of header 1').fill('X-Api-Key');
      await headers.getByLabel('Value of header 1').fill('very secret');
      await saveSettings(headers);
      const metadata = await openSettings(page, 'Metadata');
      await metadata.getByRole('button', { name: 'Add entry' }).click();
      await metadata.getByLabel('Name of entry 1').fill('team');
      await metadata.getByLabel('Value of entry 1').fill('mail');
      await look(page, 'webhook-options');
      await saveSettings(metadata);

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
        await page.getByText(words, { exact: true }).first().waitFor();
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

      await address.getByLabel('Description').fill('');
      await saveSettings(address);
      await sending.getByLabel('In order').uncheck();
      await sending.getByLabel('Standard schedule').check();
      await saveSettings(sending);
      await headers.getByRole('switch', { name: /^Trace/ }).uncheck();
      await headers.getByRole('button', { name: 'Remove X-Api-Key' }).click();
      await saveSettings(headers);
      await filter.getByRole('button', { name: 'Remove condition 1' }).click();
      await saveSettings(filter);
      const { metadata: kept, rate_limit: rate, signature, ...gone } = set;
      await eventually(async () => {
        const webhook = await api(page, 'GET', `/api${path}`);
        expect(webhook).toMatchObject({ metadata: kept, rate_limit: rate, signature });
        for (const name of [...Object.keys(gone), 'headers'])
          expect(webhook).not.toHaveProperty(name);
      });
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

      const signing = page.locator('details').filter({ hasText: 'Secret and signature' });
      await signing.locator('summary').first().click();
      await page.getByLabel('Replace it with my own').check();
      await page.getByText('An attempt under way still carries the old one.').waitFor();
      const own = page.getByLabel('Your secret');
      await paste(own, ' the last\n');
      await page.getByText('Blanks around what you pasted were removed.').waitFor();
      expect(await own.inputValue()).toBe('the last');
      await look(page, 'secret-replace');
      await saveSettings(signing);
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
      const kinds = await openSettings(page, 'Kinds of events');
      await kinds.getByRole('button', { name: 'Select none' }).click();
      await kinds.getByLabel(/^Inbox organized/).check();
      await saveSettings(kinds);
      const filter = await openSettings(page, 'Filter');
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
      await filter.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('This is not JSON').waitFor();
      await json.fill('{"not": {"path": "categorized.important", "more": 5}}');
      await page.getByText('Not checked yet').waitFor();
      await json.fill('{"not": {"path": "categorized.important", "gte": 5}}');
      await page.getByText('1 of 2 would be sent:').waitFor();
      await saveSettings(filter);
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

  it('shows what is wrong beside it, also what only the API knows', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const webhookId = await addWebhook(page, { url: 'https://receiver.example/wrong' });
      const sending = await openSettings(page, 'Order, rate and retries');
      await sending.getByLabel('Rate limit').fill('fast');
      await sending.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Enter a whole number from 1 to 1000').waitFor();
      await page.getByLabel('Rate limit').and(page.locator(':focus')).waitFor();
      const headers = await openSettings(page, 'Headers');
      await headers.getByRole('button', { name: 'Add header' }).click();
      await headers.getByLabel('Name of header 1').fill('Content-Type');
      await headers.getByLabel('Value of header 1').fill('text/plain');
      await headers.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByLabel('Name of header 1').and(page.locator(':focus')).waitFor();
      await look(page, 'webhook-options-refused');
      const webhook = await api(page, 'GET', `/api/webhooks/${webhookId}`);
      expect(webhook).not.toHaveProperty('headers');
    });
  });
}
