import { describe, expect, it, jest } from '@jest/globals';
import { ProviderError } from '../provider-error.js';
import { providerUnavailable } from '../provider-refusal.js';
import type { DueRefresh } from './ports.js';
import { refreshAhead } from './refresh-ahead.js';

describe('refreshing ahead', () => {
  it('starts them a hundred a second at most, so that others have the thread between them', async () => {
    const { turn, begun, pass } = queueOf(40);
    expect([await turn(), begun().length]).toEqual([40, 4]);
    expect([await turn(), begun().length]).toEqual([40, 4]);
    pass(39);
    expect([await turn(), begun().length]).toEqual([1, 4]);
    pass(1);
    expect([await turn(), begun().length]).toEqual([40, 8]);
  });

  it('does a few at a time, and goes on as soon as one is done', async () => {
    const { turns, turn, begun, wake } = queueOf(40);
    expect(await turns()).toBe(Number.POSITIVE_INFINITY);
    expect(begun()).toHaveLength(16);
    await turn();
    expect(begun()).toHaveLength(16);

    begun()[0]?.end();
    await passed();
    expect(wake).toHaveBeenCalledTimes(1);
    await turns();
    expect(begun()).toHaveLength(17);
  });

  it('says when the next is due once nothing else is', async () => {
    const { turn, begun, wake } = queueOf(3, 7_000);
    expect(await turn()).toBe(7_000);
    begun()[0]?.end();
    await passed();
    expect(wake).not.toHaveBeenCalled();
  });

  it('does not spin on what another replica has in its hands', async () => {
    const { turn } = queueOf(0, -5);
    expect(await turn()).toBeGreaterThanOrEqual(100);
  });

  it('leaves the provider alone for as long as it asks three connections to wait', async () => {
    const { turns, turn, begun } = queueOf(40);
    await turns();
    for (const [n, ms] of [30_000, 90_000, 60_000].entries()) {
      begun()[n]?.end(refusal('unavailable', ms));
    }
    await passed();
    expect(await turn()).toBe(30_000);
    expect(begun()).toHaveLength(16);
  });

  it('goes on for the others where one account is limited', async () => {
    const { turns, begun } = queueOf(40);
    await turns();
    for (const n of [0, 1]) begun()[n]?.end(refusal('unavailable', 3_600_000));
    await passed();
    await turns();
    expect(begun()).toHaveLength(18);
  });

  it('goes on after one token was refused', async () => {
    const { turns, begun } = queueOf(40);
    await turns();
    begun()[0]?.end(refusal('rejected', 60_000));
    await passed();
    await turns();
    expect(begun()).toHaveLength(17);
  });
});

const passed = () => new Promise((resolve) => setImmediate(resolve));

const refusal = (failure: 'unavailable' | 'rejected', retryAfterMs: number) =>
  providerUnavailable(
    new ProviderError({ failure, reason: 'http_429', sent: true, retryAfterMs }),
    'Ask again.',
  );

/** Creates a queue of due refreshes. The test ends each refresh that is started. */
function queueOf(due: number, nextInMs?: number) {
  const waiting = Array.from({ length: due }, (_, n) => ({
    identityProvider: 'acme',
    provider: 'mailbox' as const,
    connectionId: `con_${n}`,
    credentialVersion: 1,
  }));
  const begun: { readonly of: DueRefresh; readonly end: (error?: Error) => void }[] = [];
  const wake = jest.fn();
  let nowMs = 0;
  const pass = (ms: number) => void (nowMs += ms);
  const turn = refreshAhead(
    {
      dueRefreshes: {
        claim: async (_, limit) => waiting.splice(0, limit),
        nextInMs: async () => nextInMs,
      },
      log: { info() {}, warn() {}, error() {} },
      monotonicMs: () => nowMs,
    },
    {
      renew: (of) =>
        new Promise((resolve, reject) => {
          begun.push({ of, end: (error) => (error ? reject(error) : resolve()) });
        }),
    },
    'acme/mailbox',
    wake,
  );
  /** Takes turns, each when it is time for it, until there is room for no more. */
  const turns = async () => {
    for (;;) {
      const restMs = await turn();
      if (restMs === Number.POSITIVE_INFINITY) return restMs;
      pass(restMs);
    }
  };
  return { turn, turns, pass, wake, begun: () => begun };
}
