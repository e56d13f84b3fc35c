import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { encodeDomainEvent } from '@junction/contracts';
import { readStream } from '@junction/eventsourcing/postgres';
import { newUser, useAdapters } from '../../../test/on-postgres.js';
import { connectionStream } from '../../application/handle-command.js';
import { onOwnEvents } from './lost-ends.js';

const adapters = useAdapters();

it('disconnects again what the database has never heard to be disconnected', async () => {
  const user = newUser(adapters);
  await user.connect();
  await hear(user.id, await user.connectionId());
  expect(await user.row()).toMatchObject({ status: 'disconnected' });
  expect(await user.hasTokens()).toBe(false);
});

it('leaves a connection that was made after an end that is stored', async () => {
  const user = newUser(adapters);
  await user.connect();
  await user.disconnect();
  const connectionId = await user.connectionId();
  const history = await readStream(adapters().pool, connectionStream(connectionId), 0, 10);
  const end = history.find(({ type }) => type === 'integration.disconnected');
  await user.connect();

  await hear(user.id, connectionId, end?.eventId);
  expect(await user.row()).toMatchObject({ status: 'active' });
});

it('passes by a connection that was made after the backup: it is not there', async () => {
  const connectionId = `con_${randomUUID()}`;
  await hear(randomUUID(), connectionId);
  expect(await adapters().connections.get(connectionId)).toBeUndefined();
});

async function hear(userId: string, connectionId: string, id: string = randomUUID()) {
  const type = 'integration.disconnected';
  const about = { identityProvider: 'acme', provider: 'mailbox', occurredAt: new Date() };
  const value = encodeDomainEvent(type, { ...about, userId, connectionId, reason: 'user' });
  const at = { topic: 'integrations.events.v1', partition: 0, offset: 0n, timestamp: new Date() };
  const record = { ...at, key: connectionId, headers: { ce_type: type, ce_id: id }, value };
  const { disconnect, pool } = adapters();
  const tx = await pool.connect();
  try {
    await onOwnEvents({ disconnect })([record], tx);
  } finally {
    tx.release();
  }
}
