import type { Event } from '@junction/eventsourcing';
import { keySource, openKeyRing, requireKeys, ringPlaces } from '@junction/vault';
import type { PlatformConfig } from '../platform/platform.js';
import { connectionsOf, postgresPool } from '../platform/postgres/index.js';
import type { ServiceDefinition } from '../platform/service.js';
import type { Logger } from '../process/index.js';
import { certificateCheck } from './certificate-checks.js';
import { databaseCheck, schemaChecks } from './database-checks.js';
import { type Check, carryOut, type Finding } from './finding.js';
import { kafkaCheck } from './kafka-checks.js';
import { recordCheck } from './record-checks.js';

const POOL_MAX = 2;

/**
 * Looks at all that a service needs, with connections of its own, and says what is not as it must be and what to do
 * about it. Changes nothing. The service need not run.
 */
export async function diagnose<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  config: Config,
  log: Logger,
): Promise<readonly Finding[]> {
  const pool = postgresPool(config.databaseUrl, {
    name: `${service.name} doctor`,
    max: POOL_MAX,
    log,
  });
  const facts = {
    pool,
    migrations: service.migrations,
    connectionsMax: connectionsOf(config.databasePoolMax),
  };
  const others = [
    ...schemaChecks(facts),
    keyCheck(service, config, facts),
    kafkaCheck(service.name, config.kafka, service.topics),
    recordCheck(pool),
    certificateCheck(config),
    ...(service.doctor?.(config, pool) ?? []),
  ];
  try {
    const database = await carryOut(databaseCheck(facts));
    const isReached = database.every(({ state }) => state !== 'problem');
    const sensible = others.filter(({ needsDatabase }) => isReached || needsDatabase !== true);
    return [...database, ...(await Promise.all(sensible.map(carryOut))).flat()];
  } finally {
    await pool.end();
  }
}

const keyCheck = <Config extends PlatformConfig, E extends Event>(
  { sealedColumns }: ServiceDefinition<Config, E>,
  { vaultKeys }: Config,
  { pool }: { readonly pool: Parameters<typeof requireKeys>[0] },
): Check => ({
  name: 'key ring',
  needsDatabase: true,
  remedy:
    'Put the keys that have sealed these rows back into VAULT_KEYS: without them the rows are lost. A key may go once `junction keys list` shows nothing that it has sealed.',
  async look() {
    const ring = await openKeyRing(keySource(vaultKeys));
    await requireKeys(pool, ring, ringPlaces(sealedColumns));
    return `${ring.ids.join(', ')}: they open what is sealed.`;
  },
});
