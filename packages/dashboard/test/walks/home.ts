import { expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { look, PHONE } from '../look.js';
import type { Stage } from '../stage.js';
import { consent, revokeThere } from './provider-pages.js';
import { play, row } from './receiving.js';
import { signUp } from './visitor.js';
import { addWebhook, api } from './webhook-form.js';

const MANY = 6;

export function homeWalks(stage: Stage): void {
  it.concurrent('lands on what fails, with its reason and its button, and on the last day', async () => {
    await play(stage, async ({ page, receiver, assistant }) => {
      const email = 'lost.ada@example.com';
      await page.goto('/integrations');
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).click();
      await consent(page, { email });
      await page.getByText('Your mailbox is connected').waitFor();
      await revokeThere(page, stage.product().endpoints.providers.acme, email);
      await page.getByText('Revoked at the provider', { exact: true }).waitFor();

      receiver.answer({ status: 401 });
      for (let n = 0; n < MANY; n += 1) await addWebhook(page, { url: `${receiver.url}/${n}` });
      await assistant.publish('draft.created');
      await eventually(async () =>
        expect(await api(page, 'GET', '/api/webhooks?state=failing')).toMatchObject({
          items: Array.from({ length: MANY }, () => ({ state: 'failing' })),
        }),
      );
      await page.goto('/');
      const needs = page.getByRole('region', { name: `${MANY + 1} things need you` });
      await needs.getByText('Check that the receiver has the same secret').first().waitFor();
      await needs.getByRole('button', { name: 'Reconnect' }).waitFor();
      await needs.getByRole('link', { name: '1 more webhook' }).waitFor();
      await page.getByText(`To ${MANY} webhooks`).waitFor();
      await page.getByText('Success rate').waitFor();
      await look(page, 'home-failing', { dark: true });
      await page.setViewportSize(PHONE);
      await needs.getByRole('link', { name: 'See what failed' }).first().click();
      await row(page, 'Retrying').waitFor();
    });
  });

  it.concurrent('draws nothing that a later answer would push away', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.addInitScript(() => {
        const shifts: number[] = [];
        Object.assign(globalThis, { shifts });
        new PerformanceObserver((list) => {
          shifts.push(...list.getEntries().map(({ startTime }) => startTime));
        }).observe({ type: 'layout-shift', buffered: true });
      });
      let go = () => {};
      const held = new Promise<void>((resolve) => (go = resolve));
      await page.route('**/api/webhooks/stats?*', async (route) => {
        await held;
        await route.continue();
      });
      const others = ['events', 'webhooks', 'integrations'].map((name) =>
        page.waitForResponse((answer) => new URL(answer.url()).pathname === `/api/${name}`),
      );
      await page.goto('/');
      await Promise.all(others);
      go();
      await page.getByText('0 of 4 done').waitFor();
      expect(await page.evaluate('shifts')).toEqual([]);
    });
  });
}
