import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type BreakableRoad,
  breakableRoad,
  eventually,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { askOf } from './http-client.js';
import { asTool } from './operator-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let road: BreakableRoad;
let auth: StartedAuth;
const ask = askOf(() => auth.url);
const get = (path: string) => asTool(auth, ask, { method: 'GET', path });

beforeAll(async () => {
  road = await breakableRoad(database().url);
  auth = await startAuth({ ...database(), url: road.url }, broker);
});
afterAll(async () => {
  await auth.dispose();
  await road.break();
});

it('health is answered while Postgres is away, and nothing else that cannot be recorded', async () => {
  expect((await get('health')).body).toEqual({ ready: true, failing: [] });
  await road.break();
  expect(await get('health')).toMatchObject({
    status: 200,
    body: { ready: false, failing: ['postgres'] },
  });
  for (const path of ['keys', 'users', 'streams', 'doctor', 'clients']) {
    expect([path, (await get(path)).status]).toEqual([path, 503]);
  }
  const rotated = await asTool(auth, ask, { method: 'POST', path: 'keys/rotate' });
  expect(rotated.status).toBe(503);
  await road.mend();
  await eventually(async () =>
    expect((await get('health')).body).toEqual({ ready: true, failing: [] }),
  );
});
