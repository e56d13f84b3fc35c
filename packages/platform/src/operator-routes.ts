import type { Access, Reads } from '@junction/ops';
import { callerOf } from '@junction/service-kit/http';
import { type Request, Router } from 'express';

type Partition = Awaited<ReturnType<Reads['consumers']>>[number];
type Projection = Awaited<ReturnType<Reads['projections']>>[number];
type DeadLetter = Awaited<ReturnType<Reads['deadLetters']>>['items'][number];

/** What operators see of a service in a browser: how it is, and never what it holds. */
export function operatorRoutes(name: string, reads: Reads): Router {
  const router = Router();
  const path = `/api/ops/${name}`;

  router.get(`${path}/health`, async (_req, res) => {
    const { ready, failing } = await reads.health(callerOf(res));
    res.json({ ready, failing });
  });

  router.get(`${path}/consumers`, async (_req, res) => {
    const partitions = await reads.consumers(callerOf(res));
    res.json({ items: partitions.map(partitionView) });
  });

  router.get(`${path}/dead-letters`, async (req, res) => {
    const { consumer = '', topic = '', reason = '', state = '' } = req.query;
    const filter = { consumer, topic, reason, userId: '' };
    const { items, next } = await reads.deadLetters(callerOf(res), {
      filter,
      state,
      ...pageOf(req),
    });
    res.json({ items: items.map(letterView), next_cursor: next ?? null });
  });

  router.get(`${path}/projections`, async (_req, res) => {
    const projections = await reads.projections(callerOf(res));
    res.json({ items: projections.map(projectionView) });
  });

  router.get(`${path}/audit`, async (req, res) => {
    const { actor = '', since } = req.query;
    const { accesses, next } = await reads.accesses(callerOf(res), {
      actor,
      ...(since !== undefined && { since: new Date(typeof since === 'string' ? since : NaN) }),
      ...pageOf(req),
    });
    res.json({ items: accesses.map(accessView), next_cursor: next ?? null });
  });

  return router;
}

const pageOf = ({ query: { cursor = '', limit = '0' } }: Request) => ({
  after: cursor,
  limit: Number(limit),
});

const partitionView = ({ offset, end, lag, ...partition }: Partition) => ({
  consumer: partition.consumer,
  topic: partition.topic,
  partition: partition.partition,
  state: partition.state,
  offset: Number(offset),
  end: end === undefined ? null : Number(end),
  lag: lag === undefined ? null : Number(lag),
});

const projectionView = ({ name, version, rebuild }: Projection) => ({
  name,
  version,
  rebuild: rebuild
    ? { version: rebuild.version, status: rebuild.status, events_done: rebuild.eventsDone }
    : null,
});

/** Without the record, its key, its user, and what people wrote about it. */
const letterView = ({ id, reason, state, redrives, ...letter }: DeadLetter) => ({
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

const accessView = ({ actorKind, actorId, method, arguments: facts, at, outcome }: Access) => ({
  actor: { kind: actorKind, id: actorId },
  method,
  arguments: facts,
  at: at.toISOString(),
  outcome,
});
