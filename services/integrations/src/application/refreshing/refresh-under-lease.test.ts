import { describe, expect, it } from '@jest/globals';
import type { OAuthProvider, Tokens } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError, type ProviderErrorOptions } from '../provider-error.js';
import type { Late, Lease } from './ports.js';
import { endUnreadable, type RefreshPorts, refreshUnder } from './refresh-under-lease.js';

const NOW = new Date('2030-01-02T03:04:05Z');
const CLIENT = { identityProvider: 'acme', provider: 'mailbox' } as const;
const LEASE: Lease = {
  ...CLIENT,
  connectionId: 'con_1',
  userId: 'ada',
  owner: 'us',
  credentialVersion: 1,
  sendUntilMs: 1_000,
  saveUntilMs: 2_000,
  consent: 'con_1#1',
  accountId: 'account-1',
  refreshToken: 'old',
  expiresAt: NOW,
  scopes: { grantedScopes: [], missingScopes: [] },
  failures: 0,
  answerLost: false,
  unclearSince: undefined,
};

describe('a refresh under a lease', () => {
  it.each([
    ['of no account', undefined, 'refreshed'],
    ['of its account', 'account-1', 'refreshed'],
    ['of another account', 'account-2', 'refused'],
  ])('has tokens %s (%s), and is %s', async (_, accountId, outcome) => {
    expect(await refreshed({ tokens: { accountId } })).toMatchObject({
      sent: ['old'],
      counted: [['acme/mailbox', outcome]],
      writes: 1,
      revoked: [],
    });
  });

  it.each([
    ['is sent until the last moment for it', 1_000, { sent: ['old'], released: [] }],
    ['is not sent after that moment', 1_001, { code: 'refresh_in_progress', released: [0] }],
  ])('%s', async (_, monotonicMs, expected) => {
    expect(await refreshed({ monotonicMs })).toMatchObject({ sent: [], ...expected });
  });

  it.each<[Late, boolean, boolean]>([
    ['ended', false, true],
    ['replaced', true, false],
    ['reconnected', true, true],
    ['reconnected', false, false],
  ])(
    'that comes too late (%s, separate grants: %s) has its tokens revoked: %s',
    async (late, separateGrants, isRevoked) => {
      const revoked = isRevoked ? [{ token: 'new', hint: 'refresh_token' }] : [];
      expect(await refreshed({ late, separateGrants })).toMatchObject({
        counted: [['acme/mailbox', 'late']],
        revoked,
      });
      const recovered = { refreshToken: 'new' };
      const error = new ProviderError({ ...BUSY, recovered });
      expect(await refreshed({ late, separateGrants, error })).toMatchObject({
        counted: [['acme/mailbox', 'unavailable']],
        revoked,
        writes: isRevoked ? 1 : 2,
      });
    },
  );
});

const BUSY = { failure: 'unavailable', reason: 'http_503', sent: true, httpStatus: 503 } as const;
const UNSENT = { failure: 'unavailable', reason: 'circuit_open', sent: false } as const;

describe('a refresh that failed', () => {
  const retry = (retryAfterS: number) => ({ code: 'provider_unavailable', retryAfterS });

  it.each<[string, ProviderErrorOptions, object]>([
    [
      'is recorded, and may be tried again',
      BUSY,
      { ...retry(10), writes: 1, released: [], logged: ['warn refresh failed'] },
    ],
    [
      'ends the connection when the grant is refused',
      { failure: 'refused', reason: 'invalid_grant', sent: true },
      { writes: 1, released: [], logged: [expect.stringContaining('warn refresh refused')] },
    ],
    [
      'is not told of this connection when our client is refused',
      { failure: 'misconfigured', reason: 'invalid_client', sent: true },
      { ...retry(10), writes: 1, released: [], logged: [] },
    ],
    [
      'says nothing about the connection while the circuit is open',
      UNSENT,
      { ...retry(10), writes: 0, released: [0], logged: ['warn refresh failed'] },
    ],
    [
      'is tried again when the circuit lets the next one through',
      { ...UNSENT, retryAfterMs: 7_000 },
      { ...retry(7), writes: 0, released: [7_000], logged: ['warn refresh failed'] },
    ],
  ])('%s', async (_, failure, expected) => {
    const { code, retryAfterS, writes, released, logged, counted } = await refreshed({
      error: new ProviderError(failure),
    });
    expect({ code, retryAfterS, writes, released, logged }).toEqual({
      code: undefined,
      retryAfterS: undefined,
      ...expected,
    });
    expect(counted).toEqual([['acme/mailbox', failure.failure]]);
  });

  it('by a fault of our own gives the lease back, and nothing is recorded', async () => {
    const error = Object.assign(new TypeError('x is undefined'), { code: 'ours' });
    expect(await refreshed({ error })).toMatchObject({
      code: 'ours',
      writes: 0,
      released: [0],
      counted: [],
    });
  });
});

describe('a connection without a refresh token', () => {
  it.each([
    [
      'serves while its access token lives',
      1,
      { code: 'token_not_renewable', writes: 0, released: [0] },
    ],
    ['ends with its access token', 0, { code: undefined, writes: 1, released: [] }],
  ])('%s', async (_, restMs, expected) => {
    const lease = { refreshToken: undefined, expiresAt: new Date(NOW.getTime() + restMs) };
    expect(await refreshed({ lease })).toMatchObject({ ...expected, sent: [] });
  });

  it('ends, and is told to operators, when the stored one does not open', async () => {
    const { ports, seen } = world({});
    await endUnreadable(ports, LEASE, 'acme/mailbox');
    expect(seen).toMatchObject({
      writes: 1,
      logged: [expect.stringMatching(/^error the stored refresh token does not open/)],
    });
  });
});

interface Circumstances {
  readonly lease?: Partial<Lease>;
  readonly separateGrants?: boolean;
  readonly monotonicMs?: number;
  /** Tokens of the answer that differ; or the error that the answer is. */
  readonly tokens?: Partial<Tokens>;
  readonly error?: Error;
  /** Reason why the tokens cannot be saved. */
  readonly late?: Late;
}

/** Returns all that a refresh does to its surroundings, with the code of its error. */
async function refreshed(circumstances: Circumstances) {
  const { ports, seen, oauth } = world(circumstances);
  const to = { ...CLIENT, client: 'acme/mailbox', oauth } as const;
  const lease = { ...LEASE, ...circumstances.lease };
  const { code, retryAfterS } = await refreshUnder(ports, lease, to, () => {}).then(
    () => ({ code: undefined, retryAfterS: undefined }),
    (error: { code: string; retryAfterS?: number }) => error,
  );
  return { ...seen, code, retryAfterS };
}

function world({ separateGrants = true, monotonicMs = 0, tokens, error, late }: Circumstances) {
  const seen = {
    sent: [] as string[],
    counted: [] as unknown[],
    logged: [] as string[],
    released: [] as number[],
    revoked: [] as unknown[],
    writes: 0,
  };
  const log = (level: string) => (_: object, message: string) =>
    void seen.logged.push(`${level} ${message}`);
  const oauth = {
    separateGrants,
    async refresh(refreshToken, { beforeSending }) {
      beforeSending();
      seen.sent.push(refreshToken);
      if (error) throw error;
      return {
        accessToken: 'at',
        refreshToken: 'new',
        expiresAt: NOW,
        scopes: undefined,
        ...tokens,
      };
    },
  } as OAuthProvider;
  const unitOfWork: Pick<Ports['unitOfWork'], 'inUserTurn'> = {
    async inUserTurn<T>() {
      seen.writes += 1;
      return (late ?? 'saved') as T;
    },
  };
  const recordFailure: RefreshPorts['recordFailure'] = async () => void (seen.writes += 1);
  const leases: Pick<Ports['leases'], 'release' | 'save'> = {
    release: async (_, backoffMs) => void seen.released.push(backoffMs),
    async save() {
      if (late === undefined) seen.writes += 1;
      return late === undefined;
    },
  };
  const ports = {
    unitOfWork,
    leases,
    recordFailure,
    revocations: { add: async (_, token) => void seen.revoked.push(token) } as Ports['revocations'],
    refreshEnded: (...ended) => void seen.counted.push(ended),
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    chance: () => 1,
    now: () => NOW,
    monotonicMs: () => monotonicMs,
  } as RefreshPorts;
  return { ports, seen, oauth };
}
