import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { askApi } from './api.js';
import { emptied } from './emptied.js';
import type { World } from './world.js';

const SENT_WITHIN_MS = 300_000;
const HOUR_MS = 3_600_000;

/**
 * Measures a replay of all that one webhook got, beside the rate at which its receiver took the same deliveries as they
 * came, before and after.
 */
export async function measureReplay(world: World, deliveries: number): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, 1);
  const live = async () => (await emptied(world, { users, deliveries })).perS;
  const before = await live();
  const replayed = await replayedPerS(world, users[0] ?? '', deliveries);
  const after = await live();
  return { replay_per_s: replayed, replay_ratio: replayed / mean([before, after]) };
}

async function replayedPerS(
  { receiver, issuer, pool, start, settled }: World,
  userId: string,
  deliveries: number,
): Promise<number> {
  const { rows } = await pool.query<{ webhook_id: string }>(
    'select webhook_id from webhooks where user_id = $1',
    [userId],
  );
  const dispatcher = await start();
  await receiver.reset();
  const { status, text } = await askApi(dispatcher.url, issuer.userToken(userId), {
    path: `/api/webhooks/wh_${rows[0]?.webhook_id}/replay`,
    body: {
      from: new Date(Date.now() - HOUR_MS).toISOString(),
      to: new Date().toISOString(),
      outcomes: ['succeeded'],
      confirm: true,
    },
  });
  if (status !== 202) throw new Error(`The replay answered ${status}: ${text}`);
  const { firstMs, lastMs } = await receiver.received(deliveries, SENT_WITHIN_MS);
  await settled();
  await dispatcher.end('SIGTERM');
  return (deliveries / (lastMs - firstMs)) * 1_000;
}
