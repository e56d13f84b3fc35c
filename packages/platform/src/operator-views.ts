import type { Access, Reads } from '@junction/ops';
import { jsonObject } from '@junction/service-kit/http';
import { z } from 'zod';

/**
 * Views of a service for operators, as the routes answer with them. No view holds a payload, a key of a record, a user,
 * or a text that a person wrote.
 */

type Partition = Awaited<ReturnType<Reads['consumers']>>[number];
type Projection = Awaited<ReturnType<Reads['projections']>>[number];
type DeadLetter = Awaited<ReturnType<Reads['deadLetters']>>['items'][number];

type RingKey = Awaited<ReturnType<Reads['keys']>>[number];

export const partition = z
  .object({
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    state: z.string(),
    offset: z.int(),
    end: z.int().nullable(),
    lag: z.int().nullable(),
  })
  .meta({ id: 'ConsumedPartition' });

export const projection = z
  .object({
    name: z.string(),
    version: z.int(),
    rebuild: z
      .object({ version: z.int(), status: z.string(), events_done: z.int() })
      .nullable()
      .describe('null: none is under way.'),
  })
  .meta({ id: 'Projection' });

export const letter = z
  .object({
    id: z.uuid(),
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    offset: z.int(),
    reason: z.string(),
    state: z.string(),
    redrives: z.int(),
    recorded_at: z.iso.datetime(),
    set_aside_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'DeadLetter' });

export const access = z
  .object({
    actor: z.object({ kind: z.enum(['user', 'service']), id: z.string() }),
    method: z.string(),
    arguments: jsonObject,
    at: z.iso.datetime(),
    outcome: z.string().describe('read, requested, completed, failed or refused'),
    code: z.string().nullable().describe('Of the problem, where it failed or was refused.'),
    attempts: z.int().describe('How often it was refused: what repeats within an hour is counted.'),
  })
  .meta({ id: 'Access' });

export const ringKey = z
  .object({
    key_id: z.string(),
    in_ring: z.boolean().describe('false: what it has sealed does not open.'),
    newest: z.boolean().describe('It seals what is sealed from now on.'),
    uses: z.array(z.object({ table: z.string(), column: z.string(), rows: z.int() })),
  })
  .meta({ id: 'RingKey' });

export const partitionView = ({ offset, end, lag, ...partition }: Partition) => ({
  consumer: partition.consumer,
  topic: partition.topic,
  partition: partition.partition,
  state: partition.state,
  offset: Number(offset),
  end: end === undefined ? null : Number(end),
  lag: lag === undefined ? null : Number(lag),
});

export const projectionView = ({ name, version, rebuild }: Projection) => ({
  name,
  version,
  rebuild: rebuild
    ? { version: rebuild.version, status: rebuild.status, events_done: rebuild.eventsDone }
    : null,
});

/** Returns the view of a dead letter, without the record, its key, its user, and what people wrote about it. */
export const letterView = ({ id, reason, state, redrives, ...letter }: DeadLetter) => ({
  id,
  consumer: letter.consumer,
  topic: letter.topic,
  partition: letter.partition,
  offset: Number(letter.offset),
  reason: reason.code,
  state,
  redrives,
  recorded_at: letter.recordedAt.toISOString(),
  set_aside_at: letter.at.toISOString(),
  resolved_at: letter.resolvedAt?.toISOString() ?? null,
});

export const accessView = ({
  actorKind,
  actorId,
  method,
  arguments: facts,
  at,
  outcome,
  code,
  attempts,
}: Access) => ({
  actor: { kind: actorKind, id: actorId },
  method,
  arguments: facts,
  at: at.toISOString(),
  outcome,
  code: code ?? null,
  attempts,
});

export const keyView = ({ keyId, inRing, newest, uses }: RingKey) => ({
  key_id: keyId,
  in_ring: inRing,
  newest,
  uses: uses.map(({ table, column, rows }) => ({ table, column, rows })),
});
