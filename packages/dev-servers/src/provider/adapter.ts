import { createHash } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Records, StoredRecord } from './records.js';

/** Number of records at which room is made: expired and spent records go first, then the oldest. */
const RECORDS_MAX = 50_000;
const RECORDS_KEPT = 45_000;

/**
 * Models whose id is the secret that an app presents. Only a hash of such an id is kept, so the data file opens no
 * mailbox.
 */
const BEARERS: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode']);

export interface AdapterNeeds {
  readonly records: Records;
  readonly changed: () => void;
  readonly now: () => number;
  readonly revokeGrant: (grantId: string) => void;
  /** Makes the error for a code or a refresh token that is used twice at the same time. */
  readonly usedTwice: () => Error;
}

/** The records of one model, as oidc-provider reads and writes them. */
export function storeAdapter(model: string, needs: AdapterNeeds): Adapter {
  const { records, changed, now, revokeGrant, usedTwice } = needs;
  const keyOf = (id: string) => (BEARERS.has(model) ? sha256(id) : id);

  return {
    async upsert(id, payload, expiresInS) {
      if (records.size() >= RECORDS_MAX) makeRoom(records, now());
      const expiresAtMs = expiresInS ? now() + expiresInS * 1000 : Number.MAX_SAFE_INTEGER;
      const kept = { ...structuredClone(payload), jti: undefined };
      const named = model === 'RefreshToken' && { tokenHash: doubleSha512(id) };
      records.put({ model, id: keyOf(id), payload: kept, expiresAtMs, ...named });
      changed();
    },

    find: async (id) => copyOf(records.get(model, keyOf(id)), id, now()),

    async findByUid(uid) {
      const session = records.sessionWithUid(uid);
      return copyOf(session, session?.id, now());
    },

    findByUserCode: async () => undefined, // Only the device flow asks, and it is off.

    async consume(id) {
      const payload = records.get(model, keyOf(id))?.payload;
      // Two requests at once may both have found it unused, and oidc-provider asks no further.
      if (payload?.consumed !== undefined) {
        revokeGrant(payload.grantId ?? '');
        throw usedTwice();
      }
      if (payload) payload.consumed = Math.floor(now() / 1000);
      changed();
    },

    async destroy(id) {
      const record = records.get(model, keyOf(id));
      if (record) records.drop(record);
      changed();
    },

    revokeByGrantId: async (grantId) => revokeGrant(grantId),
  };
}

/** A database would hand out copies, and oidc-provider changes what it is given. */
function copyOf(
  record: StoredRecord | undefined,
  id: string | undefined,
  nowMs: number,
): AdapterPayload | undefined {
  if (!record || record.expiresAtMs <= nowMs) return undefined;
  return { ...structuredClone(record.payload), jti: id };
}

export function purgeExpired(records: Records, nowMs: number): void {
  for (const record of records.all()) if (record.expiresAtMs <= nowMs) records.drop(record);
}

function makeRoom(records: Records, nowMs: number): void {
  purgeExpired(records, nowMs);
  const all = records.all();
  const dispensable = [...all.filter(isSpent), ...all.filter((record) => !isSpent(record))];
  const tooMany = Math.max(0, all.length - RECORDS_KEPT);
  for (const record of dispensable.slice(0, tooMany)) records.drop(record);
}

/** Says whether a record is an access token or has been used up: no connection ends when such a record is forgotten. */
const isSpent = ({ model, payload }: StoredRecord): boolean =>
  model === 'AccessToken' || payload.consumed !== undefined;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

const doubleSha512 = (text: string): string => sha512(sha512(text)).toString('base64');

const sha512 = (bytes: Buffer | string): Buffer => createHash('sha512').update(bytes).digest();
