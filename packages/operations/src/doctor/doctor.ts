import type { Event } from '@junction/eventsourcing';
import type { PlatformConfig, ServiceDefinition } from '@junction/service';
import { connectionsOf, ownerOf, postgresPool } from '@junction/service/postgres';
import { type Logger, readSecretFile } from '@junction/service/process';
import { keySource, openKeyRing, requireKeys, ringPlaces } from '@junction/vault';
import type pg from 'pg';
import { carryOut } from './carry-out.js';
import { certificateCheck } from './certificate-checks.js';
import { consumerChecks } from './consumer-checks.js';
import { databaseChecks } from './database-checks.js';
import { type Check, type Finding, wordsOf } from './finding.js';
import { issuerCheck } from './issuer-check.js';
import { kafkaCheck } from './kafka-checks.js';
import { traceCheck } from './trace-check.js';

const POOL_MAX = 2;
/** With the grace of the network on top no longer than a check may take, so that the pool can be ended after it. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** Checks of one service alone, besides database, keys, Kafka, certificates and traces. */
export type ChecksOf<Config> = (config: Config, pool: pg.Pool) => readonly Check[];

export interface DiagnoseOptions<Config> {
  readonly checks: ChecksOf<Config>;
  readonly log: Logger;
  /** Milliseconds for which the replica that asks has run; absent: none does. */
  readonly runsForMs?: number;
}

/**
 * Looks at all that a service needs, with connections of its own, and says what is not as it must be and what to do
 * about it. Changes nothing. The service need not run.
 */
export async function diagnose<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  config: Config,
  { log, checks, runsForMs = 0 }: DiagnoseOptions<Config>,
): Promise<readonly Finding[]> {
  let pool: pg.Pool;
  try {
    pool = openPool(service.name, config, log);
  } catch (error) {
    // The authorities of DATABASE_TLS_CA_FILE are read for the pool.
    const remedy = 'Mount the file where the variable says, readable for the user of the process.';
    const found = `No connection can be made: ${wordsOf(error)}. Nothing else was looked at.`;
    return [{ check: 'database', state: 'problem', found, remedy }];
  }
  try {
    return await carryOut([
      ...databaseChecks({
        pool,
        owner: ownerOf(service.name),
        migrations: service.migrations,
        connectionsMax: connectionsOf(config.databasePoolMax),
      }),
      keyCheck(service, config, pool),
      kafkaCheck(service.name, config.kafka, service.topics),
      ...consumerChecks({ pool, name: service.name, topics: service.topics, runsForMs }),
      certificateCheck(config),
      traceCheck(config),
      issuerCheck(config, log),
      ...checks(config, pool),
    ]);
  } finally {
    await pool.end();
  }
}

const openPool = (
  name: string,
  { databaseUrl, databaseUrlFile: urlFile }: PlatformConfig,
  log: Logger,
): pg.Pool =>
  postgresPool(databaseUrl, {
    name: `${name} doctor`,
    max: POOL_MAX,
    log,
    urlFile,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });

const keyCheck = <Config extends PlatformConfig, E extends Event>(
  { sealedColumns }: ServiceDefinition<Config, E>,
  { vaultKeys, vaultKeysFile: file }: Config,
  pool: pg.Pool,
): Check => ({
  name: 'key ring',
  needs: ['migrations'],
  remedy:
    'Put the keys that have sealed these rows back into VAULT_KEYS: without them the rows are lost. A key may go once `junction keys list` shows nothing that it has sealed.',
  async look() {
    const keys = file === undefined ? vaultKeys : readSecretFile(file);
    const ring = await openKeyRing(keySource(keys));
    await requireKeys(pool, ring, ringPlaces(sealedColumns));
    return `${ring.ids.join(', ')}: they open what is sealed.`;
  },
});
