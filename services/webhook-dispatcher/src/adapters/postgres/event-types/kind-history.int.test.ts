import { beforeAll, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { KindHistory } from '../../../application/event-types/ports.js';
import { kindHistory } from './kind-history.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

const within = <T>(work: (history: KindHistory) => Promise<T>): Promise<T> =>
  inTransaction(database().pool, async (tx) => work(kindHistory(tx)));

it('definitions of a kind are kept in their order, as they were accepted', async () => {
  const first = { optIn: true, schema: { type: 'object', required: ['b', 'a'] } };
  const second = { optIn: false, schema: { type: 'object' } };
  await within(async ({ definitions, add }) => {
    expect(await definitions()).toEqual(new Map());
    await add('invoice.paid', 1, first);
    await add('invoice.paid', 2, second);
    await add('trip.booked', 1, second);
  });
  expect(await within(async ({ definitions }) => definitions())).toEqual(
    new Map([
      ['invoice.paid', [first, second]],
      ['trip.booked', [second]],
    ]),
  );
});

it('choices that webhooks name are counted, with some of the webhooks', async () => {
  const { newWebhook } = onPostgres(database());
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await newWebhook()).webhookId);
  expect(await within(async ({ named }) => named(['draft.created', 'invoice.paid']))).toEqual([
    { choice: 'draft.created', webhooks: 6, some: ids.sort().slice(0, 5) },
  ]);
});
