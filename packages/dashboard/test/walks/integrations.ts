import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { consent, revokeThere } from './provider-pages.js';
import { signUp, type Visitor } from './visitor.js';

export function integrationWalks(stage: Stage): void {
  it('says of both what they are for and what will be asked, before anything is connected', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      for (const name of ['Mailbox', 'Calendar']) {
        await card(page, name).getByText('Not connected').waitFor();
        expect(await card(page, name).getByText('Will be asked').count()).toBeGreaterThan(1);
      }
      await look(page, 'integrations-empty');
    });
  });

  it("connects by the provider's own pages, and keeps the code nowhere", async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await connect(page, ada);
      await page.getByText(`Your mailbox is connected as ${ada.email}.`).waitFor();
      const mailbox = card(page, 'Mailbox');
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      expect(await mailbox.getByText('Granted', { exact: true }).count()).toBe(3);
      await page.goBack();
      expect(page.url()).not.toMatch(/code=|state=/);
      await page.goto('/integrations');
      await mailbox.getByText(ada.email).waitFor();
      await mailbox.getByRole('button', { name: /History/ }).click();
      await mailbox.getByText('by you').waitFor();
      await look(page, 'integrations-connected');
    });
  });

  it('shows which permission was not granted', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await connect(page, ada, { without: ['mailbox.send'] });
      const send = card(page, 'Mailbox').getByRole('listitem').filter({ hasText: 'mailbox.send' });
      await send.getByText('Not granted').waitFor();
      await card(page, 'Mailbox').getByText('Reconnect and tick it').waitFor();
      expect(await card(page, 'Mailbox').getByText('Granted', { exact: true }).count()).toBe(2);
      await look(page, 'integrations-partial');
    });
  });

  it('explains that nothing was connected when it was declined', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await begin(page);
      await consent(page, ada, { deny: true });
      await page.getByText('You declined at the provider').waitFor();
      expect(new URL(page.url()).search).toBe('');
      await look(page, 'callback-declined');
      await page.getByRole('button', { name: 'Try again' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
    });
  });

  it('asks before it disconnects, says what stops, and keeps the history', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await connect(page, ada);
      const mailbox = card(page, 'Mailbox');
      await mailbox.getByRole('button', { name: 'Disconnect' }).click();
      const dialog = page.getByRole('dialog', { name: 'Disconnect your mailbox?' });
      await dialog.getByText('inbox.organized').waitFor();
      await look(page, 'integrations-disconnect');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });

      await mailbox.getByRole('button', { name: 'Disconnect' }).click();
      await dialog.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Your mailbox is disconnected.').waitFor();
      await mailbox.getByText('You ended the connection here.').waitFor();
      await mailbox.getByRole('button', { name: /History/ }).click();
      await mailbox.getByText('by you').last().waitFor();
      // Beside them the provider's answer, once it has come.
      const past = mailbox
        .getByRole('list')
        .last()
        .getByRole('listitem')
        .filter({ hasText: 'by you' });
      expect(await past.allTextContents()).toEqual([
        expect.stringMatching(/^Disconnected\. .*by you$/),
        expect.stringMatching(/^Connected ada.*by you$/),
      ]);
      await look(page, 'integrations-disconnected');
    });
  });

  it('notices that access was revoked at the provider, and reconnects', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await connect(page, ada);
      const mailbox = card(page, 'Mailbox');
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      await revokeThere(page, stage.product().endpoints.providers.acme, ada.email);

      await mailbox.getByText('Revoked at the provider', { exact: true }).waitFor();
      await mailbox.getByText('taken away in the account settings').waitFor();
      await look(page, 'integrations-revoked');
      await mailbox.getByRole('button', { name: 'Reconnect mailbox' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
      await mailbox.getByText('Connected', { exact: true }).waitFor();
      expect(await mailbox.getByText('Granted', { exact: true }).count()).toBe(3);
    });
  });

  it('says that another account has taken the place of the one before', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await connect(page, ada);
      await card(page, 'Mailbox').getByRole('button', { name: 'Reconnect mailbox' }).click();
      await page.getByRole('button', { name: 'Use another account' }).click();
      const other = `work.${ada.email}`;
      await consent(page, { email: other });
      await page.getByRole('heading', { name: 'Another account is connected now' }).waitFor();
      await page.getByText(ada.email, { exact: true }).waitFor();
      await look(page, 'callback-other-account');
      await page.getByRole('button', { name: 'Disconnect it' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Your mailbox is disconnected.').waitFor();
      expect(await card(page, 'Mailbox').textContent()).toContain(other);
    });
  });
}

const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connect mailbox' }).click();
}

async function connect(
  page: Page,
  visitor: Visitor,
  how: Parameters<typeof consent>[2] = {},
): Promise<void> {
  await begin(page);
  await consent(page, visitor, how);
  await page.getByText('Your mailbox is connected').waitFor();
}
