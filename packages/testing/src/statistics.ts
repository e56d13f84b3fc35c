import type { Pool } from 'pg';

/** Statistics that Postgres may plan by, with the statement that makes them of tables filled after `settled`. */
export const STATISTICS: readonly (readonly [of: string, make: string])[] = [
  ['from before most rows came', 'select'],
  ['of these rows', 'analyze'],
  [
    'that nobody has made',
    `do $$ declare t regclass; c name; begin
       for t in select oid from pg_class
                 where relkind in ('r', 'p', 'i', 'I') and relnamespace = 'public'::regnamespace loop
         perform pg_clear_relation_stats('public', t::text);
         for c in select attname from pg_attribute where attrelid = t and attnum > 0 and not attisdropped loop
           perform pg_clear_attribute_stats('public', t::text, c, inherited) from unnest(array[false, true]) inherited;
         end loop;
       end loop; end $$`,
  ],
];

/** Makes statistics of the rows that are there. No autovacuum brings others when more rows come. */
export const settled = (pool: Pool): Promise<unknown> =>
  pool.query(`
    analyze;
    do $$ declare t regclass; begin
      for t in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = false)', t);
      end loop; end $$`);
