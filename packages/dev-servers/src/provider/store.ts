import type { Adapter } from 'oidc-provider';
import { purgeExpired, storeAdapter } from './adapter.js';
import { createRecords, type StoredRecord } from './records.js';

/** Everything the provider remembers. In memory; a snapshot carries it over a restart. */
export interface Store {
  readonly adapter: (model: string) => Adapter;
  /** The ids of an account's grants, or of those to one client. */
  readonly grantsOf: (accountId: string, clientId?: string) => readonly string[];
  /** The ids of the clients that an account has granted something. */
  readonly clientsOf: (accountId: string) => readonly string[];
  /** The hashes by which security events name the refresh tokens of a grant that are still good. */
  readonly refreshTokensOf: (grantId: string) => readonly string[];
  /** Ends a grant with every code and token that came from it. */
  readonly revokeGrant: (grantId: string) => void;
  readonly records: () => readonly StoredRecord[];
}

export interface StoreOptions {
  readonly records?: readonly StoredRecord[];
  readonly changed?: () => void;
  readonly now?: () => number;
  /** Makes the error for a code or a refresh token that is used twice at the same time. */
  readonly usedTwice?: () => Error;
}

export function createStore(options: StoreOptions = {}): Store {
  const { changed = () => {}, now = () => Date.now() } = options;
  const { usedTwice = () => new Error('used twice') } = options;
  const records = createRecords(options.records ?? []);

  const revokeGrant = (grantId: string) => {
    const grant = records.get('Grant', grantId);
    for (const record of records.issuedFrom(grantId)) records.drop(record);
    if (grant) records.drop(grant);
    changed();
  };

  const grantsIn = (accountId: string) =>
    records
      .all()
      .filter(({ model, payload }) => model === 'Grant' && payload.accountId === accountId);

  return {
    adapter: (model) => storeAdapter(model, { records, changed, now, revokeGrant, usedTwice }),
    grantsOf: (accountId, clientId) =>
      grantsIn(accountId)
        .filter(({ payload }) => clientId === undefined || payload.clientId === clientId)
        .map(({ id }) => id),
    clientsOf: (accountId) => [
      ...new Set(grantsIn(accountId).flatMap(({ payload }) => payload.clientId ?? [])),
    ],
    refreshTokensOf: (grantId) =>
      records
        .issuedFrom(grantId)
        .filter(({ payload, expiresAtMs }) => payload.consumed === undefined && expiresAtMs > now())
        .flatMap(({ tokenHash }) => tokenHash ?? []),
    revokeGrant,
    records() {
      purgeExpired(records, now());
      return records.all();
    },
  };
}
