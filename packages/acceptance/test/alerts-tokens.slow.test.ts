import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect, signUp } from '@junction/demo';
import { apiAt, eventually } from '@junction/testing';
import { inDatabase, standingStill, useAlerting } from './alerting.js';

const ACME = 'provider-acme';

const { ada, becomes, product, trueOf } = useAlerting();

beforeAll(async () => {
  const gateway = apiAt(product().endpoints.gateway);
  for (const kind of ['mailbox', 'calendar']) {
    expect((await connect(ada(), kind, { identityProvider: 'acme' })).status).toBe(200);
  }
  // A provider that limits one account or two may mean them alone.
  for (const other of [await signUp(gateway), await signUp(gateway)]) {
    expect((await connect(other, 'mailbox', { identityProvider: 'acme' })).status).toBe(200);
  }
});

// Periods of a quarter of an hour and more are simulated by older times in the database; everything else happens.
describe('the expression of an alert turns true when', () => {
  it('a provider limits us while tokens end: JunctionRefreshesLate', async () => {
    expect(await trueOf('JunctionRefreshesLate')).toEqual([]);
    const limited = { endpoint: 'token', status: 429, retry_after_s: 3_600, calls: 1_000 };
    await control('faults', limited);
    await fallDue('0 seconds');
    await eventually(async () =>
      expect(await refreshes()).toMatch(/"acme".*outcome="unavailable".* 3$/m),
    );
    await fallDue('11 minutes');
    await becomes('JunctionRefreshesLate', true);

    // Integrations waits for as long as the provider asked, unless it is started again.
    await control('reset');
    process.kill(product().pids()['integrations'] ?? Number.NaN, 'SIGKILL');
    await becomes('JunctionRefreshesLate', false);
  });

  it('a provider does not answer whether connections stand: JunctionRevocationsNoticedLate', async () => {
    expect(await trueOf('JunctionRevocationsNoticedLate')).toEqual([]);
    await standingStill(product(), ACME, async () => {
      await change(
        'integrations',
        `update connection_checks set due_at = now() - interval '20 minutes'`,
      );
      await becomes('JunctionRevocationsNoticedLate', true);
    });
    await becomes('JunctionRevocationsNoticedLate', false);
  });

  it('a provider does not take revocations: JunctionRevocationsStuck', async () => {
    expect(await trueOf('JunctionRevocationsStuck')).toEqual([]);
    await standingStill(product(), ACME, async () => {
      const { status } = await ada().call('DELETE', '/api/integrations/mailbox');
      expect(status).toBe(204);
      await change(
        'integrations',
        `update provider_revocations set created_at = created_at - interval '2 hours'`,
      );
      await becomes('JunctionRevocationsStuck', true);
    });
    await becomes('JunctionRevocationsStuck', false);
  });

  it('the mail server does not answer: JunctionMailStuck', async () => {
    expect(await trueOf('JunctionMailStuck')).toEqual([]);
    await standingStill(product(), 'mail', async () => {
      const json = { email: ada().email };
      const { status } = await ada().call('POST', '/api/auth/forgot-password', { json });
      expect(status).toBe(202);
      await change('auth', `update mails set created_at = created_at - interval '20 minutes'`);
      await becomes('JunctionMailStuck', true);
    });
    await becomes('JunctionMailStuck', false);
  });
});

async function control(what: string, body: object = {}): Promise<void> {
  const { status } = await fetch(`${product().endpoints.providers.acme}/control/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(status).toBe(204);
}

const change = (database: string, update: string): Promise<void> =>
  inDatabase(product(), database, async (client) => {
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
  const page = await fetch(`${product().endpoints.http.integrations}/internal/metrics`);
  const lines = (await page.text()).split('\n');
  return lines.filter((line) => line.startsWith('junction_token_refreshes_total{')).join('\n');
}
