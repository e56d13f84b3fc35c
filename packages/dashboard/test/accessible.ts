import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE = ['serious', 'critical'];
const OPTIONS: RunOptions = { resultTypes: ['violations'] };

/**
 * Holds the page as it stands, dialogs included, to axe-core in light and dark. The checker comes in by
 * the debugger, which no Content-Security-Policy stops; so the policy stays as strict as it is.
 */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await page.evaluate(transitionsEnded);
    expect({ colorScheme, findings: await findings(page) }).toEqual({ colorScheme, findings: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

async function findings(page: Page): Promise<readonly string[]> {
  const inspector = await page.context().newCDPSession(page);
  const evaluate = (expression: string) =>
    inspector.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  try {
    await evaluate(`${AXE}; undefined`);
    const { result, exceptionDetails } = await evaluate(
      `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations }) => violations.flatMap(
        ({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) =>
          ({ impact, words: id + ' at ' + target.join(' ') + ': ' + failureSummary }))))`,
    );
    if (exceptionDetails) throw new Error(`axe-core failed: ${exceptionDetails.text}`);
    const all = result.value as readonly { impact: string; words: string }[];
    return all.filter(({ impact }) => GRAVE.includes(impact)).map(({ words }) => words);
  } finally {
    await inspector.detach();
  }
}

/** In the page. Half way from one scheme to the other a text has a colour that nobody reads it in. */
async function transitionsEnded(): Promise<void> {
  const running = document.getAnimations().filter((each) => each instanceof CSSTransition);
  // One that is cancelled, because its element is gone, has ended too.
  await Promise.allSettled(running.map(async ({ finished }) => finished));
}
