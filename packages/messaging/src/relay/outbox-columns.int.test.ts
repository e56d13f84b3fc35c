import { expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { messagingDatabase } from '../../test/messaging-database.js';

const database = useDatabase(messagingDatabase);

/**
 * What the outbox event router of Debezium takes its parts from unless told otherwise: the options
 * table.field.event.id, route.by.field, table.field.event.key, and table.field.event.payload; `type` is
 * in its table too (debezium.io/documentation/reference/stable/transformations/outbox-event-router.html).
 */
const DEFAULTS = ['id', 'aggregatetype', 'aggregateid', 'type', 'payload'];

it('the outbox has the columns that Debezium looks for, each always filled', async () => {
  const { rows } = await database().pool.query<{ name: string; nullable: string; type: string }>(
    `select column_name as name, is_nullable as nullable, data_type as type
       from information_schema.columns where table_name = 'outbox' and column_name = any ($1)`,
    [DEFAULTS],
  );
  expect(Object.fromEntries(rows.map(({ name, type }) => [name, type]))).toEqual({
    id: 'bigint',
    aggregatetype: 'text',
    aggregateid: 'text',
    type: 'text',
    payload: 'bytea',
  });
  expect(new Set(rows.map(({ nullable }) => nullable))).toEqual(new Set(['NO']));
});
