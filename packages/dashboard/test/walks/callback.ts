import { expect, it } from '@jest/globals';
import { apiAt, type Call } from '@junction/testing';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { consent } from './provider-pages.js';
import { fillCredentials, signUpAtIntegrations, somebody } from './visitor.js';

export const CALLBACK = '/connect/acme/mailbox/callback';
export const OTHER_CALLBACK = '/connect/globex/mailbox/callback';

export function callbackWalks(stage: Stage): void {
  it.concurrent('sends the code once, and not again when the page is loaded again', async () => {
    await stage.play(async (page) => {
      const sent = connectCalls(page);
      const ada = await signUpAtIntegrations(page);
      await begin(page);
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
      await page.goto(CALLBACK);
      await page.getByText('There is nothing to finish here').waitFor();
      expect(sent()).toBe(1);
      await look(page, 'callback-nothing');
    });
  });

  it.concurrent('shows the code of an API client to whoever is not signed in, and that client connects', async () => {
    await stage.play(async (page) => {
      const sent = connectCalls(page);
      const client = await apiClient(stage);
      await page.goto(await client.authorize());
      await consent(page, client);
      await page.getByRole('heading', { name: 'You agreed. One step is left' }).waitFor();
      expect(page.url()).toMatch(/\/callback$/);
      await look(page, 'callback-elsewhere', { dark: true });

      expect(await client.connect(await shown(page, 'auth_code'))).toMatchObject({ status: 200 });
      expect(await shown(page, 'state')).toBe(client.state());
      expect(await shown(page, 'identity_provider')).toBe('acme');
      expect(sent()).toBe(0);
    });
  });

  it.concurrent('connects nothing for a signed-in visitor with an answer that somebody else began', async () => {
    await stage.play(async (page) => {
      const sent = connectCalls(page);
      await signUpAtIntegrations(page);
      await page.goto(`${CALLBACK}?code=planted&state=theirs`);
      await page.getByRole('heading', { name: 'You agreed. One step is left' }).waitFor();
      expect(sent()).toBe(0);
    });
  });

  it.concurrent("shows the provider's own words as text, and knows no other provider", async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      const state = await begin(page);
      const words = '<img src=x onerror=alert(1)>';
      const query = new URLSearchParams({
        error: 'invalid_scope',
        error_description: words,
        state,
      });
      await page.goto(`${CALLBACK}?${query}`);
      expect(await shown(page, 'error_description')).toBe(words);
      await look(page, 'callback-provider-error');

      await page.goto('/connect/acme/fax/callback?code=c');
      await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
      expect(new URL(page.url()).search).toBe('');
    });
  });

  it.concurrent('comes back after sign-in when the session was lost at the provider', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await begin(page);
      await page.locator('input[name=email]').waitFor();
      await page.context().clearCookies({ name: /jn_/ });
      await consent(page, ada);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(page.url()).not.toMatch(/code|state/);
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Your mailbox is connected').waitFor();
    });
  });

  it.concurrent('explains an authorization that is too old, and begins again', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await page.evaluate(() => sessionStorage.setItem('junction-begun-acme-mailbox', '["old"]'));
      await page.goto(`${CALLBACK}?code=c&state=old`);
      await page.getByText('It works once, for ten minutes.').waitFor();
      await look(page, 'callback-too-old');
      await page.getByRole('button', { name: 'Try again' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
      expect(
        await page.evaluate(() => sessionStorage.getItem('junction-begun-acme-mailbox')),
      ).toBeNull();
    });
  });
}

/** Goes to the provider; gives the state that goes along. */
export async function begin(page: Page): Promise<string> {
  const request = page.waitForRequest(/[?&]state=/);
  await page.getByRole('button', { name: 'Connect mailbox at Acme' }).click();
  const url = new URL((await request).url());
  await page.locator('input[name=email]').waitFor();
  return url.searchParams.get('state') ?? '';
}

export function connectCalls(page: Page): () => number {
  let calls = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/mailbox/connect')) calls += 1;
  });
  return () => calls;
}

const shown = async (page: Page, term: string): Promise<string> =>
  (await page.locator(`dt:text-is("${term}") + dd code`).textContent()) ?? '';

/** A user who works by the API alone. */
export async function apiClient(stage: Stage) {
  const api: Call = apiAt(stage.product().endpoints.gateway);
  const json = somebody();
  await api('POST', '/api/auth/register', { json });
  const { body } = await api('POST', '/api/auth/login', { json });
  const { access_token: token } = body as { access_token: string };
  let begun = { authorization_url: '', state: '' };
  return {
    email: json.email,
    state: () => begun.state,
    authorize: async (returnTo?: string) => {
      const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
      const answer = await api('GET', `/api/integrations/mailbox/authorize${query}`, { token });
      begun = answer.body as typeof begun;
      return begun.authorization_url;
    },
    connect: (auth_code: string) =>
      api('POST', '/api/integrations/mailbox/connect', { token, json: { auth_code } }),
  };
}
