import type { RingColumn } from '@junction/vault';
import { accountStateColumn } from './account-notices.js';
import { mailAddressColumn } from './mail-queue.js';
import { successorColumn } from './refresh-tokens.js';
import { signingKeyColumn } from './signing-key-store.js';
import { totpSecretColumn } from './totp-column.js';

/** Everything that the key ring itself seals here. */
export const ringColumns: readonly RingColumn[] = [
  signingKeyColumn,
  successorColumn,
  mailAddressColumn,
  totpSecretColumn,
  accountStateColumn,
];
