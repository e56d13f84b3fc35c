import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openSection, openTab, row } from './receiving.js';
import { copied, signUp } from './visitor.js';
import { addWebhook, api, openSettings, saveSettings } from './webhook-form.js';

const MANY = 49; // and one more: a user may have fifty

export function webhookWalks(stage: Stage): void {
  it.concurrent('explains webhooks, and adds one whose generated secret is shown once', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('No webhooks yet').waitFor();
      await look(page, 'webhooks-none', { dark: true });
      await page.getByRole('link', { name: 'Add webhook' }).click();
      await page.getByLabel('URL').fill('https://receiver.example/hook');
      await look(page, 'webhook-new', { dark: true });
      await page.getByLabel('Example of a request').getByText('"total_emails"').waitFor();
      await save(page, 'Add webhook');
      await page.getByText('Webhook added.').waitFor();

      const connect = page.getByRole('region', { name: 'Connect your receiver' });
      const example = connect.getByLabel('Receiver in Node.js');
      const secret =
        /WEBHOOK_SECRET='(.+)' node/.exec((await example.textContent()) ?? '')?.[1] ?? '';
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const copy = connect.getByRole('button', { name: 'Copy secret' });
      expect(await copied(page, () => copy.click())).toBe(secret);
      expect(
        await page.evaluate(() => JSON.stringify([history.state, localStorage, sessionStorage])),
      ).not.toContain(secret);
      await look(page, 'webhook-connect', { dark: true });
      await page.reload();
      await connect.getByText('Its secret was shown once').waitFor();
      expect(await page.content()).not.toContain(secret);
      await openTab(page, 'Settings');
      await page.getByText('Signed with a secret').waitFor();
      expect(await page.content()).not.toContain(secret);
      await page.getByText('How to verify the signature').click();
      await page.getByLabel('Language').selectOption('Python');
      await page.getByText('WEBHOOK_SECRET=… python3 receive.py').waitFor();
      await look(page, 'webhook-receiver');
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function webhookDetailWalks(stage: Stage): void {
  it.concurrent('changes kinds, url and secret', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/taken' });
      const webhookId = await addWebhook(page, { url: 'https://receiver.example/old' });
      const address = await openSettings(page, 'Address and description');
      await address.getByLabel('URL').fill('https://receiver.example/new');
      await saveSettings(address);
      const kinds = await openSettings(page, 'Kinds of events');
      await kinds.getByLabel(/^Draft created/).uncheck();
      await look(page, 'webhook-settings', { dark: true });
      await saveSettings(kinds);
      const signing = await openSettings(page, 'Secret and signature');
      await signing.getByLabel('Use my own').check();
      await signing.getByLabel('Your secret').fill('my own secret');
      await saveSettings(signing);
      const path = `/api/webhooks/${webhookId}`;
      expect(await api(page, 'GET', path)).toMatchObject({
        url: 'https://receiver.example/new',
        events: ['inbox.organized', 'meeting.joined', 'briefing.sent', 'reminder.sent'],
        has_secret: true,
      });

      await signing.getByLabel('Replace it with a generated one').check();
      await signing.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      await signing.getByLabel('Remove it').check();
      await signing.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Not signed').waitFor();
      expect(await api(page, 'GET', path)).toMatchObject({ has_secret: false });
    });
  });

  it.concurrent('pauses and resumes, disables after asking, and enables', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/switch' });
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('New events wait, and are sent as soon as you resume.').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Active', { exact: true }).waitFor();

      await openTab(page, 'Settings');
      const enabled = page.getByRole('switch', { name: 'Enabled' });
      await enabled.focus();
      await page.keyboard.press('Space');
      const dialog = page.getByRole('dialog', { name: 'Disable this webhook?' });
      await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
      await look(page, 'webhook-disable');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.locator('[role=switch]:focus').waitFor();
      expect(await enabled.isChecked()).toBe(true);

      await page.keyboard.press('Space');
      await dialog.getByRole('button', { name: 'Pause instead' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.keyboard.press('Space');
      await dialog.getByRole('button', { name: 'Disable', exact: true }).click();
      await page.getByText('Disabled by you').waitFor();
      await look(page, 'webhook-disabled', { dark: true });
      await openSection(page, 'Webhooks');
      await row(page, 'Disabled by you').getByRole('link').first().click();
      await page.getByText('This webhook is disabled.').waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await openTab(page, 'Settings');
      expect(await enabled.isChecked()).toBe(true);
    });
  });

  it.concurrent('finds one of many by its state and by what is searched, and begins with those that fail', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const configure = (n: number, more: object) =>
        api(page, 'POST', '/api/webhooks', {
          url: `https://receiver-${n}.example/a/rather/long/path/to/its/hook`,
          events: ['*'],
          enabled: true,
          ...more,
        });
      for (let n = 0; n < MANY; n += 1) {
        await configure(n, n % 3 === 0 ? { description: `Of team ${n}` } : {});
      }
      await configure(MANY, { enabled: false });
      await page.goto('/webhooks');
      await page.getByText(`${MANY + 1} webhooks.`).waitFor();
      const first = await page.getByRole('row').nth(1).boundingBox();
      expect(first?.height).toBeLessThanOrEqual(44);
      await look(page, 'webhooks-many', { dark: true });
      await page.getByLabel('Search webhooks').fill('team 3');
      await page.getByText(`5 of ${MANY + 1} webhooks.`).waitFor();
      await page.getByLabel('Search webhooks').fill('nowhere');
      await page.getByText('No webhook matches this filter.').waitFor();
      await page.getByRole('button', { name: 'Clear filter' }).click();
      await page.getByText(`${MANY + 1} webhooks.`, { exact: true }).waitFor();
      await page.getByLabel('State').selectOption('Disabled (1)');
      await row(page, 'Disabled by you').getByText(`receiver-${MANY}.example`).waitFor();
      await page.reload();
      await page.getByText(`1 of ${MANY + 1} webhooks.`).waitFor();
    });
  });

  it.concurrent('deletes after saying what stops', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const webhookId = await addWebhook(page, { url: 'https://receiver.example/gone' });
      await openTab(page, 'Settings');
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete this webhook?' });
      await dialog.getByText('All kinds of events: are no longer sent there.').waitFor();
      await look(page, 'webhook-delete', { dark: true });
      await dialog.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByText('No webhooks yet').waitFor();

      await page.goto(`/webhooks/${webhookId}`);
      await page.getByText('There is nothing here').waitFor();
      expect(await api(page, 'GET', '/api/webhooks')).toMatchObject({ items: [] });
    });
  });

  it.concurrent('says at each field what is wrong with it', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.goto('/webhooks/new');
      await save(page, 'Add webhook');
      await page.getByText('Enter the full address').waitFor();
      await page.locator('[type=url]:focus').waitFor();

      await page.getByRole('button', { name: 'Select none' }).click();
      await save(page, 'Add webhook');
      await page.getByText('Choose at least one kind of event.').waitFor();

      await page.getByRole('button', { name: 'Select all' }).click();
      await page.getByLabel('URL').fill('https://me:pass@receiver.example/');
      await save(page, 'Add webhook');
      await page.getByText('Must not contain a user name or password.').waitFor();
      await page.locator('[type=url]:focus').waitFor();

      const webhookId = await addWebhook(page, { url: 'https://receiver.example/wrong' });
      await page.goto(`/webhooks/${webhookId}`);
      const address = await openSettings(page, 'Address and description');
      await address.getByLabel('URL').fill('ftp://receiver.example/');
      await address.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Must begin with https://').waitFor();
      await page.locator('[type=url]:focus').waitFor();
      const signing = await openSettings(page, 'Secret and signature');
      const saveSecret = signing.getByRole('button', { name: 'Save', exact: true });
      await signing.getByLabel('Use my own').check();
      await saveSecret.click();
      await page.getByText('Enter the secret, or choose').waitFor();
      await page.getByLabel('Your secret').fill('whsec_%%%');
      await saveSecret.click();
      await page.getByText('Must be 1 to 256 bytes of UTF-8').waitFor();
      expect(await address.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByLabel('Your secret').getAttribute('aria-invalid')).toBe('true');
      await look(page, 'webhook-refused', { dark: true });
    });
  });

  it.concurrent('says when it was there already, and was changed', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await addWebhook(page, { url: 'https://receiver.example/twice', secret: 'mine' });
      await page.goto('/webhooks/new');
      await page.getByLabel('URL').fill('HTTPS://Receiver.example/twice');
      await page.getByLabel(/^Reminder sent/).uncheck();
      await save(page, 'Add webhook');
      await page.getByText('You had a webhook with this address already').waitFor();
      await openTab(page, 'Settings');
      await page.getByText('Signed with a secret').waitFor();
      const kinds = await page.getByText(/^Inbox organized, /).textContent();
      expect(kinds).toBe('Inbox organized, Draft created, Meeting joined, Briefing sent');
    });
  });
}

const save = (page: Page, name: string) => page.getByRole('button', { name }).click();
