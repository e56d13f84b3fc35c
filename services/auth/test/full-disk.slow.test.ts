import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { verifyStreams } from '@junction/eventsourcing/postgres';
import { eventually, type SmallDisk, startSmallDisk, useBroker } from '@junction/testing';
import { Pool } from 'pg';
import { askOf, logIn, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const MINUTE = 60_000;
const KEYS_MAX = 200;

const broker = useBroker();
let disk: SmallDisk;
let pool: Pool;
let auth: StartedAuth;
let person: Person;

beforeAll(async () => {
  disk = await startSmallDisk();
  pool = new Pool({ connectionString: disk.url, pipeline: true });
  pool.on('error', () => undefined);
  await authSchema.migrate(disk.url);
  auth = await startAuth({ url: disk.url, pool }, broker);
  person = await signUp(ask);
}, 2 * MINUTE);
afterAll(async () => {
  await auth?.dispose();
  await pool?.end();
  await disk?.stop();
}, MINUTE);

const ask = askOf(() => auth.url);
const newKey = () =>
  ask('POST', '/api/auth/api-keys', { token: person.accessToken, json: { name: 'laptop' } });
const readiness = () => ask('GET', '/internal/health/ready');

it(
  'a full disk refuses what would be stored, with 503; the service stays, says so, and goes on by itself',
  async () => {
    await disk.fill();
    const refused = await firstRefused();
    expect(refused).toMatchObject({ status: 503, body: { status: 503 } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await readiness()).toMatchObject({ status: 503, body: { failing: ['disk'] } });
    expect(await metrics()).toContain(
      'junction_health_check_failing{check="disk",service="auth"} 1',
    );
    // Requests that only read are answered.
    expect((await ask('GET', '/api/auth/me', { token: person.accessToken })).status).toBe(200);

    await disk.free();
    await eventually(async () => expect((await readiness()).status).toBe(200));
    expect(await metrics()).not.toContain('junction_health_check_failing{');
    expect(auth.logs()).toContain('the disk of the database has room again');
    expect((await newKey()).status).toBe(201);
    await expect(logIn(ask, person)).resolves.toBeDefined();
    expect(await verifyStreams(pool)).toMatchObject({ problems: [] });
    expect(auth.logs()).toMatch(/the disk of the database is full/);
    expect(auth.logs()).not.toMatch(/"level":"fatal"/);
  },
  2 * MINUTE,
);

/** Pages that are there already take a few more rows. */
async function firstRefused() {
  for (let n = 0; n < KEYS_MAX; n++) {
    const answer = await newKey();
    if (answer.status !== 201) return answer;
  }
  throw new Error(`${KEYS_MAX} keys were stored on a full disk.`);
}

const metrics = async (): Promise<string> => (await fetch(`${auth.url}/internal/metrics`)).text();
