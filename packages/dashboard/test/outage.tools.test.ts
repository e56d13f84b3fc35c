import { describe, expect, it } from '@jest/globals';
import { startProduct } from '@junction/demo';
import { eventually } from '@junction/testing';
import { expectAccessible } from './accessible.js';
import { SCREENS, shootBoth, useStage } from './stage.js';
import { fillCredentials, signUp } from './visitor.js';

const DOWN = 'A part of Junction is not answering';
const BACK_MS = 60_000;
// It kills what others would need.
const stage = useStage(async () => startProduct(process.env));

describe.each(SCREENS)('on a $screen', (screen) => {
  it('says that a service is down, and goes on by itself once it is back', async () => {
    await stage.play(screen, async (page) => {
      await signUp(page);
      await page.getByRole('button', { name: 'Connect mailbox' }).waitFor();
      const loads: string[] = [];
      page.on('load', () => loads.push(page.url()));
      const pid = await putToSleep();
      await page.waitForRequest(/\/api\/integrations$/);
      const said = page.getByText(DOWN).waitFor();
      process.kill(pid, 'SIGKILL');
      await said;
      await page.getByText(DOWN).waitFor({ state: 'hidden', timeout: BACK_MS });
      await page.getByRole('button', { name: 'Connect mailbox' }).waitFor();
      expect(loads).toEqual([]);
      // Written down once the new one is known to be ready, which the page may find out first.
      await eventually(() => expect(stage.product().pids()['integrations']).not.toBe(pid));
    });
  });

  it('waits for a service that is down when the page is opened', async () => {
    await stage.play(screen, async (page) => {
      await signUp(page);
      const pid = await putToSleep();
      await page.reload();
      await page.locator('[aria-busy=true]').first().waitFor();
      await expectAccessible(page);
      await shootBoth(page, 'integrations-loading');
      const said = page.getByText(DOWN).waitFor();
      process.kill(pid, 'SIGKILL');
      await said;
      await page.getByText('Not connected').first().waitFor({ timeout: BACK_MS });
      expect(await page.getByText('Not connected').count()).toBe(2);
    });
  });

  it('says that the browser is offline, and goes on by itself', async () => {
    await stage.play(screen, async (page) => {
      await signUp(page);
      await page.context().setOffline(true);
      await page.getByText('You are offline').waitFor();
      await shootBoth(page, 'integrations-offline');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Connect mailbox' }).click();
      await page.getByText('Junction cannot be reached from here just now.').waitFor();
      await page.context().setOffline(false);
      await page.getByText('You are offline').waitFor({ state: 'hidden' });
      await page.getByText(DOWN).waitFor({ state: 'hidden' });
      expect(await page.getByRole('heading', { level: 2 }).count()).toBe(2);
    });
  });

  it('leads to sign-in when the session is lost, and back to the same page', async () => {
    await stage.play(screen, async (page) => {
      const ada = await signUp(page);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.context().clearCookies();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/webhooks');
    });
  });
});

/** Asleep a service answers nobody, so what is asked of it surely waits until it is killed. */
async function putToSleep(): Promise<number> {
  const pid = await eventually(() => {
    const { integrations = Number.NaN } = stage.product().pids();
    expect(integrations).not.toBeNaN();
    return integrations;
  });
  process.kill(pid, 'SIGSTOP');
  return pid;
}
