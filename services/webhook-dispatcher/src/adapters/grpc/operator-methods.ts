import type { WebhooksAdminServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { z } from 'zod';
import { openCircuits } from '../postgres/operating/circuit-reads.js';
import { endedDeliveries, failingReasons } from '../postgres/operating/ended-reads.js';
import { failingUsers, failingWebhooks } from '../postgres/operating/failing-reads.js';
import { shardOwners } from '../postgres/operating/shard-reads.js';
import { deliveryBacklog } from '../postgres/sending/backlog.js';
import { probeNow } from '../postgres/webhooks/circuits.js';
import type { AdminOptions } from './admin-options.js';

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 100;
const HOURS_MAX = 168;
const HOURS_DEFAULT = 24;

const whole = (max: number, otherwise: number) =>
  z
    .int()
    .min(0)
    .max(max)
    .transform((value) => (value === 0 ? otherwise : value));
const limit = whole(LIMIT_MAX, LIMIT_DEFAULT);
const limited = z.object({ limit });
const backlogRequest = z.object({ hours: whole(HOURS_MAX, HOURS_DEFAULT) });
const failingRequest = z.object({
  limit,
  userId: z.union([z.literal('').transform(() => undefined), z.uuid()]),
});
const probeRequest = z.object({
  webhookId: z.string().regex(/^wh_[0-9a-f-]{36}$/, 'It must be the id of a webhook: wh_…'),
});

type ReadMethods = Pick<
  WebhooksAdminServiceServer,
  'getBacklog' | 'listFailingWebhooks' | 'listFailingUsers' | 'listCircuits' | 'listShards'
>;

/** Makes the methods by which operators read. No answer holds a payload, and urls are reduced to their host. */
export const readMethods = ({ pool, maintenance, journal, log }: AdminOptions): ReadMethods => ({
  getBacklog: unary(log, async (request, { caller }) => {
    const asked = parse(backlogRequest, request);
    await journal.read(caller, 'GetBacklog', asked);
    const [backlog, ended, reasons] = await Promise.all([
      deliveryBacklog(pool),
      endedDeliveries(maintenance, asked),
      failingReasons(pool),
    ]);
    const { failing, circuitsOpen, circuitsHalfOpen, ...counts } = backlog;
    return {
      ...counts,
      failingWebhooks: failing,
      openCircuits: circuitsOpen,
      halfOpenCircuits: circuitsHalfOpen,
      ended: [...ended],
      reasons: [...reasons],
    };
  }),

  listFailingWebhooks: unary(log, async (request, { caller }) => {
    const asked = parse(failingRequest, request);
    await journal.read(caller, 'ListFailingWebhooks', { ...asked, userId: asked.userId ?? '' });
    return { webhooks: [...(await failingWebhooks(pool, asked))] };
  }),

  listFailingUsers: unary(log, async (request, { caller }) => {
    const asked = parse(limited, request);
    await journal.read(caller, 'ListFailingUsers', asked);
    return { users: [...(await failingUsers(pool, asked))] };
  }),

  listCircuits: unary(log, async (request, { caller }) => {
    const asked = parse(limited, request);
    await journal.read(caller, 'ListCircuits', asked);
    return { circuits: [...(await openCircuits(pool, asked))] };
  }),

  listShards: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'ListShards', {});
    const { owners, free } = await shardOwners(pool);
    return {
      owners: owners.map(({ shards, partitions, ...owner }) => ({
        ...owner,
        shards: [...shards],
        partitions: [...partitions],
      })),
      free: [...free],
    };
  }),
});

/** Makes the methods by which operators change something. `webhookChanged` notifies the replicas. */
export const changeMethods = ({
  pool,
  webhookChanged,
  journal,
  log,
}: AdminOptions): Pick<WebhooksAdminServiceServer, 'probeCircuit'> => ({
  probeCircuit: unary(log, async (request, { caller }) => {
    const { webhookId } = parse(probeRequest, request);
    return journal.change(caller, 'ProbeCircuit', { webhookId }, async () => {
      if (!(await probeNow(pool, webhookId))) throw noCircuit();
      webhookChanged(webhookId);
      return { answer: {}, result: {} };
    });
  }),
});

const noCircuit = (): AppError =>
  new AppError('circuit_not_open', 'The webhook has no open circuit, or does not exist.');
