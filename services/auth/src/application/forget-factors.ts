import type { Tables } from './unit-of-work.js';

/** A user without a factor needs no recovery codes, and the sessions have no factor to show again. */
export async function forgetFactors(tx: Tables, userId: string): Promise<void> {
  await tx.recoveryCodes.replace(userId, []);
  await tx.sessionProofs.delete(userId);
}
