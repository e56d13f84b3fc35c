import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { KeyRing } from './key-ring.js';
import { type KeyUse, keyUses } from './key-use.js';
import type { RingPlace, RingSealed } from './ring-columns.js';
import { ringHeader, unwrapWithRing, wrapWithRing } from './ring-seal.js';
import { VaultError } from './vault-errors.js';

const BATCH = 500;
/**
 * Number of passes: rows that another transaction held are looked for again, and so are rows that an older replica has
 * just sealed.
 */
const PASSES = 5;
const BETWEEN_PASSES_MS = 200;

/** The ring, and every column in a database that needs its keys. */
export interface RingUse {
  readonly ring: KeyRing;
  readonly places: readonly RingPlace[];
}

export interface Rotation extends RingUse {
  readonly pool: pg.Pool;
}

export interface RotationProgress {
  /** `sealing`, then once `done`. */
  readonly phase: 'sealing' | 'done';
  /** Rows of this run: those sealed anew, and those to seal when it started. */
  readonly rowsDone: number;
  readonly rowsTotal: number;
  /** Rows of the last pass that do not open, which were left as they are. */
  readonly unreadable: number;
  /** Rows that are still under older keys, counted at the end; 0 before. */
  readonly rowsLeft: number;
}

/**
 * Seals with the newest key what older keys of the ring have sealed, one batch in a transaction, beside all other work.
 * Finished batches stay: after an abort or a kill the next run does the rest. A row that does not open is left alone.
 * Throws the signal's reason when it aborts.
 */
export async function* rotateKeys(
  { pool, ring, places }: Rotation,
  { signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<RotationProgress> {
  const rowsTotal = await countOlder(pool, ring, places);
  let [rowsDone, unreadable, rowsLeft] = [0, 0, rowsTotal];
  yield { phase: 'sealing', rowsDone, rowsTotal, unreadable, rowsLeft: 0 };
  for (let pass = 1; pass <= PASSES; pass++) {
    unreadable = 0;
    for (const place of places) {
      for await (const batch of sealedAnew(pool, ring, place, signal)) {
        rowsDone += batch.sealed;
        unreadable += batch.unreadable;
        yield { phase: 'sealing', rowsDone, rowsTotal, unreadable, rowsLeft: 0 };
      }
    }
    rowsLeft = await countOlder(pool, ring, places);
    if (rowsLeft <= unreadable || pass === PASSES) break;
    await pause(BETWEEN_PASSES_MS, undefined, { ...(signal && { signal }) });
  }
  yield { phase: 'done', rowsDone, rowsTotal, unreadable, rowsLeft };
}

/** Use of a key, for each key of the ring and each that the ring lacks; newest first, then by id. */
export interface KeyStanding {
  readonly keyId: string;
  readonly inRing: boolean;
  readonly newest: boolean;
  readonly uses: readonly KeyUse[];
}

export async function listKeys({ pool, ring, places }: Rotation): Promise<readonly KeyStanding[]> {
  const uses = await keyUses(pool, places);
  const ids = new Set([...ring.ids, ...uses.map(({ keyId }) => keyId).toSorted()]);
  return [...ids].map((keyId) => ({
    keyId,
    inRing: ring.find(keyId) !== undefined,
    newest: keyId === ring.newest.id,
    uses: uses.filter((use) => use.keyId === keyId),
  }));
}

async function countOlder(
  pool: pg.Pool,
  { newest }: KeyRing,
  places: readonly RingPlace[],
): Promise<number> {
  const uses = await keyUses(pool, places);
  return uses.reduce((sum, { keyId, rows }) => (keyId === newest.id ? sum : sum + rows), 0);
}

interface Batch {
  readonly sealed: number;
  readonly unreadable: number;
}

async function* sealedAnew(
  pool: pg.Pool,
  ring: KeyRing,
  place: RingPlace,
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch> {
  const header = ringHeader(ring.newest);
  for (let after: RingSealed['key'] | undefined; ; ) {
    signal?.throwIfAborted();
    const { found, renewed } = await inTransaction(pool, async (tx) => {
      const found = await place.read(tx, header, after, BATCH);
      const renewed = found.flatMap((row) => sealedWithNewest(ring, place, row));
      if (renewed.length > 0) await place.write(tx, ring.newest.id, renewed);
      return { found, renewed };
    });
    after = found.at(-1)?.key;
    if (after === undefined) return;
    yield { sealed: renewed.length, unreadable: found.length - renewed.length };
  }
}

/**
 * Seals a row anew. Returns nothing when the row does not open: one damaged row must not keep the others from being
 * sealed anew.
 */
function sealedWithNewest(
  ring: KeyRing,
  { purpose }: RingPlace,
  { key, sealed, place }: RingSealed,
): readonly RingSealed[] {
  try {
    const bytes = unwrapWithRing(ring, purpose, sealed, place);
    const anew = wrapWithRing(ring, purpose, bytes, place);
    bytes.fill(0);
    return [{ key, sealed: anew, place }];
  } catch (error) {
    if (error instanceof VaultError) return [];
    throw error;
  }
}
