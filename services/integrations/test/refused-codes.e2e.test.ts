import { describe, expect, it } from '@jest/globals';
import { walkConsent } from '@junction/dev-servers/provider';
import { eventually } from '@junction/testing';
import { type Consent, type Person, useWorld } from './world.js';

const HERE = 'https://app.example/here';
const THERE = 'https://app.example/there?from=junction';
const world = useWorld({ CONNECT_RETURN_TO: `${HERE}, ${THERE}` });

const problem = (status: number, code: string) => ({ status, body: { status, code } });

describe('a code that is not good', () => {
  it('is refused after one call when it was made up, and stores nothing', async () => {
    const { service, provider, database, newPerson, consent, postCode } = world();
    const person = newPerson();
    await consent(person);
    const answer = await postCode(person, { auth_code: 'made-up' });
    expect(answer).toMatchObject(problem(400, 'invalid_auth_code'));
    expect(answer.body['detail']).toContain('/api/integrations/mailbox/authorize');
    expect(answer.headers.get('ratelimit-policy')).toBe('"api";q=1000;w=10, "codes";q=20;w=600');
    expect(answer.headers.get('ratelimit')).toMatch(/, "codes";r=19;t=600$/);
    expect((await provider.control.calls()).token).toBe(1);

    const { body } = await service.call(person.userId, 'GET', '/api/integrations');
    expect(body).toEqual({ integrations: [] });
    const { rows } = await database.pool.query('select from connections where user_id = $1', [
      person.userId,
    ]);
    expect(rows).toEqual([]);
  });

  it('is refused when its answer was made for another authorization', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const [person, other] = [newPerson(), newPerson()];
    const theirs = await consent(other);
    let stolen: unknown;
    provider.alter((answer) => {
      stolen = answer['id_token'];
      return answer;
    });
    await postCode(other, { auth_code: theirs.code });

    provider.alter((answer) => ({ ...answer, id_token: stolen }));
    const { code } = await consent(person);
    expect(await postCode(person, { auth_code: code })).toMatchObject(
      problem(400, 'invalid_auth_code'),
    );
    // Tokens that were issued for the refused code are revoked.
    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });
});

describe('an application that the provider refuses', () => {
  it('ends no connection, sends nobody to the beginning, and is told to operators once', async () => {
    const { service, provider, connected, newPerson, consent, postCode } = world();
    const people = [await connected(), await connected()];
    const person = newPerson();
    const { code: auth_code } = await consent(person);
    const fault = { endpoint: 'token', calls: 100, status: 401 } as const;
    await provider.control.fail({ ...fault, error: 'disabled_client' });
    for (const { userId } of people) {
      await expect(service.vend({ userId, minLifetimeS: 86_400 })).rejects.toThrow('UNAVAILABLE');
      // The token that there is serves on.
      await service.vend({ userId });
      const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
      const reason = 'disabled_client';
      expect(body).toMatchObject({ connected: true, status: 'degraded', status_reason: reason });
    }

    await provider.control.fail({ ...fault, error: 'redirect_uri_mismatch' });
    const refused = await postCode(person, { auth_code });
    expect(refused).toMatchObject(problem(503, 'provider_unavailable'));
    expect(refused.body['detail']).toContain('to begin again does not help');
    for (const reason of ['disabled_client', 'redirect_uri_mismatch']) {
      const told = service
        .logs()
        .split('\n')
        .filter((line) => line.includes(`"${reason}"`));
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('the provider and our settings for it do not fit');
    }
    // Connections that are degraded are refreshed again and again, and other tests count calls.
    for (const { userId } of people) {
      await service.call(userId, 'DELETE', '/api/integrations/mailbox');
    }
  });
});

describe('an attack', () => {
  /** Requests of a user who has started an authorization, and with it those of an attacker who has started another. */
  it.each([
    [
      'log-in CSRF: the whole answer that somebody else began',
      ['invalid_state', 0],
      (_: Consent, theirs: Consent) => theirs,
    ],
    [
      "code injection: somebody else's code under the user's own state",
      ['invalid_auth_code', 1],
      (own: Consent, { code }: Consent) => ({ ...own, code }),
    ],
    [
      'mix-up: a good code with the issuer of another provider',
      ['invalid_issuer', 0],
      (own: Consent) => ({ ...own, iss: 'https://attacker.example' }),
    ],
    [
      'mix-up without an issuer: the code of another client',
      ['invalid_auth_code', 1],
      ({ state }: Consent, _: Consent, { code }: Consent) => ({ code, state }),
    ],
  ] as const)('%s connects nobody', async (_, [refusal, calls], presented) => {
    const { service, provider, newPerson, consent, postCode } = world();
    const victim = newPerson();
    const own = await consent(victim);
    const theirs = await consent(newPerson());
    const elsewhere = await consent(victim, 'calendar');
    const { code: auth_code, ...rest } = presented(own, theirs, elsewhere);
    expect(await postCode(victim, { auth_code, ...rest })).toMatchObject(problem(400, refusal));
    expect((await provider.control.calls()).token).toBe(calls);
    const { body } = await service.call(victim.userId, 'GET', '/api/integrations');
    expect(body).toEqual({ integrations: [] });
  });
});

describe('an address to return to', () => {
  it('is one of the list, and told to whoever holds the state that it was begun with, until that is used', async () => {
    const { newPerson, postCode } = world();
    const [ada, eve] = [newPerson(), newPerson()];
    const query = `return_to=${encodeURIComponent(HERE)}`;
    expect(await begin(ada, `${query}%2F`)).toMatchObject({
      ...problem(400, 'return_to_not_allowed'),
      body: { errors: [{ field: 'return_to' }] },
    });
    const hers = await begin(ada, query);
    const state = String(hers.body['state']);
    const others = await begin(eve, `return_to=${encodeURIComponent(THERE)}`);
    expect(await returnTo(state)).toEqual({ return_to: HERE });
    expect(await returnTo(String(others.body['state']))).toEqual({ return_to: THERE });

    const back = await walkConsent(String(hers.body['authorization_url']), {
      email: ada.email,
      password: 'any',
      allow: true,
    });
    expect(back.searchParams.get('state')).toBe(state);
    const code = { auth_code: back.searchParams.get('code'), state };
    expect(await postCode(eve, code)).toMatchObject(problem(400, 'invalid_state'));
    expect((await postCode(ada, code)).status).toBe(200);
    expect(await returnTo(state)).toEqual({ return_to: null });
  });
});

const begin = async ({ userId }: Person, query: string) =>
  world().service.call(userId, 'GET', `/api/integrations/mailbox/authorize?${query}`);

/** Asks as the callback page does, without a session. */
const returnTo = async (state: string) => {
  const path = '/api/integrations/mailbox/return-to';
  const json = { state, identity_provider: 'acme' };
  return (await world().service.call(undefined, 'POST', path, { json })).body;
};
