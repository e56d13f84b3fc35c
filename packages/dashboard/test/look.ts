import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE = ['serious', 'critical'];
const ALL_RULES: RunOptions = { resultTypes: ['violations'] };
/** Rules for the dark scheme, which differs from the light one in colours alone. */
const COLOUR_RULES: RunOptions = { ...ALL_RULES, runOnly: ['color-contrast'] };
/** Rule for the width of a phone, on which tables and rows of numbers scroll that do not on a desktop. */
const SCROLL_RULES: RunOptions = { ...ALL_RULES, runOnly: ['scrollable-region-focusable'] };
const SCREENSHOTS = path.resolve(import.meta.dirname, '../../../.junction/screenshots');

interface Sight {
  /** Frame that the page is in; absent: the page is in none. */
  readonly frame?: Frame;
  /**
   * Whether the page is looked at in dark, too, because it shows colours of our own: a status, an attempt, a chart, a
   * refusal, the appearance of a product. All other colours come with theme.css to every page alike.
   */
  readonly dark?: boolean;
}

/** Names that this test file has looked at. */
const looked = new Set<string>();

/**
 * Holds the page as it stands, dialogs included, to axe-core in light, to its rule of colours in dark if asked to, and
 * to the width of a phone. With SCREENSHOTS set, leaves a screenshot of the desktop and one of the phone.
 * @throws when a page of this name was looked at: a look takes longer than most steps of a walk, so each state has one.
 */
export async function look(
  page: Page,
  name: string,
  { frame = page.mainFrame(), dark = false }: Sight = {},
): Promise<void> {
  if (looked.has(name)) throw new Error(`${name} has been looked at already.`);
  looked.add(name);
  await turn(page, frame, 'light');
  expect(await findings(frame, ALL_RULES)).toEqual([]);
  await shootIfAsked(page, name);
  if (dark) {
    await turn(page, frame, 'dark');
    expect(await findings(frame, COLOUR_RULES)).toEqual([]);
  }
  await page.setViewportSize(PHONE);
  expect(await frame.evaluate(tooWide)).toEqual([]);
  expect(await findings(frame, SCROLL_RULES)).toEqual([]);
  await shootIfAsked(page, name);
  await page.setViewportSize(DESKTOP);
  if (dark) await turn(page, frame, 'light');
}

/**
 * Takes a screenshot when SCREENSHOTS is set. No test compares screenshots, and drawing and packing whole pages takes
 * longer than most checks of them.
 */
export async function shootIfAsked(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS']) await shoot(page, name);
}

const SCREENS_MAX = 7;

/** Writes .junction/screenshots/<name>-<width>.png, up to seven screens, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const screen = page.viewportSize() ?? DESKTOP;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  // Without this scroll, sticky elements are drawn in the position they were scrolled to.
  await page.evaluate(() => scrollTo(0, 0));
  // Chromium draws all of a full page, also what is clipped: of forty screens for a minute.
  const isLong = whole > SCREENS_MAX * screen.height;
  if (isLong) await page.setViewportSize({ ...screen, height: SCREENS_MAX * screen.height });
  await page.screenshot({
    path: path.join(SCREENSHOTS, `${name}-${screen.width}.png`),
    fullPage: !isLong,
    caret: 'initial', // To hide it Playwright would add a <style>, which the policy refuses.
  });
  if (isLong) await page.setViewportSize(screen);
}

async function turn(page: Page, frame: Frame, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The documentation follows by itself, without an attribute.
  await frame
    .locator(
      `html[data-mantine-color-scheme="${colorScheme}"], html:not([data-mantine-color-scheme])`,
    )
    .waitFor();
  await frame.evaluate(endTransitions);
}

/** Runs in the page. Returns the elements that make the whole page scroll sideways. */
function tooWide(): readonly string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth,
  );
  return wide.map(({ tagName, className }) => `${tagName}.${className}`);
}

/**
 * Serious and critical violations. The checker comes in by the debugger, which no
 * Content-Security-Policy stops; so the policy stays as strict as it is.
 */
async function findings(frame: Frame, options: RunOptions): Promise<readonly string[]> {
  // Half a megabyte: once for a page is enough.
  if (!(await frame.evaluate('"axe" in globalThis'))) await frame.evaluate(`${AXE}; undefined`);
  const all = await frame.evaluate<readonly { impact: string; words: string }[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(
      ({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) =>
        ({ impact, words: id + ' at ' + target.join(' ') + ': ' + failureSummary }))))`,
  );
  return all.filter(({ impact }) => GRAVE.includes(impact)).map(({ words }) => words);
}

/** Runs in the page. Ends transitions between the schemes, because in between a text has a colour of neither. */
function endTransitions(): void {
  // Waiting for their end would mean waiting for frames, which a busy machine may not draw.
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
}
