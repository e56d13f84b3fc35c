import type { Migration } from '@junction/eventsourcing/postgres';
import type { ClientBase, Pool } from 'pg';

/**
 * Revoked ids: sessions and users whose access tokens no longer count, though their signature is still good, and API
 * keys and their secrets that no longer count, though they are remembered.
 */
export interface Revocations {
  /** Tells whether any of these ids is revoked, with one indexed read. */
  isRevoked(ids: readonly string[]): Promise<boolean>;
  /** Returns those of these ids that are revoked. */
  revokedAmong(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Records a revocation until the moment when the last access token issued before it expires. */
  record(tx: ClientBase | Pool, id: string, until: Date): Promise<void>;
  /** Takes a revocation back. */
  end(tx: ClientBase | Pool, id: string): Promise<void>;
}

const PURGE_MAX = 100;

/** Reads and writes the revocations in this service's own database, fed from auth.events.v1. */
export const revocations = (pool: Pool): Revocations => ({
  async isRevoked(ids) {
    const { rows } = await pool.query<{ revoked: boolean }>({
      name: 'service/is-revoked',
      text: 'select exists (select from revocations where id = any ($1) and until > now()) as revoked',
      values: [ids],
    });
    return rows[0]?.revoked ?? true;
  },

  async revokedAmong(ids) {
    const { rows } = await pool.query<{ id: string }>({
      name: 'service/revoked-among',
      text: 'select id from revocations where id = any ($1) and until > now()',
      values: [ids],
    });
    return new Set(rows.map(({ id }) => id));
  },

  async record(tx, id, until) {
    // Deletes expired rows with each insert, so the table needs no sweeper.
    await tx.query({
      name: 'service/record-revocation',
      text: `with expired as (
               select id from revocations where until <= now() limit ${PURGE_MAX} for update skip locked
             ), purged as (
               delete from revocations where id in (select id from expired where id <> $1)
             )
             insert into revocations (id, until) values ($1, $2)
             on conflict (id) do update set until = greatest(revocations.until, excluded.until)`,
      values: [id, until],
    });
  },

  async end(tx, id) {
    await tx.query('delete from revocations where id = $1', [id]);
  },
});

export const revocationMigrations: readonly Migration[] = [
  {
    name: 'service/0001_revocations',
    async up(db) {
      await db.raw(`
        create table revocations (
          id    text        primary key,
          until timestamptz not null
        );
        create index revocations_by_expiry on revocations (until);
      `);
    },
  },
];
