import { AppError } from '@junction/errors';
import type { Provider } from '../domain/connection/events.js';
import { meaningFor, meaningOf, type SecurityEvent } from '../domain/security-event.js';
import type { ConnectionRecord, Ports } from './ports.js';
import { providerOf } from './provider-of.js';
import { recordRevocation } from './record-revocation.js';
import type { SecurityEventEffect, Transaction } from './unit-of-work.js';

type SecurityEventPorts = Pick<Ports, 'providers' | 'unitOfWork' | 'log' | 'now'>;

/**
 * Takes a security event token (RFC 8417) that a provider pushed: when this resolves, it is recorded
 * and has had its effect, in one transaction. One that came before has none. Throws SecurityEventRefusal for
 * a token that is not good; AppError `security_events_not_set_up`, `keys_unavailable`.
 */
export const receiveSecurityEvent =
  (ports: SecurityEventPorts) =>
  async (providerName: string, token: string): Promise<void> => {
    const { name, provider } = providerOf(ports.providers, providerName);
    if (provider.securityEvent === undefined) throw notSetUp();
    await takeSecurityEvent(ports, name, await provider.securityEvent(token));
  };

/** Records a checked event and has it take effect, unless it came before. */
export async function takeSecurityEvent(
  ports: Pick<Ports, 'unitOfWork' | 'log' | 'now'>,
  provider: Provider,
  event: SecurityEvent,
): Promise<void> {
  const at = ports.now();
  await ports.unitOfWork.inTransaction(async (tx) => {
    if (!(await tx.securityEvents.add(provider, event))) return;
    const effect = await takeEffect(tx, ports, { provider, event, at });
    if (effect) await tx.securityEvents.recordEffect(provider, event.jti, effect);
  });
}

interface Taken {
  readonly provider: Provider;
  readonly event: SecurityEvent;
  readonly at: Date;
}

/** On all connections it is about: several users may have connected an account. The gravest is given. */
async function takeEffect(
  tx: Transaction,
  ports: Pick<Ports, 'log'>,
  taken: Taken,
): Promise<SecurityEventEffect | undefined> {
  const { provider, event } = taken;
  const { subject } = event;
  if (subject === undefined || meaningOf(event.names).kind === 'none') return undefined;
  const found = await tx.connections.ofSubject(provider, subject);
  // Tokens of some providers all begin alike: then it names none of them.
  if (subject.by === 'token_prefix' && found.length > 1) return undefined;
  const effects = new Set<SecurityEventEffect | undefined>();
  for (const { user_id: userId } of found) {
    await tx.takeTurn(userId);
    // Read again in the user's turn: a connect may have come first, with this account or another one.
    const [connection] = await tx.connections.ofSubject(provider, subject, userId);
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
  const meaning = meaningFor(meaningOf(event.names), event.happenedAt, connection.connected_at);
  switch (meaning.kind) {
    case 'end': {
      const { reason } = meaning;
      return (await recordRevocation(tx, ports, { connection, reason, at })) ? 'ended' : undefined;
    }
    case 'suspect':
      return (await tx.checks.suspect(connection.connection_id)) ? 'suspected' : undefined;
    case 'none':
      return undefined;
  }
}

const notSetUp = (): AppError =>
  new AppError(
    'not_found',
    'security_events_not_set_up',
    'No security events are taken from this provider here.',
  );
