import { idempotencyColumns } from '@junction/service/callers';
import type { RingColumn } from '@junction/vault';
import { authorizationColumn } from './connecting/authorizations.js';
import { revocationColumn } from './ending/revocations.js';

/** Everything that the key ring itself seals here. */
export const ringColumns: readonly RingColumn[] = [
  authorizationColumn,
  revocationColumn,
  ...idempotencyColumns,
];
