import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { consent } from './provider-pages.js';
import { atHome, somebody } from './visitor.js';

export function issuerAgainWalks(stage: Stage): void {
  it.concurrent('asks the issuer again without a word, and comes back to where the user was', async () => {
    await stage.play(async (page) => {
      await signInThere(page);
      const asked = await issuerIsNeeded(page);
      await page.goto('/deliveries?status=exhausted');
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
      expect(new URL(page.url()).search).toContain('exhausted');
      expect(asked()).toBe(1);
    });
  });
}

/** Defines the walk of a user whom the issuer does not know any more. */
export function issuerAgainDetailWalks(stage: Stage): void {
  it.concurrent('signs out here a user who has signed out there', async () => {
    await stage.play(async (page) => {
      await signInThere(page);
      await issuerIsNeeded(page);
      await page.context().clearCookies({ name: 'acme_session' });
      await page.goto('/deliveries');
      await page.getByText('You are not signed in there any more').waitFor();
      await look(page, 'signed-out-at-the-issuer');
      await page.goto('/webhooks');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      expect(new URL(page.url()).searchParams.get('problem')).toBeNull();
    });
  });
}

async function signInThere(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await consent(page, somebody());
  await atHome(page);
}

/**
 * Clears the access token and has the next refresh answer that the issuer must be asked again. Returns a counter of
 * the requests that reached the issuer.
 */
async function issuerIsNeeded(page: Page): Promise<() => number> {
  let asked = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).searchParams.get('prompt') === 'none') asked += 1;
  });
  // A page that is open would renew the access token meanwhile.
  await page.goto('about:blank');
  await page.context().clearCookies({ name: '__Host-jn_at' });
  await page.route(
    '**/api/auth/session/refresh',
    async (route) =>
      route.fulfill({
        status: 401,
        contentType: 'application/problem+json',
        json: {
          type: '/docs/errors#issuer_sign_in_needed',
          title: 'Unauthorized',
          status: 401,
          detail: 'The issuer of this user has to be asked again.',
          code: 'issuer_sign_in_needed',
        },
      }),
    { times: 1 },
  );
  return () => asked;
}
