import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type SharedProduct, sharedProduct, startProduct } from '@junction/demo';
import { type Receiver, startReceiver } from '@junction/testing';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { complaintsOf } from './complaints.js';
import { DESKTOP, PHONE, shoot } from './look.js';

const START_MS = 240_000;
const STOP_MS = 60_000;
const WAIT_MS = 45_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface Stage {
  /** The product behind the pages. */
  product(): SharedProduct;
  /**
   * A browser of its own for one test, with nothing kept from another. Ends with whatever the browser
   * held against our pages: an error of a script or on the console, or a violation of the policy.
   * `gateway`: the address of the pages, by default the product's own.
   */
  play(
    scene: (page: Page) => Promise<void>,
    viewport?: typeof DESKTOP,
    gateway?: string,
  ): Promise<void>;
}

/** Stage with an installation of its own, which has no provider for calendars. */
export interface OwnStage extends Stage {
  /** An application that works without the dashboard and has its users brought back to it. */
  application(): Receiver;
  /** The address of that application that users are brought back to. */
  returnTo(): string;
}

/** A browser for the test file that calls this at its top, and the product that the whole run shares. */
export function useStage(): Stage {
  return useStageOf(() => sharedProduct(process.env));
}

/**
 * Starts a product of its own, for tests that need other settings or would disturb the tests that share one. A start
 * takes some 25 s of processor time.
 */
export function useOwnStage(): OwnStage {
  let application: Receiver | undefined;
  const returnTo = () => `${started(application).url}/back?tab=1`;
  const stage = useStageOf(async () => {
    application = await startReceiver();
    return startProduct(process.env, settings(returnTo()));
  });
  afterAll(async () => {
    await application?.close();
  });
  return { ...stage, application: () => started(application), returnTo };
}

function useStageOf(start: () => Promise<SharedProduct>): Stage {
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
    play: (scene, viewport = DESKTOP, gateway = started(product).endpoints.gateway) =>
      play(started(browser), gateway, scene, viewport),
  };
}

const settings = (returnTo: string): Readonly<Record<string, string>> => ({
  CONNECT_RETURN_TO: returnTo,
  ...withoutCalendar(),
});

/** The providers of development, without their calendars. */
function withoutCalendar(): Readonly<Record<string, string>> {
  const both = readFileSync(path.join(ROOT, 'infra/providers.development.yaml'), 'utf8');
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'providers-')), 'providers.yaml');
  writeFileSync(file, both.replaceAll(/^ {4}calendar:\n(?: {6}.*\n)*/gm, ''));
  return {
    PROVIDERS_FILE: file,
    ACME_MAILBOX_CLIENT_SECRET: randomUUID(),
    GLOBEX_MAILBOX_CLIENT_SECRET: randomUUID(),
  };
}

async function play(
  browser: Browser,
  gateway: string,
  scene: (page: Page) => Promise<void>,
  viewport: typeof DESKTOP,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: gateway,
    viewport,
    hasTouch: viewport === PHONE,
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

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('The stage is not set yet: use it inside a test.');
  return part;
}
