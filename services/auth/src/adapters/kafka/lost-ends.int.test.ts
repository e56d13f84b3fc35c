import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import {
  type DomainEventMessage,
  type DomainEventType,
  encodeDomainEvent,
} from '@junction/contracts';
import { inTransaction, readStream, streamHead } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import {
  type AuthOnPostgres,
  authOnPostgres,
  loggedIn,
  newcomer,
} from '../../../test/auth-on-postgres.js';
import { authSchema } from '../../../test/schema.js';
import { streamOf } from '../../application/streams.js';
import { onOwnEvents } from './lost-ends.js';

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeAll(async () => {
  auth = await authOnPostgres(database());
});

it('ends again what the database has never heard to be over', async () => {
  const { app } = auth;
  const [ada, bob] = [await person(), await person()];
  const [session] = await app.listSessions(ada.id);
  const sessionId = session?.id ?? '';
  const about = { userId: ada.id, keyId: ada.key.id, occurredAt: new Date() };

  await hear('session.revoked', { ...about, sessionId, reason: 'logout' });
  await hear('api_key.revoked', { ...about, reason: 'user' });
  await hear('user.deleted', { userId: bob.id, occurredAt: new Date() });
  expect(await app.isRevoked([ada.id, sessionId])).toBe(true);
  expect(await app.holderOf(ada.key.key)).toBeUndefined();
  await expect(app.me(bob.id)).rejects.toMatchObject({ kind: 'unauthenticated' });
  await app.me(ada.id);
});

it('closes an account again, and opens again one that was brought back, whose password a mail sets', async () => {
  const { app, ports, store } = auth;
  const { id, email } = await person();
  await inTransaction(database().pool, async (tx) =>
    store.within(tx).append([
      {
        streamId: streamOf.user(id),
        expected: 1,
        events: [
          { type: 'user.email_verified', data: { userId: id, at: new Date().toISOString() } },
        ],
      },
    ]),
  );
  const about = { userId: id, occurredAt: new Date() };
  await hear('user.closed', about);
  expect(await app.listSessions(id)).toEqual([]);
  expect(await ports.accounts.openAt(email)).toBeUndefined();
  await hear('user.reopened', about);
  expect(await ports.accounts.openAt(email)).toBe(id);
  expect(await ports.accounts.closedBy(new Date())).toEqual([]);
});

it('ends a key whose newest secret is lost, and none that has it', async () => {
  const { app } = auth;
  const [lost, known] = [await person(), await person()];
  const secrets = { secretVersion: 2, previousValidUntil: new Date(), endedSecretVersions: [] };
  const rotated = ({ id, key }: Person) => ({ userId: id, keyId: key.id, ...secrets });
  const { key } = await app.rotateApiKey(known.id, known.key.id, 0);
  const history = await readStream(database().pool, streamOf.apiKey(known.key.id), 0, 10);
  const stored = history.at(-1)?.eventId;

  await hear('api_key.rotated', { ...rotated(lost), occurredAt: new Date() });
  await hear('api_key.rotated', { ...rotated(known), occurredAt: new Date() }, stored);
  expect(await app.holderOf(lost.key.key)).toBeUndefined();
  expect(await app.holderOf(key)).toMatchObject({ keyId: known.key.id });
});

it('passes by what was made after the backup, too: it is not there', async () => {
  const occurredAt = new Date();
  const about = { userId: randomUUID(), keyId: `key_${randomUUID()}`, occurredAt };
  await hear('api_key.revoked', { ...about, reason: 'user' });
  await hear('session.revoked', { ...about, sessionId: `ses_${randomUUID()}`, reason: 'logout' });
  await hear('user.deleted', about);
  expect(await streamHead(database().pool, streamOf.apiKey(about.keyId))).toBeUndefined();
});

interface Person {
  readonly id: string;
  readonly email: string;
  readonly key: { readonly id: string; readonly key: string };
}

async function person(): Promise<Person> {
  const newPerson = newcomer();
  const { id } = await auth.app.register(newPerson);
  await loggedIn(auth.app, newPerson);
  const { keyId, key } = await auth.app.createApiKey(id, { name: 'laptop' });
  return { id, email: newPerson.email, key: { id: keyId, key } };
}

async function hear<Type extends DomainEventType>(
  type: Type,
  data: DomainEventMessage<Type>,
  id: string = randomUUID(),
): Promise<void> {
  const headers = { ce_type: type, ce_id: id };
  const value = encodeDomainEvent(type, data);
  const at = { topic: 'auth.events.v1', partition: 0, offset: 0n, timestamp: new Date() };
  const record = { ...at, key: '', headers, value };
  await inTransaction(database().pool, async (tx) => onOwnEvents(auth.app)([record], tx));
}
