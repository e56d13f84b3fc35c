import { expect, it } from '@jest/globals';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { atHome, fillCredentials, passwordField, signOut, signUp, somebody } from './visitor.js';

export function sessionWalks(stage: Stage): void {
  it.concurrent('signs up, out and in again', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await signOut(page);
      await look(page, 'sign-in', { dark: true });

      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(page);
      expect(new URL(page.url()).pathname).toBe('/');
    });
  });

  it.concurrent('keeps no token where a script could read it', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      const kept = await page.evaluate(() =>
        JSON.stringify([document.cookie, localStorage, sessionStorage]),
      );
      // The cookie that tells of a session holds nothing of it.
      expect(kept.replace('__Secure-jn_in=1', '')).not.toMatch(/eyJ|jn_/);
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function sessionDetailWalks(stage: Stage): void {
  it.concurrent('says at each field what is wrong with it', async () => {
    await stage.play(async (page) => {
      await page.goto('/sign-up');
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByText('Enter an e-mail address').waitFor();
      await page.getByText('Enter your password.').waitFor();
      await page.locator('[type=email]:focus').waitFor();

      await fillCredentials(page, { ...somebody(), password: 'short' });
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByText('Must be 8 to 256 characters.').waitFor();
      expect(await passwordField(page).getAttribute('aria-invalid')).toBe('true');
      await look(page, 'sign-up-refused', { dark: true });
    });
  });

  it.concurrent('says that an address is taken, and that a password is wrong', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await signOut(page);
      await page.getByRole('link', { name: 'Sign up' }).click();
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign up' }).click();
      await page.getByText('An account with this address exists.').waitFor();

      await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
      await fillCredentials(page, { ...ada, password: 'not the one' });
      await page.getByRole('button', { name: 'Sign in' }).click();
      const words = await page.getByRole('alert').textContent();
      expect(words).toContain('password');
    });
  });
}
