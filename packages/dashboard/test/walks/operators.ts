import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { eventually, startReceiver } from '@junction/testing';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { look } from '../look.js';
import type { Stage } from '../stage.js';
import { openAccount } from './account.js';
import { fillCredentials, signOut, signUp } from './visitor.js';
import { addWebhook, assistantOf } from './webhook-form.js';

const JUNCTION = path.resolve(import.meta.dirname, '../../../cli/bin/junction.mjs');
const LOOK_MS = 5_000;

export function operatorWalks(stage: Stage): void {
  it.concurrent('sees how the services are and what was refused, and rebuilds a read model, with a second factor alone', async () => {
    const receiver = await startReceiver();
    receiver.answer({ status: 500 });
    await stage.play(async (page) => {
      const lost = await signUp(page);
      await addFactor(page);
      await signOut(page);
      const ada = await signUp(page);
      await page.getByRole('button', { name: 'Account', exact: true }).click();
      expect(await page.getByRole('menuitem', { name: 'Operations' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.goto('/operations');
      await page.getByText('This page is for operators').waitFor();

      const webhookId = await addWebhook(page, { url: receiver.url });
      const assistant = await assistantOf(page, stage.product());
      await assistant.publish('draft.created', { draft_id: 'for her eyes only' });
      await assistant.close();

      await signOut(page);
      await makeOperator(stage, ada.email);
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Account', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Operations' }).click();
      await page.getByRole('heading', { name: 'Operators need a second factor' }).waitFor();
      await look(page, 'operations-no-factor');
      expect((await page.request.get('/api/ops/auth/health')).status()).toBe(403);
      await page.getByRole('link', { name: 'Add a second factor to your account' }).click();
      await addFactor(page);
      await page.goto('/operations');
      await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
      for (const service of ['auth', 'integrations', 'webhook-dispatcher']) {
        const panel = page.getByRole('region', { name: service, exact: true });
        await panel.getByText('Ready', { exact: true }).waitFor();
        // Other tests publish all the time, and the page looks again only when it is asked to.
        await eventually(async () => {
          await page.getByRole('button', { name: 'Refresh' }).click();
          await panel.getByText('Up to date').waitFor({ timeout: LOOK_MS });
        });
      }
      const failing = page.getByRole('row').filter({ hasText: webhookId });
      await failing.getByText('500 Internal Server Error').waitFor();
      expect(await page.content()).not.toContain('for her eyes only');
      const failures = page.getByRole('region', { name: 'Failing webhooks' });
      await failures.getByLabel('Id of a webhook').fill(webhookId);
      await failures.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await failures.getByText(`${webhookId} is disabled (operator).`).waitFor();
      await failures.getByRole('button', { name: 'Enable again' }).click();
      await failures.getByText(`${webhookId} is active.`).waitFor();
      const { host } = new URL(receiver.url);
      await failures.getByLabel('Host or id of a user').fill(host);
      await failures.getByRole('button', { name: 'Pause' }).click();
      await failures.getByRole('button', { name: `Resume: ${host}` }).waitFor();
      await page.goto(`/webhooks/${webhookId}`);
      await page.getByText('Paused by an operator', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
      await page.goto('/operations');
      await failures.getByRole('button', { name: `Resume: ${host}` }).click();
      await failures
        .getByRole('button', { name: `Resume: ${host}` })
        .waitFor({ state: 'detached' });

      const dispatcher = page.getByRole('region', { name: 'webhook-dispatcher', exact: true });
      await dispatcher.locator('summary', { hasText: 'Read models' }).click();
      await rebuild(page);
      const dialog = page.getByRole('dialog');
      await dialog.waitFor({ state: 'detached' });
      // The page asks when it is asked to, and the rebuild takes its time.
      await eventually(
        async () => {
          await page.getByRole('button', { name: 'Refresh' }).click();
          expect(await dispatcher.getByRole('row', { name: /^webhooks 2/ }).count()).toBe(1);
        },
        { pollMs: 1_000 },
      );
      await dispatcher.locator('summary', { hasText: 'Consumers' }).click();
      await dispatcher.locator('summary', { hasText: 'Keys' }).click();
      const auth = page.getByRole('region', { name: 'auth', exact: true });
      await auth.locator('summary', { hasText: 'Audit' }).click();
      await auth
        .getByRole('row', { name: /health refused second factor needed/ })
        .first()
        .waitFor();
      await look(page, 'operations-open', { dark: true });

      const users = page.getByRole('region', { name: 'Users' });
      await users.getByLabel('E-mail of the user').fill(lost.email);
      await users.getByRole('button', { name: 'Find' }).click();
      await users.getByRole('button', { name: 'Remove second factors' }).click();
      await dialog.getByText('All sessions of this user end').waitFor();
      await look(page, 'operations-remove-factors');
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await users.getByText('Second factors removed: 1. Sessions ended: 0.').waitFor();
    });
    await receiver.close();
  });
}

async function rebuild(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Rebuild webhooks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }).click();
}

async function addFactor(page: Page): Promise<void> {
  await openAccount(page);
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByLabel('Code').fill(new TOTP({ secret }).generate());
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
}

/** Makes a user an operator, as the person who runs the installation does. */
async function makeOperator(stage: Stage, email: string): Promise<void> {
  const env = { ...process.env, JUNCTION_DATA_DIR: stage.product().dataDir };
  await promisify(execFile)(process.execPath, [JUNCTION, 'operators', 'add', email], { env });
}
