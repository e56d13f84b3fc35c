import type { AdapterPayload } from 'oidc-provider';

/** An object of oidc-provider: a grant, a token, a browser session. */
export interface StoredRecord {
  readonly model: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
  /** Name of a refresh token in security events: the SHA-512 of its SHA-512, in base64. Other records have none. */
  readonly tokenHash?: string;
}

/** Records by model and id, and the two other ways in which they are looked for. */
export interface Records {
  get(model: string, id: string): StoredRecord | undefined;
  sessionWithUid(uid: string): StoredRecord | undefined;
  /** The codes and tokens that came from a grant. */
  issuedFrom(grantId: string): readonly StoredRecord[];
  /** Oldest first. */
  all(): readonly StoredRecord[];
  size(): number;
  put(record: StoredRecord): void;
  drop(record: StoredRecord): void;
}

export function createRecords(initial: readonly StoredRecord[]): Records {
  const byKey = new Map<string, StoredRecord>();
  const byUid = new Map<string, StoredRecord>();
  const byGrant = new Map<string, Set<StoredRecord>>();

  function drop({ model, id }: StoredRecord): void {
    const record = byKey.get(keyOf(model, id));
    if (!record) return;
    byKey.delete(keyOf(model, id));
    const { uid = '', grantId = '' } = record.payload;
    if (byUid.get(uid) === record) byUid.delete(uid);
    byGrant.get(grantId)?.delete(record);
    if (byGrant.get(grantId)?.size === 0) byGrant.delete(grantId);
  }

  function put(record: StoredRecord): void {
    drop(record);
    const { model, id, payload } = record;
    byKey.set(keyOf(model, id), record);
    if (model === 'Session' && payload.uid) byUid.set(payload.uid, record);
    if (payload.grantId) {
      byGrant.set(payload.grantId, (byGrant.get(payload.grantId) ?? new Set()).add(record));
    }
  }

  for (const record of initial) put(record);
  return {
    get: (model, id) => byKey.get(keyOf(model, id)),
    sessionWithUid: (uid) => byUid.get(uid),
    issuedFrom: (grantId) => [...(byGrant.get(grantId) ?? [])],
    all: () => [...byKey.values()],
    size: () => byKey.size,
    put,
    drop,
  };
}

const keyOf = (model: string, id: string): string => `${model}:${id}`;
