import { describe, expect, it } from '@jest/globals';
import type { Lease, Ports, Tokens } from '../ports.js';
import { keepRefreshToken, saveRefresh } from './save-refresh.js';

describe('saving what a refresh brought', () => {
  it.each([
    ['for as long as the lease allows', 60_000, 59_000],
    ['for eight seconds at least, also after the lease', 500, 8_000],
  ])('is repeated %s', async (_, saveUntilMs, expected) => {
    const retriedForMs: (number | undefined)[] = [];
    const unitOfWork = {
      async inUserTurn(_user: string, _work: unknown, retry?: { readonly retryForMs: number }) {
        retriedForMs.push(retry?.retryForMs);
      },
    } as unknown as Ports['unitOfWork'];
    const ports = { unitOfWork, now: () => new Date(), monotonicMs: () => 1_000 };
    const lease = { userId: 'ada', saveUntilMs } as Lease;
    await saveRefresh(ports, lease, {} as Tokens);
    await keepRefreshToken(ports, lease, 'rt');
    expect(retriedForMs).toEqual([expected, expected]);
  });
});
