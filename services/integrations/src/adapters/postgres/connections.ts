import { randomUUID } from 'node:crypto';
import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { ShreddedError } from '@junction/vault';
import type pg from 'pg';
import type { Connections, Grant } from '../../application/needs.js';
import type { ConnectionCommand } from '../../domain/connection/decider.js';
import type { Connected, ConnectionEvent, Provider } from '../../domain/connection/events.js';
import { isLive } from '../../domain/connection/is-live.js';
import type { ConnectionRow } from '../../projections/connection-row.js';
import { historyItem } from '../../projections/history-item.js';
import { beginChecks } from './checks.js';
import {
  act,
  byItself,
  byUser,
  type ConnectionStore,
  connectionStream,
} from './connection-store.js';
import type { Credentials } from './credentials.js';
import { standingConnections } from './standing.js';
import { inUserTransaction, persistently } from './user-transaction.js';

/** The tokens are nowhere else yet. */
const CONNECT_FOR_MS = 5_000;

export interface ConnectionsOptions {
  readonly pool: pg.Pool;
  readonly store: ConnectionStore;
  readonly credentials: Credentials;
  readonly afterCommit: () => void;
}

/** Connections as requests see and change them. */
export function postgresConnections(options: ConnectionsOptions): Connections {
  const { pool, store, credentials, afterCommit } = options;
  return {
    async list(userId) {
      const { rows } = await pool.query<ConnectionRow>({
        name: 'connections_of_user',
        text: 'select * from connections where user_id = $1 order by provider desc',
        values: [userId],
      });
      return rows;
    },

    find: (userId, provider) => find(pool, userId, provider),

    history: historyIn(store),

    standing: standingConnections(pool, credentials),

    connect: connectIn(options),

    async disconnect(userId, provider, at) {
      await inUserTransaction(pool, userId, async (tx) => {
        const row = await find(tx, userId, provider);
        if (row === undefined) return;
        const { connection_id: connectionId } = row;
        const command = { type: 'Disconnect', data: { at: at.toISOString() } } as const;
        await act(store, tx, { connectionId, command, actor: byUser(userId) });
        const isQueued = await credentials.revoke(tx, connectionId, row.account_id);
        if (isQueued || !isLive(row.status)) return;
        // Its user waits for a revocation, and there is none to come.
        await act(store, tx, { connectionId, command: givenUp(at), actor: byItself });
      });
      afterCommit();
    },
  };
}

/** Tokens that are nowhere else yet are saved in spite of a short outage. */
const connectIn =
  (options: ConnectionsOptions): Connections['connect'] =>
  async (userId, provider, grant, { separateGrants, at }) => {
    const { pool, afterCommit } = options;
    const wish = { userId, provider, grant, separateGrants, at, commandId: randomUUID() };
    const work = async (tx: pg.PoolClient) => connectWithin(tx, options, wish);
    const connecting = persistently(CONNECT_FOR_MS, async () =>
      inUserTransaction(pool, userId, work),
    );
    const outcome = await connecting.catch((error: unknown) => {
      throw error instanceof ShreddedError ? userIsGone(error) : error;
    });
    afterCommit();
    return outcome;
  };

const historyIn =
  (store: ConnectionStore): Connections['history'] =>
  async (connectionId, page) => {
    const events = await store.recent(connectionStream(connectionId), page);
    return events.map(({ version, event, metadata }) => ({
      version,
      item: historyItem(event, metadata.actor),
    }));
  };

const givenUp = (at: Date): ConnectionCommand => ({
  type: 'SettleRevocation',
  data: { outcome: 'failed', at: at.toISOString() },
});

async function find(
  db: pg.Pool | pg.ClientBase,
  userId: string,
  provider: Provider,
): Promise<ConnectionRow | undefined> {
  const { rows } = await db.query<ConnectionRow>({
    name: 'connection_of_user',
    text: 'select * from connections where user_id = $1 and provider = $2',
    values: [userId, provider],
  });
  return rows[0];
}

interface ConnectWish {
  readonly userId: string;
  readonly provider: Provider;
  readonly grant: Grant;
  readonly separateGrants: boolean;
  readonly at: Date;
  /** The same in every repetition: a commit whose answer was lost is recognised. */
  readonly commandId: string;
}

async function connectWithin(
  tx: pg.PoolClient,
  { store, credentials }: ConnectionsOptions,
  wish: ConnectWish,
): Promise<{ readonly accountChanged: boolean }> {
  const { userId, provider, grant, separateGrants, at, commandId } = wish;
  const row = await find(tx, userId, provider);
  const connectionId = row?.connection_id ?? newId('con', at);
  const accountChanged = row !== undefined && row.account_id !== grant.accountId;
  const { events, repeated } = await act(store, tx, {
    connectionId,
    command: connectCommand(wish, accountChanged),
    actor: byUser(userId),
    commandId,
  });
  const { credentialVersion: version, accountChanged: changed = false } = connectedIn(events);
  const outcome = { accountChanged: changed };
  if (repeated) return outcome;

  // Revoking old tokens of this very account could take the new ones along.
  if (!separateGrants) await credentials.forgive(tx, connectionId, grant.accountId);
  const mayRevoke = separateGrants || accountChanged;
  if (row && mayRevoke) await credentials.revoke(tx, connectionId, row.account_id);
  else await credentials.drop(tx, connectionId);
  await credentials.insert(tx, { connectionId, version, tokens: grant, issuedAt: at });
  await beginChecks(tx, connectionId, provider);
  return outcome;
}

function connectCommand(
  { userId, provider, grant, at }: ConnectWish,
  accountChanged: boolean,
): ConnectionCommand {
  const { scopes, account, accountId, refreshToken, expiresAt } = grant;
  const data = {
    userId,
    provider,
    ...scopes,
    account,
    accountId,
    ...(accountChanged && { accountChanged }),
    renewable: refreshToken !== undefined,
    expiresAt: expiresAt.toISOString(),
    at: at.toISOString(),
  };
  return { type: 'Connect', data };
}

function connectedIn(events: readonly ConnectionEvent[]): Connected {
  const connected = events.find(({ type }) => type === 'integration.connected');
  if (connected?.type === 'integration.connected') return connected.data;
  throw new Error('Nothing was connected.');
}

const userIsGone = (cause: unknown): AppError =>
  new AppError('unauthenticated', 'unauthenticated', 'This account no longer exists.', { cause });
