import { type Event, type EventCodec, jsonCodec, schema } from '@junction/eventsourcing';
import { z } from 'zod';
import { type Fold, foldOf } from './fold.js';

/** The aggregate of operators' calls: streams are `ops-op_<UUIDv7>`, one for each call. */
export const OPS = 'ops';

/** Ids, names and numbers only: what is written here is never sealed, and never erased. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** Request of an operator. The time of the request is its event's `recordedAt`. */
export interface Asked {
  /** The service account that asked. */
  readonly clientId?: string | undefined;
  /** The user who asked, by the operators' routes. */
  readonly userId?: string | undefined;
  readonly method: string;
  readonly arguments: Facts;
}

export interface Refused extends Asked {
  /** Code of the problem that the request was answered with. */
  readonly code: string;
  /** Refusals since the last event that recorded them. */
  readonly attempts: number;
}

/** Stored for ever: add types and fields, never rename one. */
export type OpsEvent =
  /** Records a read. A read changes nothing, so no event follows. */
  | Event<'ops.read', Asked>
  /**
   * Records a requested change. When neither `ops.completed` nor `ops.failed` follows, the process ended during the
   * change.
   */
  | Event<'ops.requested', Asked>
  | Event<'ops.completed', { readonly result: Facts }>
  /** Records that nothing was changed, or only a part. `code` is that of the error that the caller got. */
  | Event<'ops.failed', { readonly code: string }>
  /** Records that a known caller was refused. No event follows. */
  | Event<'ops.refused', Refused>;

const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const asked = z.object({
  clientId: z.string().optional(),
  userId: z.string().optional(),
  method: z.string(),
  arguments: facts,
});
const completed = z.object({ result: facts });
const failed = z.object({ code: z.string() });
const refused = asked.extend({ code: z.string(), attempts: z.int() });

export const opsCodec: EventCodec<OpsEvent> = jsonCodec<OpsEvent>({
  'ops.read': schema(asked.parse),
  'ops.requested': schema(asked.parse),
  'ops.completed': schema(completed.parse),
  'ops.failed': schema(failed.parse),
  'ops.refused': schema(refused.parse),
});

type Operation =
  | { readonly status: 'unknown' }
  | (Partial<Asked> & {
      readonly status: 'read' | 'requested' | 'completed' | 'failed' | 'refused';
      readonly result?: Facts;
      readonly code?: string;
      readonly attempts?: number;
    });

export const operationFold: Fold = foldOf<Operation, OpsEvent>({
  initialState: { status: 'unknown' },
  evolve(operation, { type, data }) {
    switch (type) {
      case 'ops.read':
        return { ...data, status: 'read' };
      case 'ops.requested':
        return { ...data, status: 'requested' };
      case 'ops.completed':
        return { ...operation, ...data, status: 'completed' };
      case 'ops.failed':
        return { ...operation, ...data, status: 'failed' };
      case 'ops.refused':
        return { ...data, status: 'refused' };
    }
  },
});
