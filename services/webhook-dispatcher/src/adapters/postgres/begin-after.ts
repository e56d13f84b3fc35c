/**
 * Whether every transaction has ended that was under way when `begin_after` was written.
 *
 * A row that can be seen was written by a transaction that this cluster numbered below the end of the
 * snapshot. A higher number is of another cluster, of which this database is a restored copy: there is none of
 * its transactions left, and this one may take months to count that far.
 */
export const OTHERS_HAVE_ENDED = `(begin_after < pg_snapshot_xmin(pg_current_snapshot())
          or begin_after >= pg_snapshot_xmax(pg_current_snapshot()))`;
