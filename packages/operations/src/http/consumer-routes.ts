import type { Operations, ResetTarget } from '@junction/messaging';
import { type OperatorRouters, poolUntil } from '@junction/service';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf, isTool } from './actor.js';
import type { Context } from './context.js';
import { name as fieldName } from './fields.js';

const partition = z
  .object({
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    state: z.string(),
    reason: z.string().nullable().describe('Reason why the offset is lost.'),
    offset: z.int(),
    end: z.int().nullable(),
    lag: z.int().nullable(),
    owner: z
      .string()
      .nullable()
      .optional()
      .describe('Member that has it. Only service accounts are told.'),
  })
  .meta({ id: 'ConsumedPartition' });

/** Integers that JavaScript represents exactly. Positions and offsets stay far below that bound. */
const place = z.int().min(0);

const resetBody = z.strictObject({
  consumer: fieldName,
  topic: fieldName,
  partition: place,
  to: z
    .union([
      z.enum(['beginning', 'end']),
      z.strictObject({ offset: place }),
      z.strictObject({ time: z.iso.datetime({ offset: true }) }),
    ])
    .describe('The next record that is read; at a time: the first one from then on.'),
  force: z
    .boolean()
    .default(false)
    .describe('True resets a partition that is being consumed, too.'),
});
type ResetTo = z.output<typeof resetBody>['to'];

/** Adds the routes for the progress of consumers, and for their reset. */
export function addConsumerRoutes({ people, tools }: OperatorRouters, context: Context): void {
  const { path, journal, operations, pool } = context;
  mount(
    people,
    {
      id: 'listServiceConsumers',
      method: 'get',
      path: `${path}/consumers`,
      summary: 'List what a service consumes, and how far it is behind',
      about:
        'Every partition that was ever consumed, with its state, and the reason where the offset is lost.',
      answer: z.object({ items: z.array(partition) }),
      problems: ['consumes_nothing'],
    },
    async ({ res, signal }) => {
      await journal.read(actorOf(res), 'ListConsumers', {});
      const partitions = await operations(poolUntil(pool, signal)).consumers();
      if (!isTool(res)) return { items: partitions.map(view) };
      return { items: partitions.map((one) => ({ ...view(one), owner: one.owner ?? null })) };
    },
  );
  addReset(tools, context);
  addResetOfAll(tools, context);
}

function addReset(tools: Router, { path, journal, operations }: Context): void {
  mount(
    tools,
    {
      id: 'resetServiceConsumer',
      method: 'post',
      path: `${path}/consumers/reset`,
      summary: 'Set where a partition that a service consumes goes on',
      about: 'Records in between are handled again, or never.',
      body: resetBody,
      example: {
        consumer: 'webhook-dispatcher.assistant',
        topic: 'assistant.events.v1',
        partition: 3,
        to: { offset: 4711 },
      },
      answer: z.object({
        from: z.int(),
        offset: z.int(),
        records: z.int().describe('Records from the offset to the end of the log.'),
      }),
      problems: [
        'partition_unknown',
        'partition_consumed',
        'offset_outside_log',
        'consumes_nothing',
      ],
    },
    async ({ res, body }) => {
      const { to, force, ...at } = body();
      const asked = { ...at, force, to: describe(to) };
      return journal.change(actorOf(res), 'ResetConsumer', asked, async () => {
        const reset = await operations().reset(at, targetOf(to), { force });
        const { from, offset, records } = reset;
        const answer = {
          from: Number(from),
          offset: Number(offset),
          records: Number(records),
        };
        return { answer, result: answer };
      });
    },
  );
}

function addResetOfAll(tools: Router, { path, journal, operations }: Context): void {
  mount(
    tools,
    {
      id: 'resetAllServiceConsumers',
      method: 'post',
      path: `${path}/consumers/reset-all`,
      summary: 'Set every partition that a service consumes to the first record that Kafka has',
      about:
        'For when Kafka lost its records, and offsets mean nothing any more. What was handled before passes by as a repeat.',
      answer: z.object({
        partitions: z.int(),
        records: z
          .int()
          .describe('Records that these partitions have, up to the ends of their logs.'),
      }),
      problems: ['consumes_nothing'],
    },
    async ({ res }) =>
      journal.change(actorOf(res), 'ResetAllConsumers', {}, async () => {
        const { consumers, reset } = operations();
        const all = await consumers();
        let records = 0;
        for (const at of all) {
          records += Number((await reset(at, { to: 'beginning' }, { force: true })).records);
        }
        const answer = { partitions: all.length, records };
        return { answer, result: answer };
      }),
  );
}

const view = ({
  offset,
  end,
  lag,
  ...partition
}: Awaited<ReturnType<Operations['consumers']>>[number]) => ({
  consumer: partition.consumer,
  topic: partition.topic,
  partition: partition.partition,
  state: partition.state,
  reason: partition.reason ?? null,
  offset: Number(offset),
  end: end === undefined ? null : Number(end),
  lag: lag === undefined ? null : Number(lag),
});

function targetOf(to: ResetTo): ResetTarget {
  if (typeof to === 'string') return { to };
  if ('offset' in to) return { to: 'offset', offset: BigInt(to.offset) };
  return { to: 'time', time: new Date(to.time) };
}

const describe = (to: ResetTo): string => {
  if (typeof to === 'string') return to;
  return 'offset' in to ? String(to.offset) : new Date(to.time).toISOString();
};
