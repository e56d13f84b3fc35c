import type pg from 'pg';
import type { KindHistory, NamedChoice } from '../../../application/event-types/ports.js';
import type { KindDefinition } from '../../../domain/event-types/additions.js';
import { statement } from '../statement.js';

/** Webhooks that are told of each choice. */
const SOME = 5;

/** The accepted kinds, within a transaction. Its lock has replicas that start together go one after the other. */
export const kindHistory = (tx: pg.PoolClient): KindHistory => ({
  async definitions() {
    await lockKinds(tx);
    const { rows } = await readDefinitions(tx);
    const byKind = new Map<string, KindDefinition[]>();
    for (const { kind, ...definition } of rows)
      byKind.set(kind, [...(byKind.get(kind) ?? []), definition]);
    return byKind;
  },

  async add(kind, version, { optIn, schema }) {
    await addDefinition(tx, { kind, version, opt_in: optIn, schema: JSON.stringify(schema) });
  },

  named: async (choices) => (await readNamed(tx, { choices })).rows,
});

const lockKinds = statement(null, 'lock table event_types in exclusive mode');

const readDefinitions = statement<KindDefinition & { readonly kind: string }>(
  null,
  `select kind, opt_in as "optIn", schema from event_types order by kind, version`,
);

const addDefinition = statement(
  null,
  `insert into event_types (kind, version, opt_in, schema) values (:kind, :version, :opt_in, :schema)`,
);

const readNamed = statement<NamedChoice>(
  null,
  `select choice, count(*)::int as webhooks,
          (array_agg('wh_' || webhook_id order by webhook_id))[1:${SOME}] as some
     from webhooks, unnest(events) choice where choice = any (:choices::text[])
    group by choice order by choice`,
);
