import { randomUUID } from 'node:crypto';
import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { CHECK_EVERY_MS } from '../../domain/check-interval.js';
import type { ConnectionCommand } from '../../domain/connection/decider.js';
import {
  type Connected,
  type ConnectionEvent,
  clientName,
  isLive,
  type Provider,
} from '../../domain/connection/events.js';
import { refreshAt } from '../../domain/refresh-ahead.js';
import type { ConnectionRecord } from '../connections/ports.js';
import { byUser } from '../handle-command.js';
import type { Grant } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { revokeTokens } from '../revoke-tokens.js';
import type { Transaction } from '../unit-of-work.js';
import type { ConnectOutcome, ConsumedAuthorization, SentCode } from './ports.js';

/**
 * Milliseconds for which saving is repeated: the tokens exist nowhere else yet, so a short outage of the database must
 * not lose them.
 */
const RETRY_FOR_MS = 5_000;

/** Most connections of a user and kind, ended ones included: a list of connections is read as a whole. */
const ACCOUNTS_MAX = 50;

type SavingPorts = Pick<Ports, 'unitOfWork' | 'log' | 'now' | 'chance'>;

/** Connection to be made, by a code. */
export interface NewConnection extends SentCode {
  readonly grant: Grant;
  /** Authorization that the grant came from. */
  readonly consumed: ConsumedAuthorization;
  /** Whether grants are separate, as in `OAuthProvider`. */
  readonly separateGrants: boolean;
}

/**
 * Starts or continues the connection of an account, in one transaction with its tokens. Tokens that the connection had
 * are queued to be revoked, unless revoking them would take the new tokens along. The connection becomes the primary of
 * its kind when no other works. AppError `unauthenticated` when the user was deleted meanwhile, `disconnected` when
 * this provider was, `too_many_accounts`.
 */
export async function saveConnection(
  ports: SavingPorts,
  connection: NewConnection,
): Promise<ConnectOutcome> {
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
  { log, chance }: SavingPorts,
  { grant: given, ...asked }: Saving,
): Promise<ConnectOutcome> {
  const { userId, identityProvider, provider, consumed, separateGrants, at } = asked;
  const account = { userId, identityProvider, provider, accountId: given.accountId };
  const existing = await tx.connections.find(account);
  const connectionId = existing?.connectionId ?? newId('con', at);
  const known = await tx.connections.ofKind(userId, provider);
  if (existing === undefined && known.length >= ACCOUNTS_MAX) throw tooManyAccounts(provider);
  const [primary] = known;
  // An earlier consent stays good when all consents of an account are one grant: Google gives a refresh token with the
  // first consent alone, unless it is asked to have the user consent again.
  const refreshToken =
    given.refreshToken ?? (separateGrants ? undefined : await refreshTokenOf(tx, connectionId));
  const grant = { ...given, refreshToken };
  const saving = { ...asked, grant };
  const context = { actor: byUser(userId), commandId: saving.commandId };
  const command = connectCommand(saving, existing, primary);
  const { events, repeated } = await tx.handle(connectionId, command, context);
  const { credentialVersion: version, renewable } = connectedIn(events);
  const { unaskedScopes, scopes } = grant;
  const outcome = { connectionId, renewable, missingScopes: scopes.missingScopes, unaskedScopes };
  if (repeated) return outcome;
  if (!(await tx.authorizations.complete(consumed))) throw endedMeanwhile(provider);

  // When grants are not separate, revoking old tokens of this account could take the new tokens along.
  if (existing && separateGrants) await revokeTokens(tx, log, connectionId);
  else await tx.credentials.delete([connectionId]);
  const client = clientName(saving);
  await tx.credentials.insert({
    connectionId,
    client,
    version,
    tokens: grant,
    issuedAt: at,
    refreshAt: refreshAt(at, grant, chance()),
  });
  // The first check comes when the connection has had time to end.
  await tx.checks.add(connectionId, client, CHECK_EVERY_MS);
  await tx.usedCodes.end(saving, { connected: outcome });
  return outcome;
}

async function refreshTokenOf(tx: Transaction, connectionId: string): Promise<string | undefined> {
  const held = await tx.credentials.revocable(connectionId);
  const isRefreshToken = held?.kind === 'readable' && held.token.hint === 'refresh_token';
  return isRefreshToken ? held.token.token : undefined;
}

function connectCommand(
  { userId, identityProvider, provider, grant, at }: Saving,
  existing: ConnectionRecord | undefined,
  primary: ConnectionRecord | undefined,
): ConnectionCommand {
  const { scopes, account, accountId, refreshToken, expiresAt } = grant;
  const isPrimary = primary !== undefined && primary.connectionId === existing?.connectionId;
  const madePrimary = !isPrimary && !isLive(primary?.status ?? 'not_connected');
  const data = {
    userId,
    identityProvider,
    provider,
    ...scopes,
    credentialVersion: (existing?.credentialVersion ?? 0) + 1,
    account,
    accountId,
    ...(madePrimary && { madePrimary }),
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

const tooManyAccounts = (provider: Provider): AppError =>
  new AppError(
    'too_many_accounts',
    `${ACCOUNTS_MAX} accounts of this kind (${provider}) were connected, and there can be no more. What this code gave is revoked; accounts that were connected before can be connected again.`,
  );

const endedMeanwhile = (provider: Provider): AppError =>
  new AppError(
    'disconnected',
    `This provider was disconnected while its code was exchanged, and what it gave is revoked. Begin again with GET /api/integrations/${provider}/authorize.`,
  );
