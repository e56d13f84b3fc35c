import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import type { InboundRecord, PreparedRecord } from '@junction/messaging';
import * as fc from 'fast-check';
import type pg from 'pg';
import { intake } from '../../application/intake/intake.js';
import type { IntakeReads, IntakeRows, MatchedWebhook } from '../../application/intake/ports.js';
import type { Filter } from '../../domain/webhook/filter.js';
import { onEvents } from './assistant-events.js';

/** Steps at which the bad record can fail. Each event is for two webhooks of its user, one of them with a filter. */
const STEPS = ['check', 'filter', 'body', 'first send', 'second send', 'write'] as const;

describe('consuming a batch with a record that fails', () => {
  it.each(STEPS)(
    'sets it aside, and files the others wherever it stands, when it fails at the %s',
    async (step) => {
      await fc.assert(
        fc.asyncProperty(batches, async ({ size, position, outages }) => {
          const { table, consume, mend } = intakeWorld(step);
          const ids = Array.from({ length: size }, (_, n) => (n === position ? 'bad' : `${n}`));
          const good = ids.filter((id) => id !== 'bad');
          await consume(ids, outages);
          expect(table).toMatchObject({ filed: good, setAside: ['bad'], repeats: [] });

          // Published again with the same ids, the others are repeats, and what was set aside is new.
          mend();
          await consume(ids, outages);
          expect(table).toMatchObject({
            filed: [...good, 'bad'],
            setAside: ['bad'],
            repeats: good,
          });
        }),
      );
    },
  );
});

describe('consuming a record with a wrong timestamp', () => {
  it.each([
    ['an hour back', -3_600_000],
    ['ahead', 3_600_000],
    ['not at all', Number.NaN],
  ])('takes it in as of its arrival when its producer dates it %s', async (_, shiftMs) => {
    const earliest = Date.now();
    const { table, consume } = intakeWorld('check');
    await consume(['1', '2', '3'], 0, (offset) => new Date(earliest + shiftMs - offset));
    expect(table.filed).toEqual(['1', '2', '3']);
    const { deliveryIds } = table;
    expect(deliveryIds).toHaveLength(6);
    const inOrder = [idsFrom(earliest), ...deliveryIds, idsFrom(Date.now() + 1)];
    expect(inOrder.toSorted()).toEqual(inOrder);
  });
});

/** Sorts before the ids of deliveries that are made at that time, in milliseconds, or later. */
const idsFrom = (atMs: number): string =>
  newId('dlv', new Date(atMs)).slice(0, 'dlv_01234567-0123'.length);

const batches = fc
  .record({ size: fc.integer({ min: 1, max: 9 }), outages: fc.nat({ max: 2 }) })
  .chain(({ size, outages }) =>
    fc.record({
      size: fc.constant(size),
      position: fc.nat({ max: size - 1 }),
      outages: fc.constant(outages),
    }),
  );

const USER = randomUUID();
const NO_TRANSACTION = {} as pg.PoolClient;

/** A consumer of events whose ids are their values; the event `bad` fails at this step until that is mended. */
function intakeWorld(brokenStep: (typeof STEPS)[number]) {
  let isBroken = true;
  const breaks = (step: (typeof STEPS)[number], id: string) =>
    isBroken && step === brokenStep && id === 'bad';
  const breakAt = (step: (typeof STEPS)[number], id: string) => {
    if (breaks(step, id)) throw new TypeError('It broke.');
  };
  const table = tables((id) => breakAt('write', id));
  const sent = new Set<string>();
  const { prepare, handle } = onEvents('tests', ({ value }, arrival) => {
    const id = String(value);
    breakAt('check', id);
    const event = {
      ...arrival,
      messageId: id,
      source: '/tests',
      id,
      userId: USER,
      kind: 'draft.created',
      isOptIn: false,
      time: new Date(breaks('body', id) ? Number.NaN : 0),
      data: Buffer.from(breaks('filter', id) ? '{' : '{"a":1}'),
    };
    return { kind: 'valid', event };
  })({
    intake: intake({
      dispatch: {
        offerAhead({ messageId: id }) {
          breakAt(sent.has(id) ? 'second send' : 'first send', id);
          sent.add(id);
          return true;
        },
        stored: () => undefined,
        released: (jobs) => jobs.forEach(({ messageId: id }) => sent.delete(id)),
        accept: () => undefined,
        ready: async () => undefined,
      },
      written: () => undefined,
      filed: () => undefined,
      after: (_, call) => queueMicrotask(call),
    }),
    reads: table.reads,
    readsWithin: () => table.reads,
    rows: () => table.rows,
    recordAtOnce: () => undefined,
  });

  /** Handles records in a transaction as consumers do: when it fails, each alone. */
  async function commit(records: readonly PreparedRecord[]): Promise<void> {
    const aside: PreparedRecord[] = [];
    const setAside = (record: InboundRecord) => void aside.push(record as PreparedRecord);
    try {
      const afterCommit = await handle(records, NO_TRANSACTION, setAside);
      table.commit();
      afterCommit?.();
    } catch {
      table.rollBack();
      if (records.length > 1) {
        for (const record of records) await commit([record]);
        return;
      }
      aside.splice(0, aside.length, ...records);
    }
    for (const record of aside) {
      table.setAside.push(String(record.value));
      record.abandon?.();
    }
  }

  return {
    table,
    mend: () => void (isBroken = false),
    async consume(ids: readonly string[], outages: number, timeAt?: (offset: number) => Date) {
      const records = ids.map((id, offset) => ({
        ...recordOf(id, offset),
        timestamp: timeAt?.(offset) ?? new Date(),
      }));
      const prepared = await prepare(records);
      await Promise.all(prepared.map(({ ready }) => ready));
      for (let n = 0; n < outages; n++) {
        await handle(prepared, NO_TRANSACTION, () => undefined).catch(() => undefined);
        table.rollBack();
      }
      await commit(prepared);
    },
  };
}

/** Tables of events by id, filled once a transaction is committed. */
function tables(onWrite: (id: string) => void) {
  const [filed, repeats, setAside]: [string[], string[], string[]] = [[], [], []];
  const deliveryIds: string[] = [];
  let staged: { filed: string[]; repeats: string[] } = { filed: [], repeats: [] };
  const rollBack = () => void (staged = { filed: [], repeats: [] });
  const rows: IntakeRows = {
    async record(events, deliveries) {
      const ids = events.map(({ event }) => event.messageId);
      ids.forEach(onWrite);
      deliveryIds.push(...deliveries.map(({ job }) => job.deliveryId));
      const known = new Set(ids.filter((id) => filed.includes(id)));
      staged.filed.push(...ids.filter((id) => !known.has(id)));
      return known;
    },
    async countRepeats(counts) {
      staged.repeats.push(...counts.keys());
    },
    insertDeliveries: async () => undefined,
  };
  const reads: IntakeReads = {
    look: async () => ({
      webhooks: new Map([[USER, [webhook(), webhook({ path: 'a', equals: 1 })]]]),
      known: new Set(filed),
    }),
  };
  return {
    filed,
    repeats,
    setAside,
    deliveryIds,
    reads,
    rows,
    rollBack,
    commit() {
      filed.push(...staged.filed);
      repeats.push(...staged.repeats);
      rollBack();
    },
  };
}

const recordOf = (id: string, offset: number): InboundRecord => ({
  topic: 'tests',
  partition: 0,
  offset: BigInt(offset),
  key: null,
  headers: {},
  value: Buffer.from(id),
  timestamp: new Date(),
});

const webhook = (filter?: Filter): MatchedWebhook => ({
  webhookId: newId('wh'),
  events: ['draft.created'],
  status: 'active',
  version: 1,
  shard: 0,
  ...(filter && { filter }),
});
