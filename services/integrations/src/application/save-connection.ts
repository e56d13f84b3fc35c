import { randomUUID } from 'node:crypto';
import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { ConnectionCommand } from '../domain/connection/decider.js';
import type { Connected, ConnectionEvent, Provider } from '../domain/connection/events.js';
import { CHECK_EVERY_MS } from './check.js';
import { byUser } from './handle-command.js';
import type { ConnectionRecord, ConsumedAuthorization, Grant, Ports } from './ports.js';
import { revokeTokens } from './revoke-tokens.js';
import type { Transaction } from './unit-of-work.js';

/** The tokens are nowhere else yet, so a short outage of the database must not lose them. */
const RETRY_FOR_MS = 5_000;

export interface NewConnection {
  readonly userId: string;
  readonly provider: Provider;
  readonly grant: Grant;
  /** What the grant came of. */
  readonly consumed: ConsumedAuthorization;
  /** As in `OAuthProvider`. */
  readonly separateGrants: boolean;
}

/**
 * Begins or continues the connection, in one transaction with its tokens. Tokens it had are queued to be
 * revoked, unless revoking them would take the new ones along; those of another account always are.
 * AppError `unauthenticated` when the user was deleted meanwhile, `disconnected` when this provider was.
 */
export async function saveConnection(
  ports: Pick<Ports, 'unitOfWork' | 'log' | 'now'>,
  connection: NewConnection,
): Promise<{ readonly accountChanged: boolean }> {
  const saving = { ...connection, at: ports.now(), commandId: randomUUID() };
  return ports.unitOfWork.inUserTurn(connection.userId, async (tx) => saveIn(tx, ports, saving), {
    retryForMs: RETRY_FOR_MS,
  });
}

interface Saving extends NewConnection {
  readonly at: Date;
  readonly commandId: string;
}

async function saveIn(
  tx: Transaction,
  { log }: Pick<Ports, 'log'>,
  saving: Saving,
): Promise<{ readonly accountChanged: boolean }> {
  const { userId, provider, grant, consumed, separateGrants, at, commandId } = saving;
  const existing = await tx.connections.find(userId, provider);
  const connectionId = existing?.connection_id ?? newId('con', at);
  const context = { actor: byUser(userId), commandId };
  const handled = await tx.handle(connectionId, connectCommand(saving, existing), context);
  const { credentialVersion: version, accountChanged = false } = connectedIn(handled.events);
  if (handled.repeated) return { accountChanged };
  if (!(await tx.authorizations.complete(consumed))) throw endedMeanwhile(provider);

  // Revoking old tokens of this very account could take the new ones along.
  if (!separateGrants) await tx.revocations.cancelPending(connectionId, grant.accountId);
  if (existing && (separateGrants || accountChanged)) await revokeTokens(tx, log, existing);
  else await tx.credentials.delete(connectionId);
  const credential = { connectionId, provider, version, tokens: grant, issuedAt: at };
  await tx.credentials.insert(credential);
  // Asked about for the first time when it has had time to end.
  await tx.checks.add(connectionId, provider, CHECK_EVERY_MS);
  return { accountChanged };
}

function connectCommand(
  { userId, provider, grant, at }: Saving,
  existing: ConnectionRecord | undefined,
): ConnectionCommand {
  const { scopes, account, accountId, refreshToken, expiresAt } = grant;
  const data = {
    userId,
    provider,
    ...scopes,
    credentialVersion: (existing?.credential_version ?? 0) + 1,
    account,
    accountId,
    ...(existing !== undefined &&
      existing.account_id !== accountId && { accountChanged: true as const }),
    renewable: refreshToken !== undefined,
    expiresAt: expiresAt.toISOString(),
    at: at.toISOString(),
  };
  return { type: 'Connect', data };
}

function connectedIn(events: readonly ConnectionEvent[]): Connected {
  const connected = events.find((event) => event.type === 'integration.connected');
  if (connected) return connected.data;
  throw new Error('Nothing was connected.');
}

const endedMeanwhile = (provider: Provider): AppError =>
  new AppError(
    'conflict',
    'disconnected',
    `This provider was disconnected while its code was exchanged, and what it gave is revoked. Begin again with GET /api/integrations/${provider}/authorize.`,
  );
