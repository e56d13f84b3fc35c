import { AppError } from '@junction/errors';
import { type Client, clientName } from '../../domain/connection/events.js';
import { meaningFor, meaningOf, type SecurityEvent } from '../../domain/security-event.js';
import type { ConnectionRecord } from '../connections/ports.js';
import type { Ports } from '../ports.js';
import { clientFor, type NamedClient } from '../provider-of.js';
import type { Transaction } from '../unit-of-work.js';
import type { SecurityEventEffect } from './ports.js';
import { recordRevocation } from './record-revocation.js';

type SecurityEventPorts = Pick<Ports, 'providers' | 'unitOfWork' | 'log' | 'now'>;

/**
 * Receives a security event token (RFC 8417) that a provider pushed: when this resolves, the event is recorded and has
 * had its effect, in one transaction. An event that came before has no effect. Throws SecurityEventRefusal for a bad
 * token; AppError `security_events_not_set_up`, `keys_unavailable`.
 */
export const receiveSecurityEvent =
  (ports: SecurityEventPorts) =>
  async (named: NamedClient, token: string): Promise<void> => {
    const { oauth } = clientFor(ports.providers, named.provider, named.identityProvider);
    if (oauth.securityEvent === undefined) throw notSetUp();
    await takeSecurityEvent(ports, oauth.client, await oauth.securityEvent(token));
  };

/** Records a checked event and has it take effect, unless it came before. */
export async function takeSecurityEvent(
  ports: Pick<Ports, 'unitOfWork' | 'log' | 'now'>,
  client: Client,
  event: SecurityEvent,
): Promise<void> {
  const at = ports.now();
  const name = clientName(client);
  await ports.unitOfWork.inTransaction(async (tx) => {
    if (!(await tx.securityEvents.add(name, event))) return;
    const effect = await takeEffect(tx, ports, { client, event, at });
    if (effect) await tx.securityEvents.recordEffect(name, event.jti, effect);
  });
}

interface Taken {
  readonly client: Client;
  readonly event: SecurityEvent;
  readonly at: Date;
}

/** Applies an event to all its connections: several users may have connected an account. Returns the gravest effect. */
async function takeEffect(
  tx: Transaction,
  ports: Pick<Ports, 'log'>,
  taken: Taken,
): Promise<SecurityEventEffect | undefined> {
  const { client, event } = taken;
  const { subject } = event;
  if (subject === undefined || meaningOf(event.names).kind === 'none') return undefined;
  const found = await tx.connections.ofSubject(client, subject);
  // Tokens of some providers all begin alike: then a prefix names none of them.
  if (subject.by === 'token_prefix' && found.length > 1) return undefined;
  const effects = new Set<SecurityEventEffect | undefined>();
  for (const { userId } of found) {
    await tx.takeTurn(userId);
    // The connection is read again in the user's turn: a connect may have come first.
    const [connection] = await tx.connections.ofSubject(client, subject, userId);
    if (connection) effects.add(await takeEffectOn(tx, ports, connection, taken));
  }
  return (['ended', 'suspected'] as const).find((effect) => effects.has(effect));
}

async function takeEffectOn(
  tx: Transaction,
  ports: Pick<Ports, 'log'>,
  connection: ConnectionRecord,
  { event, at }: Taken,
): Promise<SecurityEventEffect | undefined> {
  const meaning = meaningFor(meaningOf(event.names), event.happenedAt, connection.connectedAt);
  switch (meaning.kind) {
    case 'end': {
      const { reason } = meaning;
      return (await recordRevocation(tx, ports, { connection, reason, at })) ? 'ended' : undefined;
    }
    case 'suspect':
      return (await tx.checks.suspect(connection.connectionId)) ? 'suspected' : undefined;
    case 'none':
      return undefined;
  }
}

const notSetUp = (): AppError =>
  new AppError(
    'security_events_not_set_up',
    'No security events are taken from this provider here.',
  );
