import { randomBytes, randomUUID } from 'node:crypto';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { storeOn } from '@junction/service/testing';
import { useDatabase } from '@junction/testing';
import { keyRing, subjectVault, type Vault } from '@junction/vault';
import type pg from 'pg';
import { dueBacklog } from '../src/adapters/postgres/refreshing/due-refreshes.js';
import { tablesOn } from '../src/adapters/postgres/tables.js';
import { transactionOn } from '../src/adapters/postgres/unit-of-work.js';
import { consumeCode } from '../src/application/connecting/consume-code.js';
import {
  type NewConnection,
  saveConnection,
} from '../src/application/connecting/save-connection.js';
import { type DeletedUser, deleteUsers } from '../src/application/ending/delete-users.js';
import { disconnect } from '../src/application/ending/disconnect.js';
import type { Grant } from '../src/application/oauth-provider.js';
import type { Ports } from '../src/application/ports.js';
import type { Lease, LeaseAnswer } from '../src/application/refreshing/ports.js';
import type { Transaction } from '../src/application/unit-of-work.js';
import type { Provider } from '../src/domain/connection/events.js';
import { service } from '../src/service.js';
import { integrationsSchema } from './schema.js';

const HOUR_MS = 3_600_000;
export const RING_TEXT = `k1:${randomBytes(32).toString('base64url')}`;
const RING = keyRing(RING_TEXT);

/** Creates the ports and use cases on a database of the test file's own. */
export function useAdapters() {
  const database = useDatabase(integrationsSchema);
  return () => adaptersOn(database().pool);
}

const log = { info() {}, warn() {}, error() {} };
const monotonicMs = () => performance.now();

/** Creates the ports on this pool: another pool than the database's own may be cut off, say. */
export function adaptersOn(pool: pg.Pool, vault: Vault = subjectVault({ pool, ring: RING })) {
  const store = storeOn(service.streams, pool, vault);
  const afterCommit = () => {};
  const writing = {
    pool,
    store,
    vault,
    ring: RING,
    monotonicMs,
    afterCommit,
    afterRefresh: afterCommit,
  };
  const ports: Ports = {
    providers: new Map(),
    identityProviders: [],
    returnTo: new Set(),
    ...tablesOn(writing),
    refreshEnded: () => undefined,
    log,
    now: () => new Date(),
    monotonicMs,
    chance: Math.random,
    random: randomBytes,
  };
  const within = async <T>(work: (tx: Transaction) => Promise<T>) =>
    inTransaction(pool, async (tx) => work(transactionOn(tx, writing)));
  return {
    ...ports,
    ports,
    pool,
    vault,
    backlog: async () => dueBacklog(pool, ['acme/mailbox', 'acme/calendar']),
    store,
    within,
    async connect(connection: Omit<NewConnection, 'consumed' | 'code'>, at = new Date()) {
      const { userId, identityProvider, provider } = connection;
      const owner = { userId, identityProvider, provider };
      const [state, code] = [randomUUID(), randomUUID()];
      const asked = { state, nonce: 'n', verifier: 'v', redirectUri: 'r', returnTo: undefined };
      await ports.authorizations.add({ ...asked, ...owner }, { validForS: 600, keptMax: 20 });
      const presented = { ...owner, code, state, onLimit: () => {} };
      const consumed = await newlyConsumed(ports, presented);
      const saving = { ...connection, code, consumed };
      return (await saveConnection({ ...ports, now: () => at }, saving)).connectionId;
    },
    disconnect: disconnect(ports),
    deleteUsers: (users: readonly DeletedUser[]) =>
      within(async (tx) => deleteUsers(log)(tx, users)),
  };
}

/** Uses up a code that nobody sent before. */
export async function newlyConsumed(...args: Parameters<typeof consumeCode>) {
  const consumed = await consumeCode(...args);
  if ('stateHash' in consumed) return consumed;
  throw new Error('This code has connected before.');
}

/** Creates tokens like no others, for the account of a user. */
export const newGrant = (changes: Partial<Grant> = {}): Grant => ({
  accessToken: `at ${randomUUID()}`,
  refreshToken: `rt ${randomUUID()}`,
  expiresAt: new Date(Date.now() + HOUR_MS),
  scopes: { grantedScopes: ['mailbox.readonly'], missingScopes: ['mailbox.send'] },
  unaskedScopes: [],
  account: 'ada@example.com',
  accountId: 'account-1',
  ...changes,
});

export function leaseIn(answer: LeaseAnswer): Lease {
  if (answer.kind === 'ours') return answer.lease;
  throw new Error(`The lease is not ours: ${answer.kind}.`);
}

/** Returns a user who can connect this provider, with reads of what is then stored about the user. */
export function newUser(adapters: ReturnType<typeof useAdapters>, provider: Provider = 'mailbox') {
  const { connect, connections, currentConnections, disconnect, deleteUsers, leases, pool } =
    adapters();
  const id = randomUUID();
  const row = async () => (await connections.ofKind(id, provider))[0];
  const current = async () => currentConnections.find(id, provider);
  const connectionId = async () => (await row())?.connectionId ?? '';
  const hasTokens = async () => (await current())?.credential !== undefined;
  const lease = async (version = 1) => leases.acquire(await connectionId(), version);
  return {
    id,
    row,
    current,
    connectionId,
    lease,
    connect: async (
      grant = newGrant(),
      { separateGrants = true, at = new Date(), identityProvider = 'acme' } = {},
    ) => connect({ userId: id, identityProvider, provider, grant, separateGrants }, at),
    disconnect: async () => disconnect(id, provider),
    delete: async () => deleteUsers([{ userId: id, at: new Date(), isFinal: true }]),
    token: async () => (await current())?.credential?.open(),
    hasTokens,
    ours: async () => leaseIn(await lease()),
    /** Changes the credentials as time, or a fault, would have changed them. */
    change: async (what: string) =>
      pool.query(`update credentials set ${what} where connection_id = $1`, [await connectionId()]),
  };
}
