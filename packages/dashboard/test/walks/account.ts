import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { play } from './receiving.js';
import { atHome, fillCredentials, passwordField, signOut, signUp, somebody } from './visitor.js';
import { addWebhook, api } from './webhook-form.js';

export function accountWalks(stage: Stage): void {
  it.concurrent('makes, rotates and revokes an API key, and ends the sessions of other devices', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      const asKey = (key: string) =>
        page.request.get('/api/integrations', { headers: { authorization: `Bearer ${key}` } });
      const elsewhere = await signInElsewhere(stage, ada);
      await openAccount(page);

      await page.getByRole('button', { name: 'New API key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create API key' }).click();
      await dialog.getByText('Give it a name').waitFor();
      await page.locator('input[data-path=name]:focus').waitFor();
      await dialog.getByLabel('Name').fill('nightly report');
      await dialog.getByLabel('Expires').selectOption('In 30 days');
      await dialog.getByLabel('Only parts of it').check();
      await dialog.getByRole('checkbox', { name: 'See integrations' }).check();
      await look(page, 'account-new-key');
      await dialog.getByRole('button', { name: 'Create API key' }).click();
      const first = await takeKey(page);
      expect((await asKey(first)).status()).toBe(200);
      await page.getByText('For integrations:read.').waitFor();

      await page.getByRole('button', { name: 'Rotate nightly report' }).click();
      await dialog.getByLabel('Keep the old key working for').selectOption('Not at all');
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      const second = await takeKey(page);
      expect(second).not.toBe(first);
      expect((await asKey(second)).status()).toBe(200);
      await look(page, 'account', { dark: true });

      await page.getByRole('button', { name: 'Revoke nightly report' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('nightly report was revoked.').waitFor();
      await page.getByText('No API keys yet.').waitFor();

      await page.getByRole('button', { name: 'Sign out all others' }).click();
      await page.getByText('Your other sessions were signed out.').waitFor();
      expect(await elsewhere()).toBe(401);
      const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
      expect(kept).not.toContain('jn_');
    });
  });

  it.concurrent('confirms the address, changes the password, resets a forgotten one by mail, and takes it all back', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await page.goto(await linkTo(stage, ada.email, 'Verify your e-mail address'));
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByText('Verified', { exact: true }).waitFor();

      const changed = `changed ${ada.password}`;
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Change password' }).click();
      await dialog.getByLabel('Current password').fill('not the one');
      await dialog.getByLabel('New password').fill(changed);
      await dialog.getByRole('button', { name: 'Change password' }).click();
      await dialog.getByText('The password is wrong.').waitFor();
      await look(page, 'account-password');
      await dialog.getByLabel('Current password').fill(ada.password);
      await dialog.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Your password was changed').waitFor();

      const moved = somebody().email;
      await page.getByRole('button', { name: 'Change address' }).click();
      await dialog.getByLabel('New address').fill(moved);
      await dialog.getByRole('textbox', { name: 'Password' }).fill(changed);
      await dialog.getByRole('button', { name: 'Send confirmation e-mail' }).click();
      await page.getByText(`we sent to ${moved}`).waitFor();
      await page.goto(await linkTo(stage, moved, 'Confirm your new e-mail address'));
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();

      await page.getByRole('link', { name: 'Your account' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as JSON' }).click();
      expect((await download).suggestedFilename()).toBe('junction-account.json');

      await page.getByRole('button', { name: 'New API key' }).click();
      await dialog.getByLabel('Name').fill('nightly report');
      await dialog.getByRole('button', { name: 'Create API key' }).click();
      const key = await takeKey(page);
      const headers = { authorization: `Bearer ${key}` };
      const data = { url: 'https://r.example/hook', events: ['draft.created'], enabled: true };
      const made = await page.request.post('/api/webhooks', { headers, data });
      expect(made.status()).toBe(201);
      const { webhook_id: webhookId } = (await made.json()) as { webhook_id: string };
      await linkTo(stage, moved, 'Webhooks were made or changed');

      await signOut(page);
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      // Until this page is loaded, the sign-in page with an e-mail field of its own is shown.
      await page.getByRole('heading', { name: 'Forgot password' }).waitFor();
      await page.getByLabel('E-mail').fill(moved);
      await look(page, 'forgot-password');
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('a link is on its way').waitFor();
      await page.goto(await linkTo(stage, moved, 'Reset your password'));
      await page.getByLabel('New password').fill('password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Must not be one of the most common passwords.').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByText('These API keys stop working').waitFor();
      await page.getByText(key.slice(0, 40)).waitFor();
      await page.getByLabel('Keep them: I know each of these keys').check();
      await page.getByText('These webhooks are disabled').waitFor();
      await page.getByText(webhookId).waitFor();
      await look(page, 'reset-password');
      await page.getByLabel('New password').fill(`reset ${ada.password}`);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await fillCredentials(page, { email: moved, password: `reset ${ada.password}` });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(page);
      const kept = await page.request.get('/api/integrations', { headers });
      expect(kept.status()).toBe(200);
      await eventually(async () => {
        const found = await page.request.get(`/api/webhooks/${webhookId}`, { headers });
        expect(await found.json()).toMatchObject({ status: 'disabled' });
      });

      await page.goto(await linkTo(stage, ada.email, 'Your e-mail address was changed'));
      await page.getByRole('heading', { name: 'Take changes back' }).waitFor();
      await page.getByText('The e-mail address was changed').waitFor();
      await page.getByText('The password was changed').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await look(page, 'undo-changes', { dark: true });
      await page.getByLabel('New password').fill(`mine again ${ada.password}`);
      await page.getByRole('button', { name: 'Take back and change password' }).click();
      await page.getByRole('heading', { name: 'The changes were taken back' }).waitFor();
      await page.getByRole('link', { name: 'Sign in', exact: true }).click();
      const { email } = ada;
      await fillCredentials(page, { email, password: `mine again ${ada.password}` });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(page);
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function accountDetailWalks(stage: Stage): void {
  it.concurrent('begins an account anew that somebody else signed up for, by either mail', async () => {
    await stage.play(async (page) => {
      const mine = `mine ${randomUUID()}`;
      const signedUp = await signUp(page);
      await signOut(page);
      await page.goto(await linkTo(stage, signedUp.email, 'Verify your e-mail address'));
      await page.getByText('I did not sign up').click();
      await page.getByText('everything in that account ends').waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.getByLabel('New password').fill(mine);
      await look(page, 'verify-email-anew');
      await page.getByRole('button', { name: 'Begin anew' }).click();
      await page.getByRole('heading', { name: 'Your account begins anew' }).waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await fillCredentials(page, { email: signedUp.email, password: mine });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(page);
      await signOut(page);

      const other = await signUp(page);
      await signOut(page);
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      await page.getByRole('heading', { name: 'Forgot password' }).waitFor();
      await page.getByLabel('E-mail').fill(other.email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.goto(await linkTo(stage, other.email, 'Reset your password'));
      await page.getByText('so the account begins anew').waitFor();
      await look(page, 'reset-password-anew');
      await page.getByLabel('New password').fill(mine);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
    });
  });

  it.concurrent('asks whoever is not signed in for the password before it confirms an address', async () => {
    await stage.play(async (page) => {
      const ada = await signUp(page);
      await signOut(page);
      await page.goto(await linkTo(stage, ada.email, 'Verify your e-mail address'));
      const field = passwordField(page);
      await field.waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await field.fill('not the one');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('The password is wrong.').waitFor();
      await look(page, 'verify-email');
      await field.fill(ada.password);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    });
  });

  it.concurrent('is led by a mail to the webhook that was disabled, and stops such mails', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      receiver.answer({ status: 410 });
      const { user } = (await api(page, 'GET', '/api/auth/me')) as { user: { email: string } };
      await page.goto(await linkTo(stage, user.email, 'Verify your e-mail address'));
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      const webhookId = await addWebhook(page, { url: receiver.url });
      await assistant.publish('draft.created');
      await page.goto(await linkTo(stage, user.email, 'A webhook was disabled'));
      await page.getByRole('status').getByText('Disabled: receiver gone').waitFor();
      expect(new URL(page.url()).pathname).toBe(`/webhooks/${webhookId}`);

      await page.goto(await linkTo(stage, user.email, 'A webhook was disabled', -1));
      await page.getByRole('heading', { name: 'Stop these messages' }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await look(page, 'unsubscribe', { dark: true });
      await page.getByRole('button', { name: 'Stop them' }).click();
      await page.getByRole('heading', { name: 'You get no more of these' }).waitFor();
      await page.getByRole('link', { name: 'Your account' }).click();
      const mails = page.getByRole('switch', { name: /^E-mail me/ });
      await mails.waitFor();
      expect(await mails.isChecked()).toBe(false);
      await mails.click();
      await page.getByRole('switch', { name: /^E-mail me/, checked: true }).waitFor();
      await look(page, 'account-mails', { dark: true });
    });
  });

  it.concurrent('deletes the account with its password, and shows what was deleted', async () => {
    await stage.play(async (page) => {
      const { password } = await signUp(page);
      await openAccount(page);
      await page.getByRole('button', { name: 'Delete account' }).click();
      const dialog = page.getByRole('dialog');
      const field = dialog.getByRole('textbox', { name: 'Password' });
      await field.fill('not the one');
      await dialog.getByRole('button', { name: 'Delete account' }).click();
      await dialog.getByText('The password is wrong.').waitFor();
      await look(page, 'account-delete');
      await field.fill(password);
      await dialog.getByRole('button', { name: 'Delete account' }).click();
      await page.getByRole('heading', { name: 'The account was deleted' }).waitFor();
      await page.getByText('1 session').waitFor();
      await page.getByText('Everything that belonged to it is gone.').waitFor();
      await look(page, 'deletion-receipt');
      // The browser goes on being known for links to a new password.
      const cookies = await page.context().cookies();
      expect(cookies.map(({ name }) => name)).toEqual(['__Secure-jn_kb']);
      await page.goto('/account');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    });
  });

  it.concurrent('brings a deleted account back by the link of the mail, and deletes it at once', async () => {
    await stage.play(async (page) => {
      const { email, password } = await signUp(page);
      const dialog = page.getByRole('dialog');
      const remove = async (known: string) => {
        await openAccount(page);
        await page.getByRole('button', { name: 'Delete account' }).click();
        await dialog.getByText(`the link that we send to ${email}`).waitFor();
        await dialog.getByRole('textbox', { name: 'Password' }).fill(known);
        await dialog.getByRole('button', { name: 'Delete account' }).click();
        await page.getByRole('heading', { name: 'The account was deleted' }).waitFor();
        await page.getByText('Everything else is deleted').waitFor();
        await page.getByText('1 session').waitFor();
      };
      await page.goto(await linkTo(stage, email, 'Verify your e-mail address'));
      await page.getByRole('link', { name: 'Your account' }).click();
      await remove(password);
      await look(page, 'deletion-receipt-open', { dark: true });

      const link = await linkTo(stage, email, 'Your account was deleted');
      await page.goto(link);
      await page.getByText('The account was deleted').waitFor();
      await look(page, 'undo-deletion');
      await page.getByLabel('New password').fill(`again ${password}`);
      await page.getByRole('button', { name: 'Take back and change password' }).click();
      await page.getByRole('heading', { name: 'The changes were taken back' }).waitFor();
      await page.getByRole('link', { name: 'Sign in', exact: true }).click();
      await fillCredentials(page, { email, password: `again ${password}` });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await atHome(page);
      const hook = { url: 'https://receiver.example/hook', events: ['*'], enabled: true };
      expect(await api(page, 'POST', '/api/webhooks', hook)).not.toHaveProperty('code');

      await remove(`again ${password}`);
      const next = await eventually(async () => {
        const latest = await linkTo(stage, email, 'Your account was deleted');
        expect(latest).not.toBe(link);
        return latest;
      });
      await page.goto(next);
      await page.getByText('I deleted the account').click();
      await look(page, 'undo-deletion-at-once', { dark: true });
      await page.getByRole('button', { name: 'Delete it at once' }).click();
      await page.getByText('Everything that belonged to it is gone.').waitFor();
    });
  });
}

/** Goes there by the menu. */
export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  await page.getByText('This session').waitFor();
}

/** Copies the one showing of a new key, and closes it. */
export async function takeKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const shown = dialog.getByRole('region', { name: 'API key' });
  const key = (await shown.textContent()) ?? '';
  expect(key).toMatch(/^jn_live_/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return key;
}

/** Signs the same user in by the API; the result tells with which status that session is answered. */
async function signInElsewhere(stage: Stage, credentials: object): Promise<() => Promise<number>> {
  const { gateway } = stage.product().endpoints;
  const response = await fetch(`${gateway}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'report-runner/1' },
    body: JSON.stringify(credentials),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  return async () => (await fetch(`${gateway}/api/auth/me`, { headers })).status;
}

interface Mails {
  readonly items: readonly { readonly subject: string; readonly links: readonly string[] }[];
}

/** The first link of the newest mail with this subject, from the development mail server; -1: the last. */
const linkTo = (stage: Stage, email: string, subject: string, place = 0): Promise<string> =>
  eventually(async () => {
    const { mail } = stage.product().endpoints;
    const answer = await fetch(`${mail}/mails.json?to=${encodeURIComponent(email)}`);
    const { items } = (await answer.json()) as Mails;
    const link = items.find((one) => one.subject === subject)?.links.at(place);
    if (link === undefined) throw new Error(`${email} has no mail "${subject}".`);
    return link;
  });
