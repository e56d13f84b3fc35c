import { afterEach, describe, expect, it } from '@jest/globals';
import { ISSUER, SESSION_ID, USER_ID } from '../../test/issuer.js';
import { closeOpened } from '../../test/loopback.js';
import { GOOD_KEY, userServer } from '../../test/user-server.js';
import type { AuthenticateUserOptions } from './authenticate-user.js';
import { ACCESS_COOKIE } from './browser-session.js';

afterEach(closeOpened);

const OURS = { 'sec-fetch-site': 'same-origin', 'x-junction-csrf': '1' };
const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN = { status: 401, body: { code: 'invalid_token' } };
const lacking = (what: RegExp) => ({
  status: 403,
  body: { code: 'csrf_check_failed', detail: expect.stringMatching(what) },
});

describe('a browser session', () => {
  it('lets its user read, with nothing but the cookie', async () => {
    const { browse } = await server();
    expect(await browse('GET')).toMatchObject({
      status: 200,
      body: { kind: 'user', userId: USER_ID, via: 'jwt', sessionId: SESSION_ID },
    });
    expect((await browse('HEAD')).status).toBe(200);
  });

  it('is found among other cookies', async () => {
    const { send, userToken } = await server();
    const cookie = `theme=dark; x${ACCESS_COOKIE}=x;${ACCESS_COOKIE}=${await userToken()}; a`;
    expect((await send({ cookie })).status).toBe(200);
  });

  it('with two cookies of its name is refused, whichever is good', async () => {
    const { send, userToken } = await server();
    const good = `${ACCESS_COOKIE}=${await userToken()}`;
    for (const cookie of [`${good}; ${ACCESS_COOKIE}=x`, `${ACCESS_COOKIE}=;${good}`]) {
      expect(await send({ cookie })).toMatchObject({
        status: 400,
        body: { code: 'ambiguous_cookie', detail: expect.stringContaining(ACCESS_COOKIE) },
      });
    }
  });

  it.each(['', 'nonsense', GOOD_KEY])('with "%s" for a token is refused', async (value) => {
    const { send } = await server();
    expect(await send({ cookie: `${ACCESS_COOKIE}=${value}` })).toMatchObject(UNKNOWN);
  });

  it('is over once it is revoked', async () => {
    const { browse } = await server({ revoked: async (ids) => ids.includes(SESSION_ID) });
    expect(await browse('GET')).toMatchObject(UNKNOWN);
  });

  it('is not looked at beside an Authorization header', async () => {
    const { send, browse, userToken } = await server();
    expect(await browse('GET', { authorization: 'Bearer nonsense' })).toMatchObject(UNKNOWN);
    const authorization = `Bearer ${await userToken()}`;
    const cookie = `${ACCESS_COOKIE}=a; ${ACCESS_COOKIE}=b`;
    expect((await send({ authorization, cookie }, { method: 'POST' })).status).toBe(200);
  });
});

describe('with the cookie, a request that changes something', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('by %s passes from our own pages', async (method) => {
    const { browse } = await server();
    expect((await browse(method, OURS)).status).toBe(200);
    expect((await browse(method, { ...OURS, ...JSON_TYPE }, '{}')).status).toBe(200);
  });

  it('passes by its Origin, from a browser that sends no Sec-Fetch-Site', async () => {
    const { browse } = await server({ publicUrl: `${ISSUER}:443/some/path` });
    const headers = { origin: ISSUER, 'x-junction-csrf': '1' };
    expect((await browse('POST', headers)).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbouring subdomain', { 'sec-fetch-site': 'same-site' }],
    ['that says both', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['of nobody', { 'sec-fetch-site': 'none' }],
    ['of another site, whatever its Origin', { 'sec-fetch-site': 'cross-site', origin: ISSUER }],
    ['of another Origin', { origin: 'https://evil.example' }],
    ['of an Origin that begins like ours', { origin: `${ISSUER}.evil.example` }],
    ['of our host over http', { origin: ISSUER.replace('https', 'http') }],
    ['of an Origin that is hidden', { origin: 'null' }],
    ['that does not say where it comes from', {}],
  ])('is refused from a page %s', async (_, origin) => {
    const { browse } = await server();
    expect(await browse('POST', { 'x-junction-csrf': '1', ...origin })).toMatchObject(
      lacking(
        /Missing: Sec-Fetch-Site: same-origin, or without it Origin: https:\/\/junction\.example\.$/,
      ),
    );
  });

  it.each([undefined, '0', 'true', '1, 1'])(
    'is refused with X-Junction-CSRF: %s',
    async (value) => {
      const { browse } = await server();
      const { 'x-junction-csrf': _, ...headers } = OURS;
      const header = value === undefined ? {} : { 'x-junction-csrf': value };
      expect(await browse('DELETE', { ...headers, ...header })).toMatchObject(
        lacking(/Missing: X-Junction-CSRF: 1\.$/),
      );
    },
  );

  it.each(['application/merge-patch+json', 'application/vnd.example+json; charset=UTF8'])(
    'may have a body of %s, which no form can send',
    async (type) => {
      const { browse } = await server();
      const headers = { ...OURS, 'content-type': type };
      expect(await browse('POST', headers, '{}')).toMatchObject({ status: 200 });
    },
  );

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'is refused with a body of %s, which a form of another site could send',
    async (type) => {
      const { browse } = await server();
      expect(await browse('POST', { ...OURS, 'content-type': type }, '{}')).toMatchObject(
        lacking(/Missing: Content-Type: application\/json\.$/),
      );
    },
  );

  it('is told of everything that is missing at once', async () => {
    const { browse } = await server();
    const { body } = await browse('POST', { 'content-type': 'text/plain' }, 'x');
    expect(body).toMatchObject({
      detail: expect.stringMatching(/Sec-Fetch-Site.*X-Junction-CSRF.*Content-Type/),
    });
  });

  it('needs none of this with a token in Authorization', async () => {
    const { send, userToken } = await server();
    const authorization = `Bearer ${await userToken()}`;
    const evil = { authorization, 'sec-fetch-site': 'cross-site' };
    expect((await send(evil, { method: 'POST' })).status).toBe(200);
  });
});

async function server(overrides: Partial<AuthenticateUserOptions> = {}) {
  const { send, ...server } = await userServer(overrides);
  const browse = async (
    method: string,
    headers: Readonly<Record<string, string>> = {},
    body?: string,
  ) => {
    const cookie = `${ACCESS_COOKIE}=${await server.userToken()}`;
    return send({ cookie, ...headers }, { method, ...(body !== undefined && { body }) });
  };
  return { ...server, send, browse };
}
