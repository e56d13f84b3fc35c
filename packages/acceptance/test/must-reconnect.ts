import pg from 'pg';

/**
 * Returns the users whose connections were ended by their provider after `sinceMs`, by the query of
 * docs/runbooks/restore.md. Operators have no other way to find these users.
 */
export async function mustReconnect(
  databaseUrls: readonly string[],
  sinceMs: number,
): Promise<readonly string[]> {
  const connectionString = databaseUrls.find((url) => url.endsWith('/integrations'));
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ user_id: string }>(
      `select data->>'userId' as user_id, data->>'provider' as provider, data->>'reason' as reason
         from events
        where type in ('integration.reconnect_required', 'integration.revoked') and recorded_at > $1
        order by recorded_at`,
      [new Date(sinceMs)],
    );
    return rows.map((row) => row.user_id);
  } finally {
    await client.end();
  }
}
