import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newGrant, useAdapters } from '../../test/on-postgres.js';
import { revokeDue } from './revoke.js';

const adapters = useAdapters();
const DAY_MS = 86_400_000;

describe('a token of a provider that this replica has no settings for', () => {
  it('stays queued for one that has, and its revocation fails in the end', async () => {
    const { pool, ports, connect, connections, disconnect } = adapters();
    const userId = randomUUID();
    await connect({ userId, provider: 'mailbox', grant: newGrant(), separateGrants: true });
    await disconnect(userId, 'mailbox');
    const outcome = async () => (await connections.find(userId, 'mailbox'))?.provider_revocation;
    const queued = async () =>
      (await pool.query('select attempts, next_at > now() as rests from provider_revocations'))
        .rows;
    const revoke = (now: Date) => revokeDue({ ...ports, now: () => now })();

    expect(await revoke(new Date())).toBe(1);
    expect(await queued()).toEqual([{ attempts: 1, rests: true }]);
    expect(await outcome()).toBe('pending');

    await pool.query('update provider_revocations set next_at = now()');
    await revoke(new Date(Date.now() + 91 * DAY_MS));
    expect(await queued()).toEqual([]);
    expect(await outcome()).toBe('failed');
  });
});
