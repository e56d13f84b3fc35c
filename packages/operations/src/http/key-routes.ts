import { poolUntil } from '@junction/service';
import { mount } from '@junction/service/http';
import { listKeys, type RotationProgress, rotateKeys } from '@junction/vault';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf } from './actor.js';
import { AS_EVENTS, answerLong } from './answer-long.js';
import type { Context } from './context.js';

const ringKey = z
  .object({
    key_id: z.string(),
    in_ring: z.boolean().describe('false: what it has sealed does not open.'),
    newest: z.boolean().describe('True for the key that seals from now on.'),
    uses: z.array(z.object({ table: z.string(), column: z.string(), rows: z.int() })),
  })
  .meta({ id: 'RingKey' });

/** Adds the routes for the key ring, which show ids and counts, and never a key. */
export function addKeyRoutes(people: Router, context: Context): void {
  addList(people, context);
  addRotation(people, context);
}

function addList(people: Router, { path, journal, rotation }: Context): void {
  mount(
    people,
    {
      id: 'listServiceKeys',
      method: 'get',
      path: `${path}/keys`,
      summary: 'List the key ring of a service, and what each key has sealed',
      about: 'Ids and counts, never a key.',
      answer: z.object({ items: z.array(ringKey) }),
    },
    async ({ res, signal }) => {
      await journal.read(actorOf(res), 'ListKeys', {});
      const keys = await listKeys({ ...rotation, pool: poolUntil(rotation.pool, signal) });
      return {
        items: keys.map(({ keyId, inRing, newest, uses }) => ({
          key_id: keyId,
          in_ring: inRing,
          newest,
          uses: uses.map(({ table, column, rows }) => ({ table, column, rows })),
        })),
      };
    },
  );
}

function addRotation(people: Router, context: Context): void {
  const { path, rotation } = context;
  mount(
    people,
    {
      id: 'rotateServiceKeys',
      method: 'post',
      path: `${path}/keys/rotate`,
      summary: 'Seal with the newest key of a service what older ones have sealed',
      about: `Under traffic. How far it is stands in the list of keys; it answers as soon as it has begun. ${AS_EVENTS}`,
      status: 202,
      streams: true,
      problems: ['called_off'],
    },
    async ({ req, res }) => {
      const { id: keyId } = rotation.ring.newest;
      const change = {
        method: 'RotateKeys',
        asked: { keyId },
        work: (signal: AbortSignal) => rotateKeys(rotation, { signal }),
        resultOf: (last?: RotationProgress) => ({
          rowsDone: last?.rowsDone ?? 0,
          rowsLeft: last?.rowsLeft ?? 0,
        }),
      };
      await answerLong(req, res, context, change, (progress) => ({
        phase: progress.phase,
        rows_done: progress.rowsDone,
        rows_total: progress.rowsTotal,
        unreadable: progress.unreadable,
        rows_left: progress.rowsLeft,
        key_id: keyId,
      }));
    },
  );
}
