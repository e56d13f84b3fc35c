import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DESKTOP, look, PHONE, shootIfAsked } from '../look.js';
import type { Stage } from '../stage.js';
import { atHome, signUp, signUpAtIntegrations } from './visitor.js';

const SCRIPTS = '**/assets/*.js';
const PAGES = ['/', '/integrations', '/webhooks', '/deliveries', '/account'];

/**
 * Defines the walks around the frame of the pages: its header, before the scripts and without a page, and the account
 * menu.
 */
export function frameWalks(stage: Stage): void {
  it.concurrent('keeps the header where there is no page', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      await page.goto('/nowhere');
      await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
      await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
      await look(page, 'not-found');
      expect(await page.locator('.frame-header').count()).toBe(1);
      await page.getByRole('link', { name: 'Go to the start page' }).click();
      await atHome(page);
    });
  });

  it.concurrent('paints none before a page that has none', async () => {
    await stage.play(async (page) => {
      const release = await openWithoutScripts(page, '/sign-in');
      expect(await page.locator('.frame-static').isVisible()).toBe(false);
      await release();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });
  });

  it.concurrent('opens the menu of the account by the keyboard, and gives the focus back', async () => {
    await stage.play(async (page) => {
      await signUpAtIntegrations(page);
      const account = page.getByRole('button', { name: 'Account', exact: true });
      await account.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Your account' }).waitFor();
      await page.getByRole('menuitemradio', { name: 'System', checked: true }).waitFor();
      await look(page, 'account-menu');
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      const focused = page.locator('button:focus');
      await focused.waitFor();
      expect(await focused.getAttribute('aria-label')).toBe('Account');
    });
  });
}

/** Defines the walk through every page that users arrive at, on a desktop and on a phone. */
export function firstPaintWalks(stage: Stage): void {
  it.concurrent('paints a frame first that the page does not move', async () => {
    await stage.play(async (page) => {
      await signUp(page);
      for (const path of PAGES) {
        for (const viewport of [DESKTOP, PHONE]) {
          await page.setViewportSize(viewport);
          const release = await openWithoutScripts(page, path);
          const first = await page.evaluate(headerIn);
          expect(first).toHaveLength(6);
          await shootIfAsked(page, `first-paint${path.replaceAll('/', '-')}`);
          await release();
          await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
          expect(await page.evaluate(headerIn)).toEqual(first);
        }
      }
    });
  });
}

/** Opens a page without its scripts, and waits for its styles. Returns a function that lets the scripts load. */
async function openWithoutScripts(page: Page, path: string): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(SCRIPTS, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(path, { waitUntil: 'commit' });
  await page.waitForFunction(() => {
    const frame = document.querySelector('.frame-header');
    return frame && getComputedStyle(frame).position === 'sticky';
  });
  return async () => {
    release();
    await page.waitForFunction(() => !document.querySelector('.frame-static'));
    await page.unroute(SCRIPTS);
  };
}

/** Runs in the page. Describes each part of the header: its text, position and colour. */
function headerIn(): readonly string[] {
  const parts = document.querySelectorAll('.frame-header, .frame-logo, .frame-link');
  return [...parts].map((part) => {
    const { x, y, width, height } = part.getBoundingClientRect();
    const { color, borderBottomColor } = getComputedStyle(part);
    const place = [x, y, width, height].map(Math.round).join(' ');
    const words = part.matches('.frame-header') ? 'header' : part.textContent?.trim();
    return `${words}: ${place}, ${color}, ${borderBottomColor}`;
  });
}
