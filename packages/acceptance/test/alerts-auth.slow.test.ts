import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newSite, type Person, type Site, signUp } from '@junction/demo';
import {
  addresses,
  migrationJob,
  runNode,
  serviceProgram,
  startKafka,
  topicsJob,
} from '@junction/local-stack';
import {
  apiAt,
  type CertificateAuthority,
  certificateAuthority,
  type SmallDisk,
  startSmallDisk,
} from '@junction/testing';
import pg from 'pg';
import { type Alerting, MINUTE, startAlerting } from './alerting.js';

const DAY_MS = 86_400_000;
/** Pages that are there already take a few more rows. */
const KEYS_MAX = 200;

jest.setTimeout(5 * MINUTE);

let site: Site;
let disk: SmallDisk;
let authority: CertificateAuthority;
let alerting: Alerting;
let ada: Person;

/** Auth alone, whose database lies on a small disk and whose certificate ends in ten days. */
beforeAll(async () => {
  site = await newSite(process.env);
  disk = await startSmallDisk();
  site.closeLater(() => disk.stop());
  authority = await certificateAuthority();
  site.closeLater(() => authority.close());
  const { dataDir, ports, databaseUrls, outer } = site.world;
  const kafka = await startKafka({ dataDir, port: ports.KAFKA_PORT });
  site.closeLater(() => kafka.stop());
  const world = {
    ...site.world,
    databaseUrls: { ...databaseUrls, auth: disk.url },
    outer: {
      ...outer,
      GRPC_TLS_CERT_FILE: path.join(dataDir, 'tls.crt'),
      GRPC_TLS_KEY_FILE: path.join(dataDir, 'tls.key'),
    },
  };
  await issue(10);
  const signal = AbortSignal.timeout(2 * MINUTE);
  await runNode(topicsJob(world), signal);
  await runNode(migrationJob(world, 'auth'), signal);
  await site.start(serviceProgram(world, 'auth'));
  const { auth } = addresses(world).http;
  alerting = await startAlerting([auth]);
  ada = await signUp(apiAt(auth));
});

afterAll(async () => {
  await alerting?.stop();
  await site?.close();
});

describe('the expression of an alert turns true when', () => {
  it('a certificate is not renewed: JunctionCertificateEnds', async () => {
    await alerting.becomes('JunctionCertificateEnds', true);
    await issue(90);
    await alerting.becomes('JunctionCertificateEnds', false);
    // Auth went on with the new certificate, without a restart.
    expect((await ada.call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('the disk of a database is full: JunctionDiskFull', async () => {
    expect(await alerting.trueOf('JunctionDiskFull')).toEqual([]);
    await disk.fill();
    expect(await firstRefusal()).toBe(503);
    await alerting.becomes('JunctionDiskFull', true);
    expect(await largestTables()).not.toEqual([]);
    await disk.free();
    await alerting.becomes('JunctionDiskFull', false);
  });
});

/** The certificate of auth from now on, which ends in so many days. */
async function issue(days: number): Promise<void> {
  const { cert, key } = await authority.issue({
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  });
  writeFileSync(path.join(site.world.dataDir, 'tls.key'), key, { mode: 0o600 });
  writeFileSync(path.join(site.world.dataDir, 'tls.crt'), cert);
}

/** The status of the first answer to something that is to be stored and is not. */
async function firstRefusal(): Promise<number> {
  for (let n = 0; n < KEYS_MAX; n++) {
    const { status } = await ada.call('POST', '/api/auth/api-keys', { json: { name: 'laptop' } });
    if (status !== 201) return status;
  }
  throw new Error(`${KEYS_MAX} keys were stored on a full disk.`);
}

/** Runs the query of the runbook while the disk is full. */
async function largestTables(): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: disk.url });
  await client.connect();
  try {
    await client.query(
      `select slot_name, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots`,
    );
    const { rows } = await client.query<object>(
      `select relname, pg_size_pretty(pg_total_relation_size(oid)) from pg_class
        order by pg_total_relation_size(oid) desc limit 20`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
