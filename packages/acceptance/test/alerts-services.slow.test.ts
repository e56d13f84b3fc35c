import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type Person, signUp, worker } from '@junction/demo';
import { apiAt, eventually } from '@junction/testing';
import { inDatabase, junction, MINUTE, useAlerting } from './alerting.js';

/** Metrics that wait for a connection are given up after five seconds, which a scrape has to outlast. */
const SCRAPED_EVERY_S = 8;
const AGAIN_MS = 500;
/** Requests at once, more than a pool has connections; a user has no more than eight of them. */
const REQUESTS = 24;
const USERS = 4;
/** Each is true of a service whose Postgres is away, once that lasts. */
const OF_AN_OUTAGE = ['JunctionPostgresUnreachable', 'JunctionNotReady', 'JunctionNumbersMissing'];

const { ada, becomes, product, trueOf } = useAlerting(SCRAPED_EVERY_S);

describe('the expression of an alert turns true when', () => {
  it('Postgres lets auth in no more: JunctionServerErrors', async () => {
    expect(await trueOf('JunctionServerErrors')).toEqual([]);
    await refused('auth', () =>
      asking(1, [ada()], async () => {
        await becomes('JunctionServerErrors', true);
        expect(await failing('auth')).toContain('postgres');
      }),
    );
  });

  it('Postgres lets integrations in no more: JunctionTokensRefused', async () => {
    const alerts = ['JunctionTokensRefused'];
    expect(await trueOf(...alerts)).toEqual([]);
    const tokens = worker(product().endpoints, { attemptsMax: 1 });
    const calling = async () => {
      const asked = tokens.get({ userId: ada().id, provider: 'mailbox' });
      expect(await asked.catch(() => 'refused')).toBe('refused');
      expect(await trueOf(...alerts)).toEqual(alerts);
    };
    try {
      await refused('integrations', () =>
        eventually(calling, { deadlineMs: 3 * MINUTE, pollMs: AGAIN_MS }),
      );
    } finally {
      tokens.close();
    }
  });

  it('Postgres lets the dispatcher in no more: JunctionPostgresUnreachable, -NotReady, -NumbersMissing', async () => {
    expect(await trueOf(...OF_AN_OUTAGE)).toEqual([]);
    await refused('webhooks', async () => {
      for (const alert of OF_AN_OUTAGE) await becomes(alert, true);
      // The dispatcher answers when it is scraped; only its Postgres is away.
      expect(await trueOf('JunctionServiceDown')).toEqual([]);
      expect(await failing('webhooks')).toContain('postgres');
      const health = junction(product(), 'health', '-s', 'webhooks');
      await expect(health).rejects.toThrow('is not ready');
    });
  });

  it('requests wait for a lock: JunctionPoolExhausted, JunctionAnswersSlow', async () => {
    const alerts = ['JunctionPoolExhausted', 'JunctionAnswersSlow'];
    expect(await trueOf(...alerts)).toEqual([]);
    const { gateway } = product().endpoints;
    const signUps = Array.from({ length: USERS }, async () => signUp(apiAt(gateway)));
    const users = await Promise.all(signUps);
    await inDatabase(product(), 'auth', async (auth) => {
      // Our roles may not be idle in a transaction; who holds this lock wants to be.
      await auth.query('set idle_in_transaction_session_timeout = 0');
      await auth.query('begin; lock table api_keys in access exclusive mode');
      await asking(REQUESTS, users, async () => {
        await becomes('JunctionPoolExhausted', true);
        await becomes('JunctionAnswersSlow', true);
        // The runbook looks for statements that wait for a lock, so the test does, too.
        await inDatabase(product(), 'auth', async (looking) => {
          const { rows } = await looking.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'api_keys'`,
          );
          expect(rows.length).toBeGreaterThan(0);
        });
      });
      await auth.query('rollback');
    });
    await becomes('JunctionPoolExhausted', false);
  });
});

/** Returns the parts that a service reports as failing. */
async function failing(service: 'auth' | 'webhooks'): Promise<readonly string[]> {
  const page = await fetch(`${product().endpoints.http[service]}/internal/health/ready`);
  return ((await page.json()) as { readonly failing: readonly string[] }).failing;
}

/** While a database lets its service in no more. Prometheus sees it, and then the end of it, before the next test. */
async function refused(database: string, work: () => Promise<void>): Promise<void> {
  await inDatabase(product(), database, async (client) => {
    await client.query(`alter database ${database} connection limit 0`);
    try {
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await work();
      await becomes('JunctionNotReady', true);
    } finally {
      await client.query(`alter database ${database} connection limit -1`);
    }
  });
  for (const alert of OF_AN_OUTAGE) await becomes(alert, false);
}

/** While users ask for what is read from the database, in turn, again and again, whatever is answered. */
async function asking(
  requests: number,
  users: readonly Person[],
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const all = Array.from({ length: requests }, async (_, n) => {
    while (!isOver) {
      await users[n % users.length]?.call('GET', '/api/auth/api-keys').catch(() => undefined);
      await sleep(AGAIN_MS);
    }
  });
  try {
    await work();
  } finally {
    isOver = true;
  }
  await Promise.all(all);
}
