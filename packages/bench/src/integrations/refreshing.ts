import { until } from '../clock.js';
import type { Figures } from '../suite.js';
import type { World } from './world.js';

const REFRESHED_WITHIN_MS = 120_000;

/** The tokens of all users fall due at one moment, and nobody asks for them. */
export async function measureRefreshing(
  { pool, provider, run }: World,
  users: readonly string[],
): Promise<Figures> {
  await pool.query('update credentials set refresh_at = now()');
  const seconds = await until(
    'Refreshing what is due',
    async () => {
      const { rows } = await pool.query<{ n: number; seconds: number }>(
        `select count(*)::int as n,
                extract(epoch from max(issued_at) - min(issued_at))::float8 as seconds
           from credentials where credential_version > 1`,
      );
      return rows[0]?.n === users.length ? rows[0].seconds : undefined;
    },
    { deadlineMs: REFRESHED_WITHIN_MS, everyMs: 100, signal: run.signal },
  );
  const { refreshes, refused } = await provider.answered();
  if (refreshes !== users.length || refused > 0) {
    throw new Error(`${users.length} tokens took ${refreshes} refreshes and ${refused} refusals.`);
  }
  return { refresh_per_s: users.length / seconds };
}
