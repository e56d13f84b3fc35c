import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Person, type Product, startProduct, tellTrouble } from '@junction/demo';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { complaintsOf } from './complaints.js';
import { atHome, fillCredentials } from './walks/visitor.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** `npm run screenshots` has them where the README shows them. */
const FOLDER = path.resolve(ROOT, process.env['PICTURES_DIR'] || '.junction/pictures');
const SIZE = { width: 1_200, height: 760 };
const START_MS = 240_000;
const TELL_MS = 120_000;

let product: Product;
let browser: Browser;

beforeAll(async () => {
  product = await startProduct(process.env, { WEBHOOK_BREAKER_RESET_S: '3' });
  browser = await launchChromium();
}, START_MS);

afterAll(async () => {
  await browser?.close();
  expect(await product?.stop()).toBe(0);
}, START_MS);

it(
  'takes the pictures of the README, of what the demo did',
  async () => {
    mkdirSync(FOLDER, { recursive: true });
    const grace = await tellTrouble(product.endpoints, () => undefined, 'grace@example.com');
    await connect(grace, 'calendar');
    const work = { identityProvider: 'globex', account: 'grace@work.example' };
    await connect(grace, 'mailbox', { ...work, allow: ['mail.read', 'mail.write'] });

    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        baseURL: product.endpoints.gateway,
        viewport: SIZE,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
      });
      const complaints = await complaintsOf(context, product.endpoints.gateway);
      const page = await context.newPage();
      await signIn(page, grace);
      const shoot = (name: string) =>
        page.screenshot({
          path: path.join(FOLDER, `${name}-${colorScheme}.png`),
          caret: 'initial', // To hide it Playwright would add a <style>, which the policy refuses.
        });
      await page.goto('/integrations');
      await page.getByText('Partly connected').waitFor();
      await shoot('integrations');
      await page.goto('/webhooks');
      await page.getByRole('row').nth(1).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Latest deliveries' }).waitFor();
      await shoot('webhook');
      await page.goto('/deliveries');
      await page.getByRole('link', { name: 'reminder.sent' }).first().waitFor();
      await shoot('deliveries');
      await page.goto('/deliveries?status=exhausted');
      await page.getByRole('link', { name: 'reminder.sent' }).first().click();
      await page.getByRole('heading', { name: 'Attempts' }).waitFor();
      await shoot('delivery');
      expect(complaints).toEqual([]);
      await context.close();
    }
  },
  TELL_MS,
);

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in');
  await fillCredentials(page, { email, password });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await atHome(page);
}
