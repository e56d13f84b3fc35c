import type { RingColumn } from '@junction/vault';

/** Secrets of authenticators are sealed for their user's row. */
export const placeOfTotp = (userId: string): string => `totp_secrets/secret_sealed/${userId}`;

export const totpSecretColumn: RingColumn = {
  table: 'totp_secrets',
  column: 'secret_sealed',
  key: 'user_id',
  keyType: 'uuid',
  place: placeOfTotp,
};
