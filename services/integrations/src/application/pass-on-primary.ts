import { hasEnded } from '../domain/connection/events.js';
import type { ConnectionRecord } from './connections/ports.js';
import { bySystem } from './handle-command.js';
import type { Transaction } from './unit-of-work.js';

/** Makes the oldest standing connection of a kind the primary for good, when the primary has ended. */
export async function passOnPrimary(
  tx: Transaction,
  { isPrimary: wasPrimary, userId, provider }: ConnectionRecord,
  at: string,
): Promise<void> {
  if (!wasPrimary) return;
  const [next] = await tx.connections.ofKind(userId, provider);
  if (next === undefined || hasEnded(next.status)) return;
  const command = { type: 'MakePrimary', data: { at } } as const;
  await tx.handle(next.connectionId, command, { actor: bySystem });
}
