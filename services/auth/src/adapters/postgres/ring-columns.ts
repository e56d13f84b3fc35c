import type { RingColumn } from '@junction/vault';
import { totpSecretColumn } from './factor-tables.js';
import { mailAddressColumn } from './mail-queue.js';
import { successorColumn } from './refresh-tokens.js';
import { signingKeyColumn } from './signing-key-store.js';
import { accountStateColumn } from './undo.js';

/** Everything that the key ring itself seals here. */
export const ringColumns: readonly RingColumn[] = [
  signingKeyColumn,
  successorColumn,
  mailAddressColumn,
  totpSecretColumn,
  accountStateColumn,
];
