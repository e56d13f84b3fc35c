import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { type Person, type Product, signUp, startProduct } from '@junction/demo';
import { apiAt, eventually } from '@junction/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { junctionWith } from './junction.js';
import { ROOT } from './manifests.js';
import { startPrometheus } from './start-prometheus.js';

export const MINUTE = 60_000;
/** Above what each alert wants something to last. */
const SEEN_WITHIN_MS = 180_000;

/** The alerts of infra/observability/alerts.yaml, asked of a Prometheus of their own. */
export interface Alerting {
  /** The names, among these, of alerts whose expression is true now. */
  trueOf(...alerts: readonly string[]): Promise<readonly string[]>;
  /** Waits until the expression of an alert is true, or is not. */
  becomes(alert: string, wanted: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A product of a test file and a user of it; Prometheus knows every number before anything is broken. */
interface Alerted extends Pick<Alerting, 'trueOf' | 'becomes'> {
  product(): Product;
  ada(): Person;
}

/** Gives each test eight minutes. `alsoAt` may start more that is scraped, and returns where; the file stops it. */
export function useAlerting(
  everyS = 1,
  alsoAt: (product: Product) => Promise<readonly string[]> = async () => [],
): Alerted {
  jest.setTimeout(8 * MINUTE);
  let product: Product;
  let alerting: Alerting;
  let ada: Person;
  beforeAll(async () => {
    product = await startProduct(process.env);
    const { http, gateway } = product.endpoints;
    alerting = await startAlerting([...Object.values(http), ...(await alsoAt(product))], everyS);
    ada = await signUp(apiAt(gateway));
    await alerting.becomes('JunctionNumbersMissing', false);
  });
  afterAll(async () => {
    await alerting?.stop();
    expect(await product?.stop()).toBe(0);
  });
  return {
    product: () => product,
    ada: () => ada,
    trueOf: (...alerts) => alerting.trueOf(...alerts),
    becomes: (alert, wanted) => alerting.becomes(alert, wanted),
  };
}

/** `urls`: where services answer HTTP; each is scraped once in `everyS` seconds. */
export async function startAlerting(urls: readonly string[], everyS = 1): Promise<Alerting> {
  const file = path.join(ROOT, 'infra/observability/alerts.yaml');
  const expressions = expressionsOf(readFileSync(file, 'utf8'));
  const hosts = urls.map((url) => new URL(url).host);
  const { ask, stop } = await startPrometheus(hosts, everyS);
  const isTrue = async (alert: string): Promise<boolean> => {
    const ofAlert = expressions.get(alert);
    if (ofAlert === undefined) throw new Error(`There is no alert ${alert}.`);
    const found = await Promise.all(ofAlert.map(ask));
    return found.some((values) => values.length > 0);
  };
  return {
    stop,
    async trueOf(...alerts) {
      const found = await Promise.all(
        alerts.map(async (alert) => ((await isTrue(alert)) ? [alert] : [])),
      );
      return found.flat();
    },
    becomes: (alert, wanted) =>
      eventually(
        async () =>
          expect({ alert, isTrue: await isTrue(alert) }).toEqual({ alert, isTrue: wanted }),
        { deadlineMs: SEEN_WITHIN_MS, pollMs: 500 },
      ),
  };
}

/** An alert has an expression for each of its rules. */
function expressionsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const { groups } = parse(text) as {
    groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const ofAlert = (name: string) => rules.filter(({ alert }) => alert === name);
  return new Map(rules.map(({ alert }) => [alert, ofAlert(alert).map(({ expr }) => expr)]));
}

/** While a process neither works nor ends: nobody starts it again, and its connections stay open. */
export async function standingStill(
  product: Product,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const pids = product.pids();
  const { [name]: pid } = pids;
  if (pid === undefined) throw new Error(`Not ${name}, but: ${Object.keys(pids).join(', ')}`);
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** Runs work on a connection to the database of a service, as its own role. */
export async function inDatabase(
  product: Product,
  name: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const connectionString = product.databaseUrls.find((url) => url.endsWith(`/${name}`));
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Runs the command as an operator of the product, and returns its output. Rejects with its error output when it
 * fails.
 */
export const junction = (product: Product, ...args: readonly string[]): Promise<string> =>
  junctionWith({ JUNCTION_DATA_DIR: product.dataDir }, args);
