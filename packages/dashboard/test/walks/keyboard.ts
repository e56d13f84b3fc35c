import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Stage } from '../stage.js';
import { atHome, signUp, somebody } from './visitor.js';

const TABS_MAX = 25;

export function keyboardWalks(stage: Stage): void {
  it.concurrent('can be used with the keyboard alone, from signing up to disconnecting', async () => {
    await stage.play(async (page) => {
      const { keyboard } = page;
      const ada = somebody();
      await page.goto('/sign-up');
      await page.locator('[type=email]:focus').waitFor();
      await keyboard.type(ada.email);
      await keyboard.press('Tab');
      await keyboard.type(ada.password);
      await keyboard.press('Enter');
      await atHome(page);

      await tabTo(page, 'Skip to content');
      await keyboard.press('Enter');
      await page.locator('main:focus').waitFor();
      await tabTo(page, 'Connect an account');
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Integrations' }).waitFor();
      await tabTo(page, 'Connect mailbox at Acme');
      await keyboard.press('Enter');
      await page.locator('[name=email]:focus').waitFor();
      await keyboard.type(ada.email);
      await keyboard.press('Tab');
      await keyboard.type('any');
      await keyboard.press('Enter');
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await tabTo(page, 'Allow');
      await keyboard.press('Enter');
      await page.getByText('Your mailbox is connected').waitFor();

      await tabTo(page, `Disconnect ${ada.email} at Acme`);
      await keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.locator('button:focus').getByText('Disconnect').waitFor();
      await keyboard.press('Enter');
      await dialog.waitFor();
      await tabTo(page, 'Disconnect');
      await keyboard.press('Enter');
      await page.getByText(`Your mailbox ${ada.email} at Acme was disconnected.`).waitFor();
      await page.locator('h2:focus').waitFor();
      expect(await page.locator('h2:focus').textContent()).toBe('Mailboxes');
    });
  });

  it.concurrent('begins a page at its beginning when one goes there', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await tabTo(page, 'Webhooks');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.locator('main:focus').waitFor();
      expect(await page.title()).toBe('Webhooks · Junction');
    });
  });
}

/** Presses Tab until what has the focus reads so. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => document.activeElement?.textContent.trim());
    if (focused === text) return;
  }
  throw new Error(`${TABS_MAX} times Tab do not lead to ${text}.`);
}
