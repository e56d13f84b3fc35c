import { idempotencyColumns } from '@junction/service/callers';
import type { RingColumn } from '@junction/vault';
import { mailedTokenColumn } from './account/mailed-tokens.js';
import { mailAddressColumn } from './mail/mail-queue.js';
import { totpSecretColumn } from './second-factor/factor-tables.js';
import { successorColumn } from './session/refresh-tokens.js';
import { signingKeyColumn } from './signing-key/signing-key-store.js';
import { troubleNameColumn } from './trouble/troubles.js';
import { accountStateColumn } from './undo/undo.js';

/** Everything that the key ring itself seals here. */
export const ringColumns: readonly RingColumn[] = [
  signingKeyColumn,
  successorColumn,
  mailAddressColumn,
  totpSecretColumn,
  accountStateColumn,
  troubleNameColumn,
  mailedTokenColumn,
  ...idempotencyColumns,
];
