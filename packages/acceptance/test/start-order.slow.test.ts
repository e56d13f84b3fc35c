import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { newSite, readEndpoints, type Site, tellStory } from '@junction/demo';
import {
  gatewayProgram,
  migrationJob,
  type NodeProgram,
  openDatabases,
  providerPrograms,
  type Running,
  runNode,
  type Served,
  type ServiceName,
  serviceProgram,
  startKafka,
  startPostgres,
  topicsJob,
  writeEndpoints,
} from '@junction/local-stack';
import { eventually } from '@junction/testing';
import { Client } from 'pg';

const MINUTE = 60_000;
const DEPENDANTS = ['integrations', 'webhooks'] as const;
const AUTH = ['auth keys', 'auth grpc'];

jest.setTimeout(4 * MINUTE);

let site: Site;

beforeAll(async () => {
  site = await newSite(process.env);
});

afterAll(async () => {
  await site?.close();
});

it('the start order does not matter: each service waits for what it needs, says for what, and turns ready by itself', async () => {
  const { world } = site;
  const signal = AbortSignal.timeout(4 * MINUTE);
  const readyLater: Promise<Running>[] = [];
  const start = (program: Served) => void readyLater.push(site.start(program));

  for (const service of DEPENDANTS) start(serviceProgram(world, service));
  start(gatewayProgram(world));
  await Promise.all(providerPrograms(world).map(site.start));
  await everybodyWaitsFor(['postgres']);
  await saysOnItsLog('"check":"postgres"');
  const early = migrationJob(world, 'webhooks');
  const migratedWhenThere = runNode(early, signal);
  await says(early, 'migrate waits for Postgres');

  const { KAFKA_PORT, POSTGRES_PORT } = world.ports;
  const kafka = await startKafka({ dataDir: world.dataDir, port: KAFKA_PORT });
  site.closeLater(() => kafka.stop());
  await everybodyWaitsFor(['postgres']);

  const postgres = await startPostgres({ dataDir: world.dataDir, port: POSTGRES_PORT });
  site.closeLater(() => postgres.stop());
  await openDatabases(postgres.adminUrl, {}, world.secrets);
  await waitsFor('integrations', ['schema']);
  await says(serviceProgram(world, 'integrations').child, 'has not been run');

  await runNode(migrationJob(world, 'integrations'), signal);
  await migratedWhenThere;
  await everybodyWaitsFor([...AUTH, 'revocations']);
  await runNode(topicsJob(world), signal);
  await everybodyWaitsFor(AUTH, { andNothingElse: true });
  await saysOnItsLog('"failing":["auth keys","auth grpc"]');

  start(serviceProgram(world, 'auth'));
  await waitsFor('auth', ['schema']);
  const migration = migrationJob(world, 'auth');
  await setStandbys(postgres.adminUrl, 'standby');
  const migrated = runNode(migration, signal);
  await says(migration, 'A commit waits for a synchronous standby');
  await setStandbys(postgres.adminUrl, '');
  await migrated;
  // The gateway and auth besides.
  expect(await Promise.all(readyLater)).toHaveLength(DEPENDANTS.length + 2);

  writeEndpoints(world);
  await setStandbys(postgres.adminUrl, 'standby');
  const told = tellStory(readEndpoints(world.dataDir), () => undefined).catch(() => undefined);
  await says(serviceProgram(world, 'auth').child, 'A commit waits for a synchronous standby');
  await setStandbys(postgres.adminUrl, '');
  await told;
  await tellStory(readEndpoints(world.dataDir), () => undefined);
});

const everybodyWaitsFor = async (...[checks, how]: DropFirst<Parameters<typeof waitsFor>>) =>
  Promise.all(DEPENDANTS.map(async (service) => waitsFor(service, checks, how)));

type DropFirst<T extends unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never;

async function waitsFor(
  service: ServiceName,
  checks: readonly string[],
  { andNothingElse = false } = {},
): Promise<void> {
  const { readyUrl } = serviceProgram(site.world, service);
  await eventually(
    async () => {
      const answer = await fetch(readyUrl);
      const { failing } = (await answer.json()) as { failing: string[] };
      expect(answer.status).toBe(503);
      expect(failing).toEqual(expect.arrayContaining([...checks]));
      if (andNothingElse) expect(failing).toHaveLength(checks.length);
    },
    { deadlineMs: MINUTE },
  );
}

async function saysOnItsLog(words: string): Promise<void> {
  for (const service of DEPENDANTS) await says(serviceProgram(site.world, service).child, words);
}

async function says({ logsDir, name }: NodeProgram, words: string): Promise<void> {
  const log = path.join(logsDir, `${name}.log`);
  await eventually(() => expect(readFileSync(log, 'utf8')).toContain(words), {
    deadlineMs: MINUTE / 2,
  });
}

/** Names the standbys that a commit waits for; there are none. */
async function setStandbys(adminUrl: string, names: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`alter system set synchronous_standby_names = '${names}'`);
  await admin.query('select pg_reload_conf()');
  await admin.end();
}
