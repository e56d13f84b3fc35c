import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Late, Lease, OAuthProvider, Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import { tokenRequests } from '../token-requests.js';
import { refresher } from './refresh.js';

const CLIENT = { identityProvider: 'acme', provider: 'mailbox' } as const;
const CONNECTION = { ...CLIENT, connectionId: 'con_1', credentialVersion: 1 };

describe('a process that slept through its lease', () => {
  it.each([
    ['does not bring the old refresh token to the provider', -1, { asked: 0, released: 1 }],
    ['differs from one that did not', 60_000, { asked: 1, released: 0 }],
  ])('%s', async (_, leftMs, expected) => {
    const { ports, asked, released } = leased({ sendUntilMs: performance.now() + leftMs });
    const outcome = await refresher(ports, tokenRequests())
      .renew(CONNECTION)
      .catch(({ code }: { code: string }) => code);
    expect(outcome).toBe(expected.asked === 0 ? 'refresh_in_progress' : undefined);
    expect({ asked: asked(), released: released() }).toEqual(expected);
  });
});

describe('a process that stops', () => {
  it('waits for the answer under way, and asks for nothing more', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const { ports, asked, saved } = leased({ sendUntilMs: Infinity }, { answered });
    const stopped = refresher(ports, tokenRequests());
    const underWay = stopped.renew(CONNECTION);
    await eventually(() => expect(asked()).toBe(1));
    let isDrained = false;
    const drained = stopped.drain().then(() => (isDrained = true));

    const late = stopped.renew({ ...CONNECTION, credentialVersion: 2 });
    await expect(late).rejects.toMatchObject({ kind: 'unavailable', code: 'stopping' });
    expect([isDrained, saved()]).toEqual([false, 0]);
    answer();
    await Promise.all([underWay, drained]);
    expect([asked(), saved()]).toEqual([1, 1]);
  });

  it('does not send what it was about to send', async () => {
    let describe = () => {};
    const described = new Promise<void>((resolve) => (describe = resolve));
    const { ports, asked, released } = leased({ sendUntilMs: Infinity }, { described });
    const stopped = refresher(ports, tokenRequests());
    const renewed = stopped.renew(CONNECTION);
    const drained = stopped.drain();
    describe();
    await expect(renewed).rejects.toMatchObject({ code: 'stopping' });
    await drained;
    expect([asked(), released()]).toEqual([0, 1]);
  });
});

describe('a refresh that comes too late to be kept', () => {
  const LATE: readonly (readonly [late: Late, separateGrants: boolean, revoked: number])[] = [
    ['ended', false, 1],
    ['replaced', true, 0],
    ['reconnected', true, 1],
    ['reconnected', false, 0],
  ];
  const ANSWERS = [
    ['tokens', undefined],
    ['a refresh token alone', { refreshToken: 'rt' }],
  ] as const;

  it.each(LATE.flatMap((row) => ANSWERS.map((answer) => [...row, ...answer] as const)))(
    '(%s, separate grants: %s) has %i revoked of %s: not where newer ones could go along',
    async (late, separateGrants, revoked, _, recovered) => {
      const { ports, queued } = leased(
        { sendUntilMs: Number.POSITIVE_INFINITY },
        { late, separateGrants, recovered },
      );
      await refresher(ports, tokenRequests())
        .renew(CONNECTION)
        .catch(() => undefined);
      const owner = expect.objectContaining({ ...CLIENT, userId: 'ada', accountId: 'account-1' });
      expect(queued()).toEqual(
        Array.from({ length: revoked }, () => [owner, { token: 'rt', hint: 'refresh_token' }]),
      );
    },
  );
});

const LEASE: Lease = {
  ...CLIENT,
  connectionId: 'con_1',
  userId: 'ada',
  owner: 'us',
  credentialVersion: 1,
  sendUntilMs: 0,
  consent: 'con_1#1',
  accountId: 'account-1',
  saveUntilMs: 0,
  refreshToken: 'rt',
  expiresAt: new Date(),
  scopes: { grantedScopes: [], missingScopes: [] },
  failures: 0,
  answerLost: false,
  unclearSince: undefined,
};

interface Behaviour {
  readonly late?: Late;
  readonly separateGrants?: boolean;
  /** Token to be found in an answer that is otherwise of no use. */
  readonly recovered?: { readonly refreshToken: string } | undefined;
  /** Promises that the provider waits for: before its description of itself, and before its answer. */
  readonly described?: Promise<void>;
  readonly answered?: Promise<void>;
}

function leased(
  changes: Partial<Lease>,
  { late, separateGrants = true, recovered, described, answered }: Behaviour = {},
) {
  const queued: unknown[] = [];
  let asked = 0;
  let released = 0;
  let saved = 0;
  const provider: Pick<OAuthProvider, 'client' | 'refresh' | 'separateGrants'> = {
    client: CLIENT,
    separateGrants,
    async refresh(refreshToken, { beforeSending }) {
      await described;
      beforeSending();
      asked += 1;
      await answered;
      const answer = { failure: 'unavailable', reason: 'malformed_answer', sent: true } as const;
      if (recovered) throw new ProviderError({ ...answer, recovered });
      return { accessToken: 'at', refreshToken, expiresAt: new Date(), scopes: undefined };
    },
  };
  const leases: Ports['leases'] = {
    acquire: async () => ({ kind: 'ours', lease: { ...LEASE, ...changes } }),
    async release() {
      released += 1;
    },
  };
  const ports = {
    providers: new Map([['acme/mailbox', provider]]),
    leases,
    unitOfWork: {
      async inUserTurn() {
        saved += 1;
        return late ?? 'saved';
      },
    },
    revocations: { add: async (...of: unknown[]) => void queued.push(of) },
    refreshEnded: () => undefined,
    log: { warn() {} },
    chance: () => 1,
    now: () => new Date(),
    monotonicMs: () => performance.now(),
  } as unknown as Ports;
  return {
    ports,
    asked: () => asked,
    released: () => released,
    saved: () => saved,
    queued: () => queued,
  };
}
