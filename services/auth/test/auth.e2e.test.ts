import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { apiKeyCases } from './cases/api-keys.js';
import { browserSessionCases } from './cases/browser-session.js';
import { operatorCases } from './cases/operators.js';
import { PORTAL_ORIGINS, portalLinkCases } from './cases/portal-links.js';
import { secondFactorCases } from './cases/second-factor.js';
import { serviceTokenCases } from './cases/service-tokens.js';
import { signInCases } from './cases/sign-in.js';
import { signOutCases } from './cases/sign-out.js';
import { stolenSessionCases } from './cases/stolen-session.js';
import { newCredentials, signUp } from './http-client.js';
import { asTool } from './operator-client.js';
import { useAuth } from './started-auth.js';

// A single process serves all cases. A case that needs other settings is in a file of its own.
const started = useAuth(() => ({ PORTAL_ORIGINS }));

operatorCases(started);
signInCases(started);
browserSessionCases(started);
secondFactorCases(started);
stolenSessionCases(started);
apiKeyCases(started);
serviceTokenCases(started);
portalLinkCases(started);
signOutCases(started);

// Last: nothing else is answered meanwhile.
describe('while Postgres is away', () => {
  it('users are told to come back, and the published keys are served', async () => {
    const { ask, stage } = started;
    const { road } = stage().around;
    const { accessToken: token, refreshToken: refresh_token } = await signUp(ask);
    await road.break();
    for (const answer of [
      await ask('GET', '/api/auth/me', { token }),
      await ask('POST', '/api/auth/refresh', { json: { refresh_token } }),
      await ask('POST', '/api/auth/register', { json: newCredentials() }),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { status: 503 } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await ask('GET', '/.well-known/jwks.json')).status).toBe(200);
    expect((await ask('GET', '/internal/health/live')).status).toBe(200);
    await road.mend();
    await eventually(async () =>
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200),
    );
  });

  it('health is answered, and nothing else that cannot be recorded', async () => {
    const get = (path: string) => asTool(started.auth(), started.ask, { method: 'GET', path });
    expect((await get('health')).body).toEqual({ ready: true, failing: [] });
    await started.stage().around.road.break();
    expect(await get('health')).toMatchObject({
      status: 200,
      body: { ready: false, failing: ['postgres'] },
    });
    for (const path of ['keys', 'users', 'streams', 'doctor', 'clients']) {
      expect([path, (await get(path)).status]).toEqual([path, 503]);
    }
    const rotation = { method: 'POST', path: 'keys/rotate' } as const;
    expect((await asTool(started.auth(), started.ask, rotation)).status).toBe(503);
    await started.stage().around.road.mend();
    await eventually(async () =>
      expect((await get('health')).body).toEqual({ ready: true, failing: [] }),
    );
  });
});
