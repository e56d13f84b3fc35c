import { createIndex, type Migration } from '@junction/eventsourcing/postgres';

/**
 * Indexes by which operators' lists find their rows among all that fail, rest or have ended, and webhooks that an
 * operator has disabled.
 */
export const operators: Migration = {
  name: 'webhooks/0016_operators',
  inTransaction: false,

  async up(db) {
    await db.raw(DISABLED_BY_OPERATOR);
    await createIndex(db, 'failing_webhooks_since', 'failing_webhooks (since)');
    await createIndex(db, 'circuits_probe_at', 'circuits (probe_at)');

    await db.raw(`create index if not exists outcomes_ended_at on only outcomes ${ENDED_AT}`);
    const { rows } = await db.raw<{ rows: readonly { partition: string }[] }>(PARTITIONS);
    for (const { partition } of rows) {
      // As Postgres names the index of a partition that is yet to come.
      await createIndex(db, `${partition}_at_idx`, `${partition} ${ENDED_AT}`);
      await db.raw(`alter index outcomes_ended_at attach partition ${partition}_at_idx`);
    }
  },
};

// Checked for rows that come: those that are there have passed the narrower check.
const DISABLED_BY_OPERATOR = `
alter table webhooks
  drop constraint webhooks_disabled_reason_check,
  add constraint webhooks_disabled_reason_check
      check (disabled_reason in ('user', 'gone_410', 'failing', 'operator')) not valid`;

// A success costs no entry.
const ENDED_AT = `(at) where status <> 'succeeded'`;

/** Days of outcomes that have no such index yet. */
const PARTITIONS = `
select c.relname as partition from pg_inherits p join pg_class c on c.oid = p.inhrelid
 where p.inhparent = 'outcomes'::regclass
   and not exists (select from pg_index i join pg_inherits of_parent on of_parent.inhrelid = i.indexrelid
                    where i.indrelid = c.oid and of_parent.inhparent = 'outcomes_ended_at'::regclass)
 order by 1`;
