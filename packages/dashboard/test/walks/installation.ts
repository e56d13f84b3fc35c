import { expect, it } from '@jest/globals';
import { look } from '../look.js';
import type { OwnStage } from '../stage.js';
import { apiClient, begin, CALLBACK, connectCalls, OTHER_CALLBACK } from './callback.js';
import { consent } from './provider-pages.js';
import { signUpAtIntegrations } from './visitor.js';

const PAGE = '<!doctype html><link rel="icon" href="data:,"><title>App</title>Back in the app';

/** Defines the walks that need an installation with its own settings, or one that no other test uses. */
export function installationWalks(stage: OwnStage): void {
  it('says that an installation has no provider for what one wants to connect', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      const calendars = page.getByRole('region', { name: 'Calendars' });
      await calendars.getByText('no provider for a calendar. Ask its operator').waitFor();
      expect(await calendars.getByRole('button').count()).toBe(0);
      await look(page, 'integrations-not-set-up');
    });
  });

  it('takes an answer to the application that began it, and leaves no code behind', async () => {
    await stage.play(async (page) => {
      stage.application().answer({ headers: { 'content-type': 'text/html' }, body: PAGE });
      const before = stage.application().requests.length;
      const sent = connectCalls(page);
      const client = await apiClient(stage);
      await page.goto(await client.authorize(stage.returnTo()));
      await consent(page, client);
      await page.getByText('Back in the app').waitFor();

      const { searchParams: brought } = new URL(page.url());
      expect(brought.get('tab')).toBe('1');
      expect(brought.get('state')).toBe(client.state());
      expect(brought.get('iss')).toMatch(/^http/);
      const request = stage.application().requests[before];
      expect(request?.path).toMatch(/^\/back\?tab=1&code=/);
      expect(request?.headers).not.toHaveProperty('referer');
      expect(await client.connect(brought.get('code') ?? '')).toMatchObject({ status: 200 });

      await page.goBack();
      expect(page.url()).not.toMatch(/callback|code=/);
      expect(sent()).toBe(0);

      await page.goto(await client.authorize(stage.returnTo()));
      await consent(page, client, { deny: true });
      await page.getByText('Back in the app').waitFor();
      expect(new URL(page.url()).search).toMatch(/^\?tab=1&error=access_denied&/);

      await page.goto(await client.authorize(stage.returnTo()));
      await page.goto(`${OTHER_CALLBACK}?code=theirs&state=${client.state()}`);
      await page.getByRole('heading', { name: 'You agreed. One step is left' }).waitFor();

      const own = new URLSearchParams({ code: 'c', state: 'made-up', return_to: stage.returnTo() });
      await page.goto(`${CALLBACK}?${own}`);
      await page.getByRole('heading', { name: 'You agreed. One step is left' }).waitFor();
    });
  });

  // The provider fails for whoever asks it next: nobody else does meanwhile.
  it('says so when the provider is down at the last step', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await begin(page);
      const control = new URL('/control/faults', stage.product().endpoints.providers.acme);
      const fault = JSON.stringify({ endpoint: 'token', status: 503 });
      const headers = { 'content-type': 'application/json' };
      const { ok } = await fetch(control, { method: 'POST', headers, body: fault });
      expect(ok).toBe(true);
      await consent(page, ada);
      await page.getByText('It could not be completed right now.').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await consent(page, ada);
      await page.getByText('Your mailbox is connected').waitFor();
    });
  });
}
