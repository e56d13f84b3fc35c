import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, eventually } from '@junction/testing';
import { type Product, startProduct } from '../src/index.js';
import { connect, type Person, signUp } from '../src/person.js';
import { type Alerting, inDatabase, standingStill, startAlerting } from './alerting.js';

const MINUTE = 60_000;
const ACME = 'provider-acme';

let product: Product;
let alerting: Alerting;
let ada: Person;

beforeAll(async () => {
  product = await startProduct(process.env);
  alerting = await startAlerting(Object.values(product.endpoints.http));
  const gateway = apiAt(product.endpoints.gateway);
  ada = await signUp(gateway);
  for (const kind of ['mailbox', 'calendar']) {
    expect((await connect(ada, kind, { identityProvider: 'acme' })).status).toBe(200);
  }
  // A provider that limits one account or two may mean them alone.
  for (const other of [await signUp(gateway), await signUp(gateway)]) {
    expect((await connect(other, 'mailbox', { identityProvider: 'acme' })).status).toBe(200);
  }
  await alerting.becomes('JunctionNumbersMissing', false);
}, 5 * MINUTE);

afterAll(async () => {
  await alerting?.stop();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

// Periods of a quarter of an hour and more are simulated by older times in the database; everything else happens.
describe('the expression of an alert turns true when', () => {
  it(
    'a provider limits us while tokens end: JunctionRefreshesLate',
    async () => {
      expect(await alerting.trueOf('JunctionRefreshesLate')).toEqual([]);
      const limited = { endpoint: 'token', status: 429, retry_after_s: 3_600, calls: 1_000 };
      await control('faults', limited);
      await fallDue('0 seconds');
      await eventually(async () =>
        expect(await refreshes()).toMatch(/"acme".*outcome="unavailable".* 3$/m),
      );
      await fallDue('11 minutes');
      await alerting.becomes('JunctionRefreshesLate', true);

      // Integrations waits for as long as the provider asked, unless it is started again.
      await control('reset');
      process.kill(product.pids()['integrations'] ?? Number.NaN, 'SIGKILL');
      await alerting.becomes('JunctionRefreshesLate', false);
    },
    5 * MINUTE,
  );

  it(
    'a provider does not answer whether connections stand: JunctionRevocationsNoticedLate',
    async () => {
      expect(await alerting.trueOf('JunctionRevocationsNoticedLate')).toEqual([]);
      await standingStill(product, ACME, async () => {
        await change(
          'integrations',
          `update connection_checks set due_at = now() - interval '20 minutes'`,
        );
        await alerting.becomes('JunctionRevocationsNoticedLate', true);
      });
      await alerting.becomes('JunctionRevocationsNoticedLate', false);
    },
    5 * MINUTE,
  );

  it(
    'a provider does not take revocations: JunctionRevocationsStuck',
    async () => {
      expect(await alerting.trueOf('JunctionRevocationsStuck')).toEqual([]);
      await standingStill(product, ACME, async () => {
        const { status } = await ada.call('DELETE', '/api/integrations/mailbox');
        expect(status).toBe(204);
        await change(
          'integrations',
          `update provider_revocations set created_at = created_at - interval '2 hours'`,
        );
        await alerting.becomes('JunctionRevocationsStuck', true);
      });
      await alerting.becomes('JunctionRevocationsStuck', false);
    },
    5 * MINUTE,
  );

  it(
    'the mail server does not answer: JunctionMailStuck',
    async () => {
      expect(await alerting.trueOf('JunctionMailStuck')).toEqual([]);
      await standingStill(product, 'mail', async () => {
        const json = { email: ada.email };
        const { status } = await ada.call('POST', '/api/auth/forgot-password', { json });
        expect(status).toBe(202);
        await change('auth', `update mails set created_at = created_at - interval '20 minutes'`);
        await alerting.becomes('JunctionMailStuck', true);
      });
      await alerting.becomes('JunctionMailStuck', false);
    },
    5 * MINUTE,
  );
});

async function control(what: string, body: object = {}): Promise<void> {
  const { status } = await fetch(`${product.endpoints.providers.acme}/control/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(status).toBe(204);
}

const change = (database: string, update: string): Promise<void> =>
  inDatabase(product, database, async (client) => {
    expect((await client.query(update)).rowCount).toBeGreaterThan(0);
  });

/** The refresh of a token becomes due so long ago. */
const fallDue = (ago: string): Promise<void> =>
  change(
    'integrations',
    `update credentials set refresh_at = now() - interval '${ago}' where client = 'acme/mailbox'`,
  );

/** The lines about them among the metrics of integrations. */
async function refreshes(): Promise<string> {
  const page = await fetch(`${product.endpoints.http.integrations}/internal/metrics`);
  const lines = (await page.text()).split('\n');
  return lines.filter((line) => line.startsWith('junction_token_refreshes_total{')).join('\n');
}
