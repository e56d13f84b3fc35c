import type { Transaction } from './unit-of-work.js';

/**
 * Sets a password. Links that were mailed before count no more, nor do logins that wait for a second factor: who began
 * them may not be who knows the new password.
 */
export async function setPassword(tx: Transaction, userId: string, hash: string): Promise<void> {
  await tx.passwords.save(userId, hash);
  await tx.mailedTokens.delete(userId);
  await tx.pendingLogins.delete(userId);
  await tx.mails.delete(userId, 'change_email');
}
