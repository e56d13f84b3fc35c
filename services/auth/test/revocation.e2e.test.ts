import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService, useDatabase } from '@junction/testing';
import { type Ask, askOf, logIn, signUp } from './http-client.js';
import { type StartedAuth, useAuth } from './started-auth.js';

const DISPATCHER = path.resolve(import.meta.dirname, '../../webhook-dispatcher/dist/src/main.js');
const SETUP_MS = 90_000;
const PROMISED_MS = 1_000;
const POLL_MS = 20;
const GIVE_UP_MS = 20_000;
const ROUNDS = 5;

const { stage } = useAuth();
const dispatcherDatabase = useDatabase();
const auths: StartedAuth[] = [];
const dispatchers: TestService[] = [];

beforeAll(async () => {
  const { service: auth, startAnother } = stage();
  auths.push(auth);
  dispatchers.push(await startDispatcher(auth, true));
  auths.push(await startAnother());
  dispatchers.push(await startDispatcher(auth, false));
}, SETUP_MS);
afterAll(async () => {
  await Promise.all(dispatchers.map((one) => one.end('SIGKILL')));
  await auths[1]?.dispose();
});

describe('a revoked session', () => {
  it('is refused by two replicas of auth and of another service within a second', async () => {
    const [first, second] = auths.map(({ url }) => askOf(() => url)) as [Ask, Ask];
    const [hook, otherHook] = dispatchers.map(({ url }) => askOf(() => url)) as [Ask, Ask];
    const entries: readonly (readonly [Ask, string])[] = [
      [first, '/api/auth/me'],
      [second, '/api/auth/me'],
      [hook, '/api/webhooks'],
      [otherHook, '/api/webhooks'],
    ];
    const slowest: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const mine = await signUp(first);
      const { accessToken: token, sessionId } = await logIn(second, mine);
      for (const [ask, url] of entries) expect((await ask('GET', url, { token })).status).toBe(200);

      const end = { token: mine.accessToken };
      expect((await first('DELETE', `/api/auth/sessions/${sessionId}`, end)).status).toBe(204);
      const endedAt = performance.now();
      const took = await Promise.all(
        entries.map(async ([ask, url]) => {
          await untilRefused(ask, url, token);
          return performance.now() - endedAt;
        }),
      );
      slowest.push(Math.max(...took));
      for (const [ask, url] of entries) {
        expect((await ask('GET', url, { token: mine.accessToken })).status).toBe(200);
      }
    }
    // The median: a busy machine may hold up any one round.
    expect(slowest.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(PROMISED_MS);
  });
});

async function untilRefused(ask: Ask, url: string, token: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const { status } = await ask('GET', url, { token });
    if (status === 401) return;
    if (performance.now() > giveUpAt) throw new Error(`${url} still answers ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const startDispatcher = async (
  { url, grpcAddress, verifier }: StartedAuth,
  migrates: boolean,
): Promise<TestService> =>
  startTestService({
    main: DISPATCHER,
    migrates,
    databaseVariable: 'WEBHOOKS_DATABASE_URL',
    database: dispatcherDatabase(),
    broker: stage().broker,
    env: {
      AUTH_JWKS_URL: `${url}/.well-known/jwks.json`,
      AUTH_TOKEN_URL: `${url}/oauth/token`,
      AUTH_GRPC_ADDRESS: grpcAddress,
      SERVICE_CLIENT_ID: verifier.id,
      SERVICE_CLIENT_SECRET: verifier.secret,
    },
  });
