import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { consent, revokeThere } from './provider-pages.js';
import { signUpAtIntegrations, type Visitor } from './visitor.js';

type Place = 'Acme' | 'Globex';

export function integrationWalks(stage: Stage): void {
  it.concurrent("connects by the provider's own pages, and keeps the code nowhere", async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await connect(page, ada);
      await page.getByText(`Your mailbox is connected as ${ada.email}.`).waitFor();
      const mailbox = account(page, ada);
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      await mailbox.getByRole('button', { name: /^Permissions/ }).click();
      expect(await mailbox.getByText('Granted', { exact: true }).count()).toBe(3);
      await page.goBack();
      expect(page.url()).not.toMatch(/code=|state=/);
      await page.goto('/integrations');
      await mailbox.getByRole('button', { name: /^History/ }).click();
      await mailbox.getByText('by you').waitFor();
      await look(page, 'integrations-connected', { dark: true });
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function integrationDetailWalks(stage: Stage): void {
  it.concurrent('says of both kinds what they are for and what will be asked, before anything is connected', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      for (const name of ['Mailboxes', 'Calendars']) {
        await kind(page, name).getByText('Not connected').waitFor();
        expect(await kind(page, name).getByText('Will be asked').count()).toBeGreaterThan(1);
      }
      await look(page, 'integrations-empty');
    });
  });

  it.concurrent('offers each provider with its icon', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      const offered = kind(page, 'Mailboxes').getByRole('button', { name: 'Connect mailbox at' });
      await offered.first().waitFor();
      expect(await offered.allTextContents()).toEqual([
        'Connect mailbox at Acme',
        'Connect mailbox at Globex',
      ]);
      const icons = offered.locator('img');
      await expect(icons.evaluateAll(drawn)).resolves.toEqual([true, true]);
    });
  });

  it.concurrent('says what does not work because a permission was not granted', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await connect(page, ada, { without: ['mailbox.send'] });
      const mailbox = account(page, ada);
      await mailbox.getByText('2 of 3 granted').waitFor();
      const send = mailbox.getByRole('listitem').filter({ hasText: 'mailbox.send' });
      await send.getByText('Not granted').waitFor();
      await mailbox.getByText('Partly connected').waitFor();
      await mailbox.getByText('drafts stay drafts').waitFor();
      await mailbox.getByText('leave every box ticked at Acme').waitFor();
      await look(page, 'integrations-partial', { dark: true });

      await mailbox.getByRole('button', { name: 'Reconnect' }).click();
      await consent(page, ada);
      await mailbox.getByText('all 3 granted').waitFor();
      expect(await mailbox.getByRole('button', { name: 'Reconnect' }).count()).toBe(0);
    });
  });

  it.concurrent('asks before it disconnects, says what stops, and keeps the history', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await connect(page, ada);
      const mailbox = account(page, ada);
      await mailbox.getByRole('button', { name: 'Disconnect' }).click();
      const dialog = page.getByRole('dialog', { name: `Disconnect ${ada.email} at Acme?` });
      await dialog.getByText('inbox.organized').waitFor();
      await look(page, 'integrations-disconnect');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });

      await mailbox.getByRole('button', { name: 'Disconnect' }).click();
      await dialog.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText(`Your mailbox ${ada.email} at Acme was disconnected.`).waitFor();
      await kind(page, 'Mailboxes').getByText('Not connected').waitFor();
      await page.getByText('Disconnected accounts (1)').click();
      await mailbox.getByText('You disconnected it here').waitFor();
      await mailbox.getByRole('button', { name: /^History/ }).click();
      await mailbox.getByText('by you').last().waitFor();
      // Beside them the provider's answer, once it has come.
      const past = mailbox.getByRole('listitem').filter({ hasText: 'by you' });
      expect(await past.allTextContents()).toEqual([
        expect.stringMatching(/^Disconnected\. .*by you$/),
        expect.stringMatching(/^Connected ada.*by you$/),
      ]);
      await look(page, 'integrations-disconnected', { dark: true });
    });
  });

  it.concurrent('notices that access was revoked at the provider, and reconnects', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await connect(page, ada);
      const mailbox = account(page, ada);
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      await revokeThere(page, stage.product().endpoints.providers.acme, ada.email);

      await mailbox.getByText('Revoked at the provider', { exact: true }).waitFor();
      await mailbox.getByText('removed in your account settings').waitFor();
      await look(page, 'integrations-revoked', { dark: true });
      await mailbox.getByRole('button', { name: 'Reconnect' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      await mailbox.getByText('all 3 granted').waitFor();
      expect(await mailbox.getByRole('button', { name: 'Reconnect' }).count()).toBe(0);
    });
  });

  it.concurrent('keeps several accounts of two providers, one of them the primary', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      const work = { email: `work.${ada.email}` };
      await connect(page, ada);
      await connect(page, ada, {}, 'Globex');
      await begin(page, 'Acme');
      await page.getByRole('button', { name: 'Use another account' }).click();
      await consent(page, work);
      await page.getByText(`Your mailbox is connected as ${work.email}.`).waitFor();

      expect(await names(page)).toEqual([ada.email, ada.email, work.email]);
      await primary(account(page, ada)).waitFor();
      expect(await primary(page).count()).toBe(1);
      await account(page, ada, 'Globex').getByText('all 3 granted').waitFor();
      await look(page, 'integrations-several');

      await account(page, work).getByRole('button', { name: 'Make primary' }).click();
      await page.getByText(`${work.email} at Acme is now your primary mailbox.`).waitFor();
      await primary(account(page, work)).waitFor();
      await page.locator('h2:focus').getByText('Mailboxes').waitFor();
      expect(await primary(page).count()).toBe(1);
      expect(await names(page)).toEqual([work.email, ada.email, ada.email]);

      await account(page, work).getByRole('button', { name: 'Disconnect' }).click();
      const dialog = page.getByRole('dialog', { name: `Disconnect ${work.email} at Acme?` });
      await dialog.getByText('Another of your mailboxes becomes the primary one.').waitFor();
      await dialog.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText(`Your mailbox ${work.email} at Acme was disconnected.`).waitFor();
      await primary(account(page, ada)).waitFor();
      expect(await names(page)).toEqual([ada.email, ada.email]);
      await page.getByText('Disconnected accounts (1)').waitFor();
    });
  });
}

const kind = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

const account = (page: Page, { email }: Pick<Visitor, 'email'>, place: Place = 'Acme'): Locator =>
  page.getByRole('region', { name: `${email} ${place}`, exact: true });

const primary = (within: Page | Locator): Locator => within.getByText('Primary', { exact: true });

/** Returns the names of the visible accounts, in the order of the page. */
const names = (page: Page): Promise<string[]> =>
  kind(page, 'Mailboxes').locator('h3:visible').allTextContents();

/** Runs in the page. Returns whether each picture was drawn. */
const drawn = (icons: readonly Element[]): readonly boolean[] =>
  icons.map((icon) => icon instanceof HTMLImageElement && icon.naturalWidth > 0);

async function begin(page: Page, place: Place): Promise<void> {
  await page.getByRole('button', { name: `Connect mailbox at ${place}` }).click();
}

async function connect(
  page: Page,
  visitor: Visitor,
  how: Parameters<typeof consent>[2] = {},
  place: Place = 'Acme',
): Promise<void> {
  await begin(page, place);
  await consent(page, visitor, how);
  await account(page, visitor, place).waitFor();
}
