import { describe, expect, it } from '@jest/globals';
import { world } from './shared-world.js';

const problem = (status: number, code: string) => ({ status, body: { status, code } });
const field = (name: string) => ({
  status: 400,
  body: { errors: expect.arrayContaining([expect.objectContaining({ field: name })]) },
});

describe('a user whose address is not verified, where that is required', () => {
  it('begins and finishes no connection', async () => {
    const { service, issuer, newPerson } = world();
    const claims = { email_verified: false };
    const token = issuer.userToken(newPerson().userId, { claims });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ auth_code: 'any' });
    const mailbox = `${service.url}/api/integrations/mailbox`;
    for (const response of [
      await fetch(`${mailbox}/authorize`, { headers }),
      await fetch(`${mailbox}/connect`, { method: 'POST', headers, body }),
    ]) {
      const answered = { status: response.status, body: await response.json() };
      expect(answered).toMatchObject(problem(403, 'email_unverified'));
    }
    expect((await fetch(mailbox, { headers })).status).toBe(200);
  });
});

describe('connecting a mailbox', () => {
  it('works with the code alone, and says what the provider did not give', async () => {
    const { service, provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    provider.alter(({ scope, ...answer }) => ({
      ...answer,
      scope: `${String(scope)} calendar.delete`,
      refresh_token: undefined,
    }));
    const { code } = await consent(person, 'calendar', ['calendar.readonly']);
    expect(await postCode(person, { auth_code: code }, 'calendar')).toMatchObject({
      status: 200,
      body: {
        success: true,
        status: 'connected',
        notices: [
          { code: 'missing_scopes', message: expect.stringContaining('calendar.events') },
          { code: 'unasked_scopes', message: expect.stringContaining(': calendar.delete.') },
          { code: 'no_refresh_token' },
        ],
      },
    });
    const { body } = await service.call(person.userId, 'GET', '/api/integrations/calendar');
    expect(body).toMatchObject({
      status: 'active',
      renewable: false,
      granted_scopes: ['calendar.readonly'],
      missing_scopes: ['calendar.events'],
    });
    const { accessToken } = await service.vend({ userId: person.userId, provider: 'calendar' });
    expect(accessToken).toMatch(/.{20}/);
  });
});

describe('users who come back from consent', () => {
  it('are connected while their provider gives its keys to nobody, of each kind', async () => {
    const { provider, newPerson, consent, connected, postCode } = world();
    await connected();
    const people = [newPerson(), newPerson(), newPerson()];
    const kinds = ['mailbox', 'mailbox', 'calendar'];
    const codes = await Promise.all(people.map(async (one, n) => consent(one, kinds[n])));
    await provider.control.reset();
    await provider.control.fail({ endpoint: 'jwks', calls: 10_000, status: 429, retryAfterS: 1 });
    const answers = await Promise.all(
      people.map(async (one, n) => postCode(one, { auth_code: codes[n]?.code }, kinds[n])),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await provider.control.calls()).toMatchObject({ token: 3, jwks: 0 });
  });

  it('may send their code several times', async () => {
    const { provider, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code: auth_code, state } = await consent(person);
    const send = async () => postCode(person, { auth_code, state });
    const [one, two] = await Promise.all([send(), send()]);
    expect(one).toMatchObject({ status: 200, body: { success: true, status: 'connected' } });
    for (const { body } of [two, await send()]) expect(body).toEqual(one.body);
    expect((await provider.control.calls()).token).toBe(1);
  });
});

describe('a bad request', () => {
  it('names the fields that are wrong', async () => {
    const { newPerson, postCode } = world();
    const person = newPerson();
    expect(await postCode(person, {})).toMatchObject(field('auth_code'));
    expect(await postCode(person, { auth_code: 7 })).toMatchObject(field('auth_code'));
    expect(await postCode(person, { auth_code: 'x', surprise: 1 })).toMatchObject(
      field('surprise'),
    );
    expect(await postCode(person, { auth_code: 'x', state: '' })).toMatchObject(field('state'));
  });

  it('is a 404 for an unknown provider and for what does not exist', async () => {
    const { service, newPerson } = world();
    const { userId } = newPerson();
    for (const [method, path] of [
      ['GET', '/fax'],
      ['DELETE', '/fax'],
      ['GET', '/fax/authorize'],
      ['GET', '/fax/history'],
      ['GET', '/constructor'],
    ] as const) {
      const answer = await service.call(userId, method, `/api/integrations${path}`);
      expect(answer).toMatchObject(problem(404, 'unknown_provider'));
    }
    const connect = await service.call(userId, 'POST', '/api/integrations/fax/connect', {
      json: { auth_code: 'x' },
    });
    expect(connect).toMatchObject(problem(404, 'unknown_provider'));
    expect((await service.call(userId, 'GET', '/api/integrations/mailbox/none')).status).toBe(404);
  });
});
