import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { makePrimary } from '../../../application/connections/make-primary.js';
import { integrations } from './connection-reads.js';

const adapters = useAdapters();

const SHARED = { separateGrants: false };

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('another account', () => {
  it('is a connection of its own, and the first one goes on', async () => {
    const { currentConnections, revocations } = adapters();
    const user = newUser(adapters);
    const [first, second, elsewhere] = [newGrant(), newGrant({ accountId: '2' }), newGrant()];
    const firstId = await user.connect(first, SHARED);
    const secondId = await user.connect(second, SHARED);
    const elsewhereId = await user.connect(elsewhere, { identityProvider: 'globex' });
    expect(await user.connect(newGrant({ accountId: '2' }), SHARED)).toBe(secondId);

    const listed = await listOf(user.id);
    const shown = listed.map((row) => [row.integration_id, row.identity_provider, row.is_primary]);
    expect(shown).toEqual([
      [firstId, 'acme', true],
      [secondId, 'acme', false],
      [elsewhereId, 'globex', false],
    ]);
    expect(await user.token()).toBe(first.accessToken);
    const ofOne = await currentConnections.find(user.id, 'mailbox', elsewhereId);
    expect(ofOne?.credential?.open()).toBe(elsewhere.accessToken);
    expect(await currentConnections.find(user.id, 'calendar', elsewhereId)).toBeUndefined();
    expect(await currentConnections.find(randomUUID(), 'mailbox', elsewhereId)).toBeUndefined();
    expect(await revocations.claim()).toEqual([]);
  });

  it('is one, although two accounts are connected twenty times at once', async () => {
    const user = newUser(adapters);
    const grants = Array.from({ length: 20 }, (_, n) => newGrant({ accountId: `${n % 2}` }));
    const ids = await Promise.all(grants.map(async (grant) => user.connect(grant)));
    const listed = await listOf(user.id);
    expect(new Set(listed.map((row) => row.integration_id))).toEqual(new Set(ids));
    expect(listed.map((row) => [row.credential_version, row.is_primary])).toEqual([
      [10, true],
      [10, false],
    ]);
  });
});

describe('the fifty-first account of a kind', () => {
  it('is refused, and one of the fifty can be connected again', async () => {
    const user = newUser(adapters);
    for (let n = 1; n <= 50; n++) {
      await user.connect(newGrant({ accountId: `${n}` }));
      // Ten minutes have gone by.
      await adapters().pool.query('delete from used_codes where user_id = $1', [user.id]);
    }
    const more = user.connect(newGrant({ accountId: 'one more' }));
    await expect(more).rejects.toMatchObject({ code: 'too_many_accounts' });
    expect(await user.connect(newGrant({ accountId: '7' }))).toMatch(/^con_/);
  });
});

describe('the primary account of a kind', () => {
  it('is the first, until another one is made primary', async () => {
    const user = newUser(adapters);
    const [one, two] = await accounts(user, '1', '2');
    expect(await user.connectionId()).toBe(one);
    await primary(user, two);
    expect(await user.connectionId()).toBe(two);
    await user.connect(newGrant({ accountId: '1' }));
    expect(await user.connectionId()).toBe(two);
    await expect(primary(newUser(adapters), one)).rejects.toMatchObject(UNKNOWN);
  });

  it('passes to another one when it ends, and stays there when it comes back', async () => {
    const user = newUser(adapters);
    const [one, two] = await accounts(user, '1', '2');
    await adapters().disconnect(user.id, one);
    expect(await user.connectionId()).toBe(two);
    await expect(primary(user, one)).rejects.toMatchObject({ code: 'integration_ended' });
    await user.connect(newGrant({ accountId: '1' }));
    expect(await user.connectionId()).toBe(two);
  });

  it('is what is connected while the one before does not work', async () => {
    const user = newUser(adapters);
    await user.connect(newGrant({ accountId: '1' }));
    await adapters().pool.query(
      `update connections set status = 'reconnect_required' where user_id = $1`,
      [user.id],
    );
    const two = await user.connect(newGrant({ accountId: '2' }));
    expect(await user.connectionId()).toBe(two);
    await user.connect(newGrant({ accountId: '1' }));
    expect(await user.connectionId()).toBe(two);
  });
});

describe('a disconnect', () => {
  it('ends one account, or all of a kind, and no other', async () => {
    const { disconnect } = adapters();
    const user = newUser(adapters);
    const [one] = await accounts(user, '1', '2', '3');
    await disconnect(user.id, one);
    await disconnect(user.id, one);
    const standing = async () =>
      (await listOf(user.id)).filter(({ status }) => status === 'active').length;
    expect(await standing()).toBe(2);
    await disconnect(user.id, 'calendar');
    expect(await standing()).toBe(2);
    await disconnect(user.id, 'mailbox');
    expect(await standing()).toBe(0);
    await expect(disconnect(randomUUID(), one)).rejects.toMatchObject(UNKNOWN);
  });
});

const UNKNOWN = { code: 'integration_not_found' };
const listOf = async (id: string) => integrations.rows(adapters().pool, { user_id: id });

/** Connects these accounts one after the other; gives the ids. */
async function accounts(
  user: ReturnType<typeof newUser>,
  ...names: readonly [string, ...string[]]
) {
  const ids: string[] = [];
  for (const accountId of names) ids.push(await user.connect(newGrant({ accountId })));
  return ids as [string, string, string];
}

const primary = (user: { readonly id: string }, integrationId: string) =>
  makePrimary(adapters().ports)(user.id, integrationId);
