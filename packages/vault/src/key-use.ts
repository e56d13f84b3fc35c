import type pg from 'pg';
import type { KeyRing } from './key-ring.js';
import type { RingPlace } from './ring-columns.js';
import { ringHeader, unwrapWithRing } from './ring-seal.js';
import { VaultError } from './vault-errors.js';

type Queryable = Pick<pg.Pool, 'query'>;

/** Number of values that one key has sealed in one column. */
export interface KeyUse {
  readonly keyId: string;
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/** Number of rows that are tried before an older key counts as a different one: a rotation leaves damaged rows. */
const SAMPLES = 5;

/** Counts what each key has sealed. A value that names no key at all is damaged, and counts for none. */
export async function keyUses(
  db: Queryable,
  places: readonly RingPlace[],
): Promise<readonly KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const { table, column } of places) {
    const { rows } = await db.query<{ keyId: string; rows: number }>(
      `select encode(substring(header from 3), 'escape') as "keyId", rows
         from (select substring(${column} from 1 for 2 + get_byte(${column}, 1)) as header,
                      count(*)::integer as rows
                 from ${table} where length(${column}) > 2 group by 1) as headers
        where get_byte(header, 0) = 2 and length(header) = 2 + get_byte(header, 1)
          and encode(substring(header from 3), 'escape') ~ '^[A-Za-z0-9_-]{1,32}$'
        order by 1`,
    );
    uses.push(...rows.map((row) => ({ ...row, table, column })));
  }
  return uses;
}

/**
 * Throws VaultError `unknown_key` when a value is sealed with a key that the ring lacks, or with another key of the
 * same id. For the start of a service. The error names ids and tables, and nothing that is sealed.
 */
export async function requireKeys(
  db: Queryable,
  ring: KeyRing,
  places: readonly RingPlace[],
): Promise<void> {
  const uses = await keyUses(db, places);
  for (const id of new Set(uses.map(({ keyId }) => keyId))) {
    const where = uses.filter(({ keyId }) => keyId === id).map(inWords);
    if (ring.find(id) === undefined) throw missing(id, where.join(', '));
    const { tried, opened } = await tryKey(db, ring, places, id);
    const isSure = id === ring.newest.id || tried >= SAMPLES;
    if (!opened && isSure) throw another(id, where.join(', '));
  }
}

const inWords = ({ rows, table, column }: KeyUse): string => `${rows} in ${table}.${column}`;

async function tryKey(
  db: Queryable,
  ring: KeyRing,
  places: readonly RingPlace[],
  id: string,
): Promise<{ readonly tried: number; readonly opened: boolean }> {
  let tried = 0;
  for (const place of places) {
    const samples = await place.sample(db, ringHeader({ id }), SAMPLES);
    tried += samples.length;
    const opened = samples.some(({ sealed, place: at }) => opens(ring, place, sealed, at));
    if (opened) return { tried, opened };
  }
  return { tried, opened: false };
}

function opens(ring: KeyRing, { purpose }: RingPlace, sealed: Buffer, at: string): boolean {
  try {
    unwrapWithRing(ring, purpose, sealed, at).fill(0);
    return true;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

const missing = (id: string, where: string) =>
  new VaultError(
    'unknown_key',
    `The key ring has no key ${JSON.stringify(id)}, which has sealed ${where}. Put it back into VAULT_KEYS; take it out after \`junction keys rotate\` only.`,
  );

const another = (id: string, where: string) =>
  new VaultError(
    'unknown_key',
    `The key ${JSON.stringify(id)} of the ring opens nothing of what a key of that id has sealed: ${where}. It is another key; put the right one into VAULT_KEYS.`,
  );
