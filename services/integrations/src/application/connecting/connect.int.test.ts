import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { walkConsent } from '@junction/dev-servers/provider';
import type { AppError } from '@junction/errors';
import { eventually } from '@junction/testing';
import { Pool } from 'pg';
import { adaptersOn, newGrant, useAdapters } from '../../../test/on-postgres.js';
import { mailboxAt, useFaultyProvider } from '../../../test/on-provider.js';
import type { OAuthProvider } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import { tokenRequests } from '../token-requests.js';
import { authorize } from './authorize.js';
import { connect } from './connect.js';

const adapters = useAdapters();
const faulty = useFaultyProvider();

describe('a code whose exchange fails', () => {
  it.each([
    ['can be used again when the provider surely never saw it', false, 'connected'],
    ['is used up when the provider may have seen it', true, 'provider_unavailable'],
  ])('%s, and its answer says so', async (_, sent, second) => {
    const { send } = await begun();
    const failed = failing({ failure: 'unavailable', reason: 'timeout', sent });
    await expect(send(failed)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining(sent ? 'may have been used up' : 'not used up'),
      fields: sent ? [{ field: 'auth_code', code: 'used_up' }] : [],
    });
    const outcome = await send(async () => newGrant()).then(
      () => 'connected',
      ({ code }: { code: string }) => code,
    );
    expect(outcome).toBe(second);
  });

  it.each(['refused', 'rejected'] as const)(
    'is no good when the provider has %s it, and is not to be sent again',
    async (failure) => {
      const { send } = await begun();
      const failed = failing({ failure, reason: 'http_403', sent: true });
      await expect(send(failed)).rejects.toMatchObject({ code: 'invalid_auth_code' });
    },
  );

  it('is used up when what it gave cannot be stored, and its answer says so', async () => {
    const { connectionString } = adapters().pool.options;
    const away = new Pool({ connectionString });
    const { send } = await begun(away);
    const exchange = async () => {
      await away.end();
      return newGrant();
    };
    await expect(send(exchange)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringMatching(/was used up.*authorize/),
      fields: [{ field: 'auth_code', code: 'used_up' }],
    });
  });

  it('is not to be begun again when the provider does not accept our client', async () => {
    const { send } = await begun();
    const reason = 'redirect_uri_mismatch';
    const failed = failing({ failure: 'misconfigured', reason, sent: true });
    await expect(send(failed)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringMatching(/\(redirect_uri_mismatch\).*to begin again does not help/),
    });
  });
});

describe('a code while the keys of its provider cannot be had', () => {
  it('goes nowhere and can be sent again', async () => {
    const { provider, send } = await consented();
    await provider.fail(10_000);
    await expect(send()).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringMatching(/http_503.*Nothing was used up/),
      fields: [],
    });
    expect(await provider.calls()).toMatchObject({ token: 0 });
    await provider.fail(0);
    expect(await send()).toMatchObject({ renewable: true });
  });
});

describe('a code that its user sends again', () => {
  it('within a minute is the same connect', async () => {
    const { send, pool, userId } = await begun();
    const outcome = await send(async () => newGrant({ unaskedScopes: ['more'] }));
    expect(outcome).toMatchObject({ missingScopes: ['mailbox.send'], unaskedScopes: ['more'] });
    expect(await send(never)).toEqual(outcome);

    const minuteAgo = `update used_codes set ended_at = now() - interval '1 minute' where user_id = $1`;
    await pool.query(minuteAgo, [userId]);
    await expect(send(never)).rejects.toMatchObject({ code: 'invalid_auth_code' });
  });

  it('is the same connect when it was the last that the user might send', async () => {
    const { send, pool, userId } = await begun();
    await pool.query(
      `insert into used_codes (code_hash, user_id)
       select uuid_send(gen_random_uuid()), $1 from generate_series(1, 19)`,
      [userId],
    );
    const outcome = await send(async () => newGrant());
    expect(await send(never)).toEqual(outcome);
  });

  it('connects nobody who was disconnected meanwhile, or is somebody else', async () => {
    const { send, disconnect, userId } = await begun();
    await send(async () => newGrant());
    await expect(send(never, randomUUID())).rejects.toMatchObject({ code: 'invalid_state' });
    await disconnect(userId, 'mailbox');
    await expect(send(never)).rejects.toMatchObject({ code: 'invalid_auth_code' });
  });

  it('while it is exchanged, elsewhere too, waits for the outcome', async () => {
    const { send, looked } = await begun();
    const { gate, arrived, release } = held();
    const first = send(async () => gate(newGrant()));
    await arrived;
    const second = send(never);
    await looked(2);
    release();
    expect(await second).toEqual(await first);
  });

  it('is refused as it was before', async () => {
    const { send, looked } = await begun();
    const { gate, arrived, release } = held();
    const refusal = { failure: 'refused', reason: 'foreign_id_token', sent: true } as const;
    const first = send(async () => gate(undefined).then(failing(refusal)));
    await arrived;
    const second = send(never);
    await looked(2);
    release();
    const refused = await first.catch((error: unknown) => error);
    const { message, fields } = refused as AppError;
    const same = { code: 'invalid_auth_code', message, fields };
    await expect(second).rejects.toMatchObject(same);
    await expect(send(never)).rejects.toMatchObject(same);
  });

  it('goes to the provider when the first that was sent surely never did', async () => {
    const { send, looked } = await begun();
    const { gate, arrived, release } = held();
    const unsent = { failure: 'unavailable', reason: 'unreachable', sent: false } as const;
    const first = send(async () => gate(undefined).then(failing(unsent)));
    await arrived;
    const second = send(async () => newGrant());
    await looked(2);
    release();
    await expect(first).rejects.toMatchObject({ fields: [] });
    expect(await second).toMatchObject({ renewable: true });
  });
});

const never: OAuthProvider['exchange'] = async () => {
  throw new Error('The code went to the provider twice.');
};

/** Holds an exchange back until it is released. */
function held() {
  const [arriving, releasing] = [deferred<void>(), deferred<void>()];
  return {
    arrived: arriving.promise,
    release: () => releasing.resolve(),
    async gate<T>(result: T): Promise<T> {
      arriving.resolve();
      await releasing.promise;
      return result;
    },
  };
}

const failing =
  (failure: ConstructorParameters<typeof ProviderError>[0]): (() => Promise<never>) =>
  async () =>
    Promise.reject(new ProviderError(failure));

/**
 * Starts an authorization. `send` sends its code, always the same, which the provider exchanges in this way; `looked`
 * resolves when that was asked of the database so many times.
 */
async function begun(pool = adapters().pool) {
  const { authorizations, ports, disconnect } = adaptersOn(pool);
  const revoke = async () => 'unsupported' as const;
  const there = { isIssuer: async () => true, ready: async () => {}, revoke };
  let turns = 0;
  const unitOfWork: Ports['unitOfWork'] = {
    ...ports.unitOfWork,
    inUserTurn: async (...turn) => ports.unitOfWork.inUserTurn(...turn).finally(() => (turns += 1)),
  };
  const oauth = { ...mailboxAt('https://acme.example'), ...there };
  const { client, redirectUri } = oauth;
  const elsewhere = {
    ...oauth,
    client: { ...client, identityProvider: 'globex' },
    exchange: never,
  };
  const [userId, state, authCode] = [randomUUID(), randomUUID(), randomUUID()];
  const request = { state, nonce: 'n', verifier: 'v', redirectUri, returnTo: undefined };
  await authorizations.add({ ...request, ...client, userId }, { validForS: 600, keptMax: 20 });
  return {
    pool,
    userId,
    disconnect,
    looked: async (times: number) => eventually(() => expect(turns).toBeGreaterThanOrEqual(times)),
    async send(exchange: OAuthProvider['exchange'], sender = userId) {
      const providers = new Map([
        ['globex/mailbox', elsewhere] as const,
        ['acme/mailbox', { ...oauth, exchange }] as const,
      ]);
      const code = { authCode, state, identityProvider: undefined, iss: undefined };
      const sent = { ...code, onLimit: () => {} };
      return connect({ ...ports, unitOfWork, providers }, tokenRequests())(sender, 'mailbox', sent);
    },
  };
}

/** Has a new user consent at a provider. `send` sends the code, each time through a client that knows no keys yet. */
async function consented() {
  const { ports } = adapters();
  const [userId, { control, issuer }] = [randomUUID(), faulty()];
  const email = `${userId}@example.com`;
  const client = () => ({
    ...ports,
    providers: new Map([['acme/mailbox', mailboxAt(issuer)] as const]),
  });
  const { authorizationUrl, state } = await authorize(client())(userId, 'mailbox', {});
  const back = await walkConsent(authorizationUrl, { email, password: 'any', allow: true });
  const authCode = back.searchParams.get('code') ?? '';
  const sent = { authCode, state, identityProvider: undefined, iss: undefined, onLimit() {} };
  return {
    provider: {
      calls: async () => control.calls(),
      fail: async (calls: number) => control.fail({ endpoint: 'jwks', calls, status: 503 }),
    },
    send: async () => connect(client(), tokenRequests())(userId, 'mailbox', sent),
  };
}
