import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs, until } from '../clock.js';
import { newUsers } from '../dispatch/events.js';
import { median } from '../statistics.js';
import type { Figures } from '../suite.js';
import type { World } from './world.js';

const SECOND_MS = 1_000;
const LOOK_EVERY_MS = 100;
/** Well beyond what is promised, so that a sweep that comes late is measured too. */
const WITHIN_MS = 240_000;

export interface SweepRuns {
  readonly connections: number;
  /** How many of them are ended at the provider. */
  readonly ended: number;
  /** The time over which these are spread: as long as the sweep rests, so that they meet every moment of it. */
  readonly overS: number;
}

/**
 * Consents are taken back at the provider, which tells nobody. Seconds from there until the connection
 * is shown as revoked: the one in the middle, and the slowest.
 */
export async function measureSweeping(
  world: World,
  { connections, ended, overS }: SweepRuns,
): Promise<Figures> {
  const { provider, run } = world;
  const service = await world.start();
  run.say(`${connections} users connect, and the provider is asked about all of them`);
  await service.connect(newUsers(connections));
  const all = async () => (await provider.answered()).introspections >= connections || undefined;
  const patience = { deadlineMs: WITHIN_MS, everyMs: LOOK_EVERY_MS, signal: run.signal };
  await until('Asking about all connections', all, patience);

  run.say(`${ended} of them are ended at the provider`);
  const accounts = (await accountsThatAre('active', world)).slice(0, ended);
  const endedMs = new Map<string, number>();
  const [seconds] = await Promise.all([
    noticedAfter(world, accounts, endedMs),
    endOneByOne(world, accounts, { everyMs: (overS * SECOND_MS) / ended, endedMs }),
  ]);
  return { sweep_p50_s: median(seconds), sweep_s: Math.max(...seconds) };
}

interface Ending {
  readonly everyMs: number;
  /** When each was ended, by its account. */
  readonly endedMs: Map<string, number>;
}

async function endOneByOne(
  { provider, run: { signal } }: World,
  accounts: readonly string[],
  { everyMs, endedMs }: Ending,
): Promise<void> {
  for (const account of accounts) {
    endedMs.set(account, nowMs());
    await provider.revoke(account);
    await sleep(everyMs, undefined, { signal });
  }
}

/** For each account how many seconds it took, in the order in which they were noticed. */
async function noticedAfter(
  world: World,
  accounts: readonly string[],
  endedMs: ReadonlyMap<string, number>,
): Promise<readonly number[]> {
  const seconds = new Map<string, number>();
  const allNoticed = async () => {
    for (const account of await accountsThatAre('revoked', world)) {
      const sinceMs = endedMs.get(account);
      if (sinceMs === undefined) throw new Error('A connection was ended that stands.');
      if (!seconds.has(account)) seconds.set(account, (nowMs() - sinceMs) / SECOND_MS);
    }
    return seconds.size === accounts.length || undefined;
  };
  const patience = { deadlineMs: WITHIN_MS, everyMs: LOOK_EVERY_MS, signal: world.run.signal };
  await until('Noticing what ended at the provider', allNoticed, patience);
  return [...seconds.values()];
}

async function accountsThatAre(status: string, { pool }: World): Promise<readonly string[]> {
  const { rows } = await pool.query<{ account_id: string }>(
    'select account_id from connections where status = $1',
    [status],
  );
  return rows.map(({ account_id: account }) => account);
}
