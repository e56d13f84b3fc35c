import { expect, it } from '@jest/globals';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openAccount, takeKey } from './account.js';
import { consent } from './provider-pages.js';
import { atHome, signOut, somebody } from './visitor.js';

export function issuerWalks(stage: Stage): void {
  it.concurrent('signs in there without a password here, and deletes the account for good', async () => {
    await stage.play(async (page) => {
      const ada = somebody();
      await page.goto('/sign-in');
      await page.getByRole('link', { name: 'Continue with Acme' }).click();
      await consent(page, ada, { deny: true });
      await page.getByText('You were not signed in there.').waitFor();
      await look(page, 'sign-in-refused');

      await page.getByRole('link', { name: 'Continue with Acme' }).click();
      await consent(page, ada);
      await atHome(page);
      await openAccount(page);
      await page.getByRole('heading', { name: 'You sign in at Acme' }).waitFor();
      expect(await page.getByRole('button', { name: 'Change password' }).count()).toBe(0);
      await look(page, 'account-of-an-issuer');

      await page.getByRole('button', { name: 'New API key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('nightly report');
      const ends = dialog.getByLabel('Expires').getByRole('option');
      expect(await ends.allTextContents()).toEqual(['In 30 days', 'In 90 days']);
      await look(page, 'new-key-of-an-issuer');
      await dialog.getByRole('button', { name: 'Create API key' }).click();
      await takeKey(page);

      await signOut(page);
      // Acme knows this browser, and asks nothing again.
      await page.getByRole('link', { name: 'Continue with Acme' }).click();
      await atHome(page);
      await openAccount(page);
      await page.getByRole('button', { name: 'Delete account' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
      await page.getByRole('heading', { level: 1, name: /deleted/ }).waitFor();

      await page.goto('/sign-in');
      await page.getByRole('link', { name: 'Continue with Acme' }).click();
      await page.getByText('Your account here was deleted').waitFor();
    });
  });
}
