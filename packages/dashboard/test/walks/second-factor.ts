import { expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openAccount } from './account.js';
import { atHome, fillCredentials, passwordField, signOut, signUp } from './visitor.js';

const STEP_MS = 30_000;

export function secondFactorWalks(stage: Stage): void {
  it.concurrent('sets up an authenticator app, signs in with it, and shows a factor again where that is demanded', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await openAccount(page);
      await demandProofOnce(page, '/api/auth/totp');
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      const proof = page.getByRole('dialog', { name: 'Confirm it’s you' });
      await passwordField(proof).fill('not mine');
      await proof.getByRole('button', { name: 'Continue' }).click();
      await proof.getByRole('alert').waitFor();
      await look(page, 'step-up-password', { dark: true });
      await passwordField(proof).fill(ada.password);
      await proof.getByRole('button', { name: 'Continue' }).click();
      await proof.waitFor({ state: 'detached' });
      const dialog = page.getByRole('dialog');
      const secret = (await dialog.locator('code').textContent()) ?? '';
      await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
      await look(page, 'account-totp');
      const totp = new TOTP({ secret });
      await dialog.getByLabel('Code').fill(totp.generate());
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      const shown = await dialog.getByRole('region', { name: 'Recovery codes' }).textContent();
      const codes = (shown ?? '').split('\n');
      expect(codes).toHaveLength(10);
      await look(page, 'account-recovery-codes', { dark: true });
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('10 left').waitFor();

      await signOut(page);
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Second factor' }).waitFor();
      // The pointer would rest on a button, where the one that was pressed has been.
      await page.mouse.move(0, 0);
      await look(page, 'sign-in-second-factor');
      // The code before this one was taken already, and each counts once.
      const next = totp.generate({ timestamp: Date.now() + STEP_MS });
      await page.getByLabel('Code from your authenticator app').fill(next);
      await page.getByRole('button', { name: 'Continue' }).click();
      await atHome(page);

      await openAccount(page);
      await demandProofOnce(page, '/api/auth/recovery-codes');
      await page.getByRole('button', { name: 'Create new codes' }).click();
      await dialog.getByText('Confirm it’s you').waitFor();
      await dialog.getByRole('button', { name: 'Use a recovery code' }).click();
      await dialog.getByLabel('Recovery code').fill('not one');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByRole('alert').waitFor();
      await look(page, 'step-up');
      await dialog.getByLabel('Recovery code').fill(codes[0] ?? '');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByText('Keep these recovery codes').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('10 left').waitFor();
    });
  });
}

export function passkeyWalks(stage: Stage): void {
  it.concurrent('adds a passkey, and signs in with it after the password and alone', async () => {
    await stage.play(async (page) => {
      await withAuthenticator(page);
      const ada = await signUp(page);
      await openAccount(page);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('this laptop');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByText('Keep these recovery codes').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('this laptop').waitFor();

      await signOut(page);
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Second factor' }).waitFor();
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await atHome(page);

      await signOut(page);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await atHome(page);
      await openAccount(page);
      // The checker takes the authenticator away, because both work by the browser's debugger.
      await look(page, 'account-passkey', { dark: true });
      await page.getByRole('button', { name: 'Remove the passkey this laptop' }).click();
      await page.getByText('No passkeys yet.').waitFor();
      expect(await page.getByText('recovery codes').count()).toBe(0);
    });
  });
}

/** The service demands it after minutes for which a test cannot wait: its answer is given in its place, once. */
async function demandProofOnce(page: Page, path: string): Promise<void> {
  await page.route(
    `**${path}`,
    (route) =>
      route.fulfill({
        status: 401,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          status: 401,
          code: 'insufficient_user_authentication',
          detail: 'Confirm it’s you again.',
        }),
      }),
    { times: 1 },
  );
}

/** A platform authenticator whose user is always there. */
async function withAuthenticator(page: Page): Promise<void> {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('WebAuthn.enable');
  await inspector.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
