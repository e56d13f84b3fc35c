import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { walkConsent } from '@junction/dev-provider';
import { eventually } from '@junction/testing';
import { dripping, withClaims } from './faulty-provider.js';
import { type StartedIntegrations, startIntegrations } from './started-integrations.js';
import { type Person, useWorld } from './world.js';

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
    expect((await provider.control.calls()).token).toBe(1);

    const { body } = await service.call(person.userId, 'GET', '/api/integrations');
    expect(body).toEqual({ integrations: [] });
    const { rows } = await database.pool.query('select from connections where user_id = $1', [
      person.userId,
    ]);
    expect(rows).toEqual([]);
  });

  it('is refused without a call when it was used before, whoever brings it', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const [ada, bob] = [newPerson(), newPerson()];
    const { code, state } = await consent(ada);
    await consent(bob);
    expect((await postCode(ada, { auth_code: code, state })).status).toBe(200);

    for (const [person, json] of [
      [ada, { auth_code: code }],
      [ada, { auth_code: code, state }],
      [bob, { auth_code: code }],
    ] as const) {
      expect(await postCode(person, json)).toMatchObject(problem(400, 'invalid_auth_code'));
    }
    expect((await provider.control.calls()).token).toBe(1);
  });

  it('is refused when it was given to somebody else', async () => {
    const { service, provider, newPerson, consent, postCode } = world();
    const [ada, bob] = [newPerson(), newPerson()];
    const hers = await consent(ada);
    await consent(bob);
    expect(await postCode(bob, { auth_code: hers.code })).toMatchObject(
      problem(400, 'invalid_auth_code'),
    );
    expect((await provider.control.calls()).token).toBe(1);
    const { body } = await service.call(bob.userId, 'GET', '/api/integrations');
    expect(body).toEqual({ integrations: [] });
  });

  it('is refused without a call when nothing was begun', async () => {
    const { provider, newPerson, postCode } = world();
    const answer = await postCode(newPerson(), { auth_code: 'x' });
    expect(answer).toMatchObject(problem(400, 'invalid_auth_code'));
    expect((await provider.control.calls()).token).toBe(0);
  });

  it('is not used up by a wrong state or a wrong issuer', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state, iss } = await consent(person);
    const other = await consent(newPerson());
    for (const wrong of ['wrong', other.state]) {
      const answer = await postCode(person, { auth_code: code, state: wrong });
      expect(answer).toMatchObject(problem(400, 'invalid_state'));
    }
    const foreign = { auth_code: code, state, iss: 'https://other.example' };
    expect(await postCode(person, foreign)).toMatchObject(problem(400, 'invalid_issuer'));
    expect((await provider.control.calls()).token).toBe(0);
    expect((await postCode(person, { auth_code: code, state, iss })).status).toBe(200);
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
    // What was issued for it all the same does not live on.
    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });
});

describe('an issuer that is not the one asked', () => {
  const ATTACKER = 'https://attacker.example';

  it('in an id_token is refused, and what was issued with it does not live on', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state, iss } = await consent(person);
    provider.alter(({ id_token, ...answer }) => ({
      ...answer,
      id_token: withClaims(String(id_token), { iss: ATTACKER }),
    }));
    expect(await postCode(person, { auth_code: code, state, iss })).toMatchObject(
      problem(400, 'invalid_auth_code'),
    );
    expect(await current(person)).toMatchObject({ connected: false });
    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });

  it('in the description of a provider keeps it from being used, and no code goes there', async () => {
    const { surroundings, provider, newPerson, consent } = world();
    const person = newPerson();
    const { code: auth_code } = await consent(person);
    provider.describe((description) => ({ ...description, issuer: ATTACKER }));
    const alone = await startIntegrations(surroundings);
    try {
      const asked = async (method: string, path: string, json?: object) =>
        alone.call(person.userId, method, `/api/integrations/mailbox/${path}`, { json });
      const unusable = problem(503, 'provider_unavailable');
      expect(await asked('GET', 'authorize')).toMatchObject(unusable);
      expect(await asked('POST', 'connect', { auth_code })).toMatchObject(unusable);
      expect((await provider.control.calls()).token).toBe(0);
      await eventually(() => {
        const said = alone
          .logs()
          .split('\n')
          .filter((line) => line.includes('issuer_mismatch'));
        expect(said.filter((line) => line.includes(`"found_issuer":"${ATTACKER}"`))).toEqual([
          expect.stringContaining(`"issuer":"${provider.issuer}"`),
        ]);
      });

      provider.describe();
      expect((await asked('POST', 'connect', { auth_code })).status).toBe(200);
    } finally {
      await alone.end('SIGTERM');
    }
  });
});

type Refusal = readonly [code: string, calls: number];

/** What is posted, by whom, after an attacker has done what can be done from outside. */
interface Attack {
  readonly victim: Person;
  readonly json: { readonly auth_code: string; readonly state?: string; readonly iss?: string };
}

const ATTACKS: Readonly<Record<string, readonly [Refusal, () => Promise<Attack>]>> = {
  'a state used before, with a fresh code': [
    ['invalid_state', 1],
    async () => {
      const { newPerson, consent, postCode } = world();
      const victim = newPerson();
      const { code, state } = await consent(victim);
      const fresh = await consent(victim);
      await postCode(victim, { auth_code: code, state });
      return { victim, json: { auth_code: fresh.code, state } };
    },
  ],
  'a state that has expired': [
    ['invalid_state', 0],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { code: auth_code, state } = await consent(victim);
      await expire(victim);
      return { victim, json: { auth_code, state } };
    },
  ],
  'a code alone whose authorization has expired': [
    ['invalid_auth_code', 0],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { code: auth_code } = await consent(victim);
      await expire(victim);
      return { victim, json: { auth_code } };
    },
  ],
  'the state of the other provider': [
    ['invalid_state', 0],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { code: auth_code } = await consent(victim);
      const { state } = await consent(victim, 'calendar');
      return { victim, json: { auth_code, state } };
    },
  ],
  'a code under the state of another authorization of the same user': [
    ['invalid_auth_code', 1],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { code: auth_code } = await consent(victim);
      const { state } = await consent(victim);
      return { victim, json: { auth_code, state } };
    },
  ],
  'log-in CSRF: the whole answer that somebody else began': [
    ['invalid_state', 0],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      await consent(victim);
      const { code: auth_code, state, iss } = await consent(newPerson());
      return { victim, json: { auth_code, state, iss } };
    },
  ],
  "code injection: somebody else's code under the user's own state": [
    ['invalid_auth_code', 1],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { state, iss } = await consent(victim);
      const { code: auth_code } = await consent(newPerson());
      return { victim, json: { auth_code, state, iss } };
    },
  ],
  'mix-up: a good code with the issuer of another provider': [
    ['invalid_issuer', 0],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { code: auth_code, state } = await consent(victim);
      return { victim, json: { auth_code, state, iss: 'https://attacker.example' } };
    },
  ],
  'mix-up without an issuer: the code of another client': [
    ['invalid_auth_code', 1],
    async () => {
      const { newPerson, consent } = world();
      const victim = newPerson();
      const { state } = await consent(victim);
      const { code: auth_code } = await consent(victim, 'calendar');
      return { victim, json: { auth_code, state } };
    },
  ],
  "a code made for the attacker's own PKCE challenge": [
    ['invalid_auth_code', 1],
    async () => {
      const { newPerson } = world();
      const victim = newPerson();
      const { code: auth_code, state } = await consentAt(victim, (asked) =>
        asked.set('code_challenge', createHash('sha256').update('mine').digest('base64url')),
      );
      return { victim, json: { auth_code: auth_code ?? '', state: state ?? '' } };
    },
  ],
};

describe('an attack', () => {
  it.each(Object.entries(ATTACKS))('%s connects nobody', async (_, [[code, calls], attack]) => {
    const { service, provider, postCode } = world();
    const { victim, json } = await attack();
    const before = await current(victim);
    expect(await postCode(victim, json)).toMatchObject(problem(400, code));
    expect((await provider.control.calls()).token).toBe(calls);
    expect(await current(victim)).toEqual(before);
    expect((await service.call(victim.userId, 'GET', '/api/integrations/calendar')).body).toEqual({
      provider: 'calendar',
      connected: false,
      status: 'not_connected',
    });
  });

  it.each([
    ['without a PKCE challenge', (asked: URLSearchParams) => asked.delete('code_challenge')],
    ['with a plain one', (asked: URLSearchParams) => asked.set('code_challenge_method', 'plain')],
  ])('that asks the provider %s gets no code', async (_, downgrade) => {
    const { code, error } = await consentAt(world().newPerson(), downgrade);
    expect({ code, error }).toEqual({ code: undefined, error: 'invalid_request' });
  });
});

describe('an address to return to', () => {
  it.each([
    'https://evil.example/here',
    `${HERE}/`,
    `${HERE}/../evil`,
    `${HERE}?x=1`,
    `${HERE}#x`,
    `${HERE}.evil.example`,
    'https://app.example',
    'https://APP.example/here',
    'https://app.example:443/here',
    'https://app.example@evil.example/here',
    'https://app.example.evil.example/here',
    'http://app.example/here',
    '//app.example/here',
    'javascript:alert(1)',
    `${HERE},${THERE}`,
    THERE.split('?')[0] ?? '',
  ])('%s is refused when it is not on the list to the letter', async (returnTo) => {
    const { database, newPerson } = world();
    const person = newPerson();
    expect(await begin(person, `return_to=${encodeURIComponent(returnTo)}`)).toMatchObject({
      ...problem(400, 'return_to_not_allowed'),
      body: { errors: [{ field: 'return_to' }] },
    });
    const { rows } = await database.pool.query(
      'select from pending_authorizations where user_id = $1',
      [person.userId],
    );
    expect(rows).toEqual([]);
  });

  it('is one', async () => {
    const two = `return_to=${encodeURIComponent(HERE)}&return_to=${encodeURIComponent(THERE)}`;
    expect((await begin(world().newPerson(), two)).status).toBe(400);
  });

  it('is told to whoever holds the state that it was begun with, until that is used', async () => {
    const { newPerson, postCode } = world();
    const [ada, eve] = [newPerson(), newPerson()];
    const query = `return_to=${encodeURIComponent(HERE)}`;
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

  it('is not told for a state that was forged, begun without one, or at another provider', async () => {
    const { newPerson } = world();
    const without = await begin(newPerson(), '');
    const hers = await begin(newPerson(), `return_to=${encodeURIComponent(HERE)}`);
    const state = String(hers.body['state']);
    for (const other of [String(without.body['state']), `${state}x`, state.slice(1), HERE]) {
      expect(await returnTo(other)).toEqual({ return_to: null });
    }
    expect(await returnTo(state, 'calendar')).toEqual({ return_to: null });
  });

  it('counts no more when it is taken off the list', async () => {
    const { database, newPerson } = world();
    const person = newPerson();
    const begun = await begin(person, `return_to=${encodeURIComponent(HERE)}`);
    await database.pool.query(
      'update pending_authorizations set return_to = $2 where user_id = $1',
      [person.userId, 'https://gone.example/'],
    );
    expect(await returnTo(String(begun.body['state']))).toEqual({ return_to: null });
  });

  it('is not taken from whoever asks', async () => {
    const { service } = world();
    const path = '/api/integrations/mailbox/return-to';
    for (const json of [{}, { state: ['s'] }, { state: 's', return_to: HERE }]) {
      expect((await service.call(undefined, 'POST', path, { json })).status).toBe(400);
    }
  });
});

const begin = async ({ userId }: Person, query: string) =>
  world().service.call(userId, 'GET', `/api/integrations/mailbox/authorize?${query}`);

/** As the callback page asks: nobody is signed in there. */
const returnTo = async (state: string, provider = 'mailbox') => {
  const path = `/api/integrations/${provider}/return-to`;
  return (await world().service.call(undefined, 'POST', path, { json: { state } })).body;
};

const current = async ({ userId }: Person) =>
  (await world().service.call(userId, 'GET', '/api/integrations/mailbox')).body;

const expire = async ({ userId }: Person) =>
  world().database.pool.query(
    'update pending_authorizations set expires_at = now() where user_id = $1',
    [userId],
  );

/** Consent to another authorization URL than the one that was handed out. */
async function consentAt(
  { userId, email }: Person,
  change: (asked: URLSearchParams) => void,
): Promise<Readonly<Record<string, string | undefined>>> {
  const begun = await world().service.call(userId, 'GET', '/api/integrations/mailbox/authorize');
  const url = new URL(String(begun.body['authorization_url']));
  change(url.searchParams);
  const back = await walkConsent(url, { email, password: 'any', allow: true });
  return Object.fromEntries(back.searchParams);
}

describe('a provider that is down', () => {
  it('is a 503 with Retry-After, and the code is used up if it may have arrived', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state } = await consent(person);
    await provider.control.fail({ endpoint: 'token', calls: 1, status: 503 });

    const down = await postCode(person, { auth_code: code, state });
    expect(down).toMatchObject(problem(503, 'provider_unavailable'));
    expect(Number(down.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(down.body['detail']).toContain('authorize');

    expect(await postCode(person, { auth_code: code, state })).toMatchObject(
      problem(400, 'invalid_auth_code'),
    );
    expect((await provider.control.calls()).token).toBe(1);
  });

  it('that wants to be left alone says for how long, and the user hears it', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state } = await consent(person);
    await provider.control.fail({ endpoint: 'token', calls: 1, status: 429, retryAfterS: 1_800 });
    const busy = await postCode(person, { auth_code: code, state });
    expect(busy).toMatchObject(problem(503, 'provider_unavailable'));
    expect(busy.headers.get('retry-after')).toBe('1800');
    expect((await provider.control.calls()).token).toBe(1);
  });

  it('while it answers is cut off, and what it had given is given back', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state } = await consent(person);
    const cut = new Promise<void>((onCut) => {
      provider.alter((answer) => dripping(answer, onCut));
    });
    const late = await postCode(person, { auth_code: code, state });
    expect(late).toMatchObject(problem(503, 'provider_unavailable'));
    expect(late.body['detail']).toContain('(timeout)');
    await cut;
    expect(await current(person)).toMatchObject({ connected: false });
    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });

  it('leaves a code unused that it surely never saw', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code, state } = await consent(person);
    await provider.hangUp();
    try {
      const down = await postCode(person, { auth_code: code, state });
      expect(down).toMatchObject(problem(503, 'provider_unavailable'));
      expect(down.body['detail']).toContain('not used up');
    } finally {
      await provider.answerAgain();
    }
    expect((await postCode(person, { auth_code: code, state })).status).toBe(200);
  });

  it('keeps nobody from starting; authorize and connect say so until it comes back', async () => {
    const { surroundings, provider, newPerson } = world();
    const { userId } = newPerson();
    await provider.hangUp();
    let alone: StartedIntegrations | undefined;
    try {
      alone = await startIntegrations(surroundings);
      for (const [method, path, options] of [
        ['GET', 'authorize', {}],
        ['POST', 'connect', { json: { auth_code: 'x' } }],
      ] as const) {
        const answer = await alone.call(
          userId,
          method,
          `/api/integrations/mailbox/${path}`,
          options,
        );
        expect(answer).toMatchObject(problem(503, 'provider_unavailable'));
        expect(answer.body['detail']).toContain('did not answer as it should (unreachable)');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await provider.answerAgain();
      const begun = await alone.call(userId, 'GET', '/api/integrations/mailbox/authorize');
      expect(begun.status).toBe(200);
    } finally {
      await provider.answerAgain();
      await alone?.end('SIGTERM');
    }
  });
});
