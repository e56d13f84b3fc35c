import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type SharedProduct, sharedProduct } from '@junction/demo';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { complaintsOf } from './complaints.js';

const START_MS = 240_000;
const STOP_MS = 60_000;
const WAIT_MS = 45_000;
const SCREENSHOTS = path.resolve(import.meta.dirname, '../../../.junction/screenshots');

/** For `describe.each`: every walk is made on a desk and on a phone. */
export const SCREENS = [
  { screen: 'desktop', width: 1280, height: 800 },
  { screen: 'phone', width: 390, height: 844 },
] as const;
export type Screen = (typeof SCREENS)[number];

export interface Stage {
  /** The product behind the pages. */
  product(): SharedProduct;
  /**
   * A browser of its own for one test, with nothing kept from another. Ends with whatever the browser
   * held against our pages: an error of a script or on the console, or a violation of the policy.
   */
  play(screen: Screen, scene: (page: Page) => Promise<void>): Promise<void>;
}

/**
 * A browser for the test file that calls this at its top, and the product that it shares with others. Who
 * harms the product, or wants another one, starts one of its own.
 */
export function useStage(
  start: () => Promise<SharedProduct> = async () => sharedProduct(process.env),
): Stage {
  let product: SharedProduct | undefined;
  let browser: Browser | undefined;

  beforeAll(async () => {
    browser = await launchChromium();
    product = await start();
  }, START_MS);
  afterAll(async () => {
    await browser?.close();
    expect(await product?.stop()).toBe(0);
  }, STOP_MS);

  return {
    product: () => started(product),
    play: (screen, scene) => play(started(browser), started(product), screen, scene),
  };
}

async function play(
  browser: Browser,
  { endpoints: { gateway } }: SharedProduct,
  { width, height, screen }: Screen,
  scene: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: gateway,
    viewport: { width, height },
    hasTouch: screen === 'phone',
    // Halfway through a transition every colour is wrong.
    reducedMotion: 'reduce',
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WAIT_MS);
  try {
    const complaints = await complaintsOf(context, gateway);
    const page = await context.newPage();
    await scene(page).catch(async (cause: unknown) => {
      const name = expect.getState().currentTestName ?? 'failed';
      await shoot(page, `failed-${name.replaceAll(/\W+/g, '-')}`);
      throw new Error(['Failed at', page.url(), ...complaints].join('\n'), { cause });
    });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Writes .junction/screenshots/<name>-<width>.png, the whole page, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const width = page.viewportSize()?.width;
  // Or what sticks to the top is drawn where the page was scrolled to.
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({
    path: path.join(SCREENSHOTS, `${name}-${width}.png`),
    fullPage: true,
    caret: 'initial', // To hide it Playwright would add a <style>, which the policy refuses.
  });
}

/** The same in light and dark. */
export async function shootBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await shoot(page, `${name}-${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The stage is not set yet: use it inside a test.');
  return part;
}
