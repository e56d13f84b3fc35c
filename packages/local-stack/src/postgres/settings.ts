/**
 * Settings of each Postgres that holds deliveries, as docker-compose.yml and the manifests have them too. Each event
 * meets a page of its own in the index by which repeats are found, and the first change of a page after a checkpoint
 * logs all of it: few checkpoints, few whole pages.
 */
export const CHECKPOINTS = { checkpoint_timeout: '30min', max_wal_size: '4GB' } as const;

const UNSAFE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

interface Server {
  readonly connectionsMax?: number;
  readonly ephemeral?: boolean;
}

/** Returns the settings of a Postgres as arguments of its command. */
export const settingsOf = (
  { connectionsMax = 200, ephemeral = false }: Server,
  others: Readonly<Record<string, string | number>>,
): readonly string[] =>
  Object.entries({
    max_connections: connectionsMax,
    timezone: 'UTC',
    ...CHECKPOINTS,
    ...others,
    ...(ephemeral ? UNSAFE : {}),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
