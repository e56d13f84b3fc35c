import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { outboundCalls } from '@junction/service/outbound';
import { freePort, listening } from '@junction/testing';
import { dripping, withClaims } from '../../../test/faulty-provider.js';
import { consentedAt, mailboxAt, notLate, useFaultyProvider } from '../../../test/on-provider.js';
import { keysByAddress } from './keys-by-address.js';
import type { OAuthProviderOptions } from './oauth-provider.js';
import type { ProviderSettings } from './provider-settings.js';

const faulty = useFaultyProvider({ accessTokenS: 600 });

describe('an exchanged code', () => {
  it('brings tokens, scopes in our names and the account', async () => {
    const { provider, exchange } = await consented(['mailbox.send']);
    const before = Date.now();
    const grant = await exchange();
    expect(grant).toMatchObject({
      scopes: {
        grantedScopes: ['mailbox.send'],
        missingScopes: ['mailbox.readonly', 'mailbox.modify'],
      },
      unaskedScopes: [],
      account: expect.stringContaining('@example.com'),
      accountId: expect.any(String),
    });
    expect(grant.expiresAt.getTime()).toBeGreaterThanOrEqual(before + 600_000);
    expect(grant.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);

    const next = await provider.refresh(grant.refreshToken ?? '', notLate);
    expect(next.refreshToken).not.toBe(grant.refreshToken);
  });

  it('is refused with another verifier', async () => {
    const { exchange } = await consented();
    const verifier = 'x'.repeat(43);
    await expect(exchange({ verifier })).rejects.toMatchObject({
      failure: 'refused',
      reason: 'invalid_grant',
      sent: true,
    });
  });
});

describe('the keys of a provider', () => {
  const fail = async (calls: number, status: number) =>
    faulty().control.fail({ endpoint: 'jwks', calls, status, retryAfterS: 1 });
  const asked = async () => (await faulty().control.calls()).jwks;
  /** Returns keys that several clients share, by a clock that can be put on. */
  const shared = () => {
    let passedMs = 0;
    const nowMs = () => performance.now() + passedMs;
    const keysAt = keysByAddress({ log: { warn() {} }, nowMs });
    return { keysAt, passes: (ms: number) => void (passedMs += ms) };
  };

  it('are fetched once for many codes, of several clients', async () => {
    const { keysAt } = shared();
    const exchanged = async () => {
      const { provider, exchange } = await consented(true, { keysAt });
      await provider.ready();
      return exchange();
    };
    await exchanged();
    await fail(10_000, 429);
    await Promise.all([exchanged(), exchanged(), exchanged()]);
    expect(await asked()).toBe(1);
  });

  it('are asked for once more before a code goes out', async () => {
    await fail(1, 503);
    await at().ready();
    expect(await asked()).toBe(2);
  });

  it('that cannot be had are missed before a code goes out', async () => {
    await fail(10_000, 429);
    const ready = at().ready();
    const unavailable = { failure: 'unavailable', reason: 'http_429', sent: false };
    await expect(ready).rejects.toMatchObject(unavailable);
  });

  it('are asked for until they come when the provider signs by a new one', async () => {
    const { keysAt, passes } = shared();
    const { provider, exchange } = await consented(true, { keysAt });
    await provider.ready();
    await faulty().control.rotateSigningKey();
    passes(10_000);
    await fail(1, 503);
    expect((await exchange()).account).toContain('@');
    expect(await asked()).toBe(3);
  });
});

describe('an id_token', () => {
  it.each([
    ['ahead', { nbf: 240, iat: 240, exp: 300 }],
    ['behind', { nbf: -300, iat: -300, exp: -240 }],
  ])('may come by a clock that is minutes %s', async (_, seconds) => {
    faulty().alter(({ id_token, ...answer }) => {
      const times = Object.entries(seconds).map(([claim, offS]) => [claim, inS(offS)]);
      return { ...answer, id_token: withClaims(String(id_token), Object.fromEntries(times)) };
    });
    const { exchange } = await consented();
    expect((await exchange()).expiresAt.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('an id_token that was not made for this authorization', () => {
  it.each([
    ['has another nonce', {}, { nonce: 'other' }],
    ['is of another issuer', { iss: 'https://attacker.example' }, {}],
    ['ended more than five minutes ago', { iat: inS(-4_000), exp: inS(-400) }, {}],
    ['was made in the future', { iat: inS(400) }, {}],
    ['names nobody', { sub: ' ' }, {}],
    ['names somebody whom Postgres cannot tell from another', { sub: 'a\0b' }, {}],
    ['names somebody by half a character', { sub: 'a\ud800' }, {}],
    ['names somebody at too great a length', { sub: 'a'.repeat(511) }, {}],
  ])(
    '(%s) is refused, and what was issued is at hand to be revoked',
    async (_, claims, changes) => {
      faulty().alter(({ id_token, ...answer }) => ({
        ...answer,
        id_token: withClaims(String(id_token), claims),
      }));
      const { exchange } = await consented();
      await expect(exchange(changes)).rejects.toMatchObject({
        failure: 'refused',
        reason: 'foreign_id_token',
        recovered: { refreshToken: expect.any(String) },
      });
    },
  );
});

describe('an answer that cannot be trusted or used', () => {
  it('refreshes nothing, and the new refresh token is kept', async () => {
    const { provider, refreshToken } = await renewable();
    faulty().alter((answer) => ({ ...answer, token_type: 'DPoP' }));
    const refused = await provider.refresh(refreshToken, notLate).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      failure: 'unavailable',
      recovered: { refreshToken: expect.any(String) },
    });
    expect(refused).not.toMatchObject({ recovered: { refreshToken } });
  });
});

describe('a call that fails', () => {
  it('has an unknown outcome when a refresh is not answered in time', async () => {
    const { refreshToken } = await renewable();
    faulty().hold();
    const lost = at({}, { refreshTimeoutS: 0.2 }).refresh(refreshToken, notLate);
    await expect(lost).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'timeout',
      sent: true,
      recovered: {},
    });
  });

  it('may have arrived when the provider answered badly', async () => {
    const { exchange } = await consented();
    await faulty().control.fail({ endpoint: 'token', calls: 1, status: 502 });
    await expect(exchange()).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'http_502',
      sent: true,
    });
  });

  it('surely did not arrive when nobody listens any more', async () => {
    const nobody = `http://localhost:${await freePort()}/token`;
    faulty().describe((description) => ({ ...description, token_endpoint: nobody }));
    const lost = at().refresh('rt', notLate);
    await expect(lost).rejects.toMatchObject({ failure: 'unavailable', sent: false });
  });

  it('surely did not arrive when the proxy opens no tunnel', async () => {
    const proxy = createServer().on('connect', (_, socket: Socket) => {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const { url: httpProxy, close: closeProxy } = await listening(proxy);
    const { fetch, close } = outboundCalls({ httpProxy });
    const away = 'http://login.provider.example/token';
    faulty().describe((description) => ({ ...description, token_endpoint: away }));
    const lost = at({}, { fetch }).refresh('rt', notLate);
    await expect(lost).rejects.toMatchObject({ failure: 'unavailable', sent: false });
    await close();
    await closeProxy();
  });

  it('does not read an answer that has no end, and follows none elsewhere', async () => {
    const { refreshToken } = await renewable();
    faulty().alter((answer) => ({ ...answer, padding: 'x'.repeat(1_000_000) }));
    await expect(at().refresh(refreshToken, notLate)).rejects.toMatchObject({
      failure: 'unavailable',
      reason: 'not_json',
    });
    const elsewhere = { location: `${faulty().issuer}/token` };
    faulty().answerInstead((res) => res.writeHead(307, elsewhere).end());
    await expect(at().refresh(refreshToken, notLate)).rejects.toMatchObject({
      failure: 'rejected',
      reason: 'http_307',
    });
  });
});

describe('a rotated refresh token', () => {
  const PADDING = 'x'.repeat(10_000_000);

  it.each([
    ['201', (json: string) => (res: ServerResponse) => res.writeHead(201).end(json)],
    ['a byte order mark', (json: string) => `\ufeff${json}`],
    [
      'other fields that are odd',
      (json: string) => {
        const odd = { expires_in: 'soon', scope: ['a'], token_type: undefined, id_token: 'odd' };
        return JSON.stringify({ ...JSON.parse(json), ...odd });
      },
    ],
    [
      'a connection that breaks after it',
      (json: string) => (res: ServerResponse) => {
        res.writeHead(200, { 'content-length': json.length + 1 });
        res.write(json, () => res.destroy());
      },
    ],
  ])('arrives with %s', async (_, answer) => {
    const { provider, refreshToken } = await renewable();
    faulty().alter((straight) => answer(JSON.stringify(straight)));
    const next = await provider.refresh(refreshToken, notLate);
    expect(next.refreshToken).not.toBe(refreshToken);
  });

  it.each([
    ['cut off', (json: string) => json.slice(0, -1)],
    [
      'without an access token',
      (json: string) => JSON.stringify({ ...JSON.parse(json), access_token: undefined }),
    ],
    [
      'cut off with its connection',
      (json: string) => (res: ServerResponse) => {
        res.writeHead(200, { 'content-length': json.length });
        res.write(json.slice(0, -1), () => res.destroy());
      },
    ],
    ['10 MB long', (json: string) => json.replace('{', `{"padding":"${PADDING}",`)],
    [
      '10 MB long, the token in front',
      (json: string) => json.replace(/}$/, `,"padding":"${PADDING}"}`),
    ],
  ])('is recovered from an answer that is %s', async (_, answer) => {
    const { provider, refreshToken } = await renewable();
    let rotated: unknown;
    faulty().alter((straight) => {
      rotated = straight['refresh_token'];
      return answer(JSON.stringify(straight));
    });
    const lost = await provider.refresh(refreshToken, notLate).catch((error: unknown) => error);
    expect(rotated).toEqual(expect.any(String));
    expect(lost).toMatchObject({ failure: 'unavailable', recovered: { refreshToken: rotated } });
  });

  it('is recovered from an answer that does not end in time', async () => {
    const { refreshToken } = await renewable();
    let rotated: unknown;
    const cut = new Promise<void>((onCut) => {
      faulty().alter((straight) => {
        rotated = straight['refresh_token'];
        return dripping(straight, onCut);
      });
    });
    const impatient = at({}, { refreshTimeoutS: 3 });
    const lost = await impatient.refresh(refreshToken, notLate).catch((error: unknown) => error);
    await cut;
    expect(rotated).toEqual(expect.any(String));
    expect(lost).toMatchObject({ reason: 'timeout', recovered: { refreshToken: rotated } });
  });

  it('is not taken from a page', async () => {
    const { provider, refreshToken } = await renewable();
    faulty().alter(() => '<p>An example: {"refresh_token": "abc"}</p>');
    const lost = await provider.refresh(refreshToken, notLate).catch((error: unknown) => error);
    expect(lost).toMatchObject({ reason: 'not_json' });
    expect(lost).not.toHaveProperty('recovered.refreshToken');
  });
});

/** Returns the time in so many seconds, in seconds as tokens have it. */
function inS(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

async function renewable() {
  const { provider, exchange, email } = await consented();
  const { refreshToken = '' } = await exchange();
  return { provider, refreshToken, email };
}

const at = (changes: Partial<ProviderSettings> = {}, options: Partial<OAuthProviderOptions> = {}) =>
  mailboxAt(faulty().issuer, changes, options);

const consented = async (
  allow: boolean | readonly string[] = true,
  options: Partial<OAuthProviderOptions> = {},
) => consentedAt(faulty().issuer, allow, options);
