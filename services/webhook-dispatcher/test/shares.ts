import type { TestService } from '@junction/testing';
import { eventually, type TestDatabase } from '@junction/testing';
import { shardOf } from '../src/domain/shard.js';
import type { NewWebhook } from './world.js';

/**
 * Partitions of the topic of events. Once shards and partitions are shared out, the replica that sends for a shard
 * reads the partition of its users.
 */
const PARTITIONS = 12;
const LONG = { deadlineMs: 45_000 };

/** A webhook whose events this replica reads, and sends. */
export async function webhookOf(
  { pid }: TestService,
  { pool }: TestDatabase,
  newWebhook: () => Promise<NewWebhook>,
): Promise<NewWebhook> {
  return eventually(async () => {
    const webhook = await newWebhook();
    const shard = shardOf(webhook.userId);
    const { rows } = await pool.query<{ owner: string }>(
      `select l.owner from shard_leases l join replicas r using (owner)
        where l.shard = $1 and l.expires_at > now() and r.attributes->'partitions' @> to_jsonb($2::int)`,
      [shard, shard % PARTITIONS],
    );
    if (!rows[0]?.owner.includes(`/${pid()}/`)) throw new Error('It is another replica’s.');
    return webhook;
  }, LONG);
}
