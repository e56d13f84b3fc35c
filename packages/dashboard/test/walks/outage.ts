import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { gateway } from '@junction/local-stack';
import { type BreakableRoad, breakableRoad, eventually } from '@junction/testing';
import type { Page } from 'playwright-core';
import { DESKTOP, look } from '../look.js';
import type { Stage } from '../stage.js';
import { fillCredentials, signUpAtIntegrations } from './visitor.js';

const DOWN = 'Part of Junction is not answering';
const BACK_MS = 60_000;
const SITE = path.resolve(import.meta.dirname, '../../dist/site');

export function outageWalks(stage: Stage): void {
  it.concurrent('says that a service is down, and goes on by itself once it is back', async () => {
    await playOnRoad(stage, async (page, road) => {
      const streaming = page.waitForResponse(/\/api\/integrations\/stream$/);
      await signUpAtIntegrations(page);
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).waitFor();
      await streaming;
      const loads: string[] = [];
      page.on('load', () => loads.push(page.url()));
      await road.break();
      await page.getByText(DOWN).waitFor();
      await road.mend();
      await page.getByText(DOWN).waitFor({ state: 'hidden', timeout: BACK_MS });
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).waitFor();
      expect(loads).toEqual([]);
    });
  });

  it.concurrent('says that the browser is offline, and goes on by itself', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      await page.context().setOffline(true);
      await page.getByText('You are offline', { exact: true }).waitFor();
      await look(page, 'integrations-offline', { dark: true });
      await page.getByRole('button', { name: 'Connect mailbox at Acme' }).click();
      await page.getByText('You are offline, so nothing was sent.').waitFor();
      await page.context().setOffline(false);
      await page.getByText('You are offline', { exact: true }).waitFor({ state: 'hidden' });
      await page.getByText(DOWN).waitFor({ state: 'hidden' });
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        'Mailboxes',
        'Calendars',
      ]);
    });
  });

  it.concurrent('leads to sign-in when the session is lost, and back to the same page', async () => {
    await stage.play(async (page) => {
      const ada = await signUpAtIntegrations(page);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await page.context().clearCookies();
      // The walk uses the address, because the open page may notice the loss before a click.
      await page.goto('/deliveries');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await fillCredentials(page, ada);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/deliveries');
    });
  });
}

/** Defines the walks beside the main job of the page. */
export function loadingWalks(stage: Stage): void {
  it('waits for a service that is down when the page is opened', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      const pid = await putToSleep(stage);
      await page.reload();
      await page.locator('[aria-busy=true]').first().waitFor();
      await look(page, 'integrations-loading');
      const said = page.getByText(DOWN).waitFor();
      process.kill(pid, 'SIGKILL');
      await said;
      await page.getByText('Not connected').first().waitFor({ timeout: BACK_MS });
      expect(await page.getByText('Not connected').count()).toBe(2);
    });
  });
}

/** Plays behind a gateway of its own, whose road to integrations can be broken: others need the service itself. */
async function playOnRoad(
  stage: Stage,
  scene: (page: Page, road: BreakableRoad) => Promise<void>,
): Promise<void> {
  const { http } = stage.product().endpoints;
  const road = await breakableRoad(http.integrations);
  const upstreams = { ...http, integrations: road.url };
  const server = gateway(upstreams, { folders: [SITE], portalOrigins: [] }, () => undefined);
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await stage.play((page) => scene(page, road), DESKTOP, `http://localhost:${port}`);
  } finally {
    server.close().closeAllConnections();
    await road.break();
  }
}

/** A stopped process answers nothing, so a request to it waits until the process is killed. */
async function putToSleep(stage: Stage): Promise<number> {
  const pid = await eventually(() => {
    const { integrations = Number.NaN } = stage.product().pids();
    expect(integrations).not.toBeNaN();
    return integrations;
  });
  process.kill(pid, 'SIGSTOP');
  return pid;
}
