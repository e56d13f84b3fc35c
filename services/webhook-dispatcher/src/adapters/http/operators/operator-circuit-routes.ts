import { AppError } from '@junction/errors';
import { actorOf } from '@junction/operations';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { probeNow } from '../../postgres/circuits.js';
import { openCircuits } from '../../postgres/operators/circuit-reads.js';
import { isWebhookId } from '../ids.js';
import { host, limited, moment } from './operator-fields.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const circuit = z
  .object({
    webhook_id: z.string(),
    user_id: z.uuid(),
    host,
    state: z.string().describe('open, or half_open: the probe is due'),
    opened_at: moment,
    probe_at: moment,
  })
  .meta({ id: 'OpenCircuit' });

const one = z.object({
  webhook_id: z.string().refine(isWebhookId, 'It must be the id of a webhook: wh_…'),
});

/** Adds the routes for webhooks that are left alone because they fail. */
export function addCircuits(tools: Router, options: OperatorRoutesOptions): void {
  addList(tools, options);
  addProbe(tools, options);
}

function addList(tools: Router, { pool, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'listCircuits',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/circuits',
      summary: 'List the open circuits, those first whose probe is due next',
      about: 'Ids, numbers and hosts: no path, no payload.',
      query: limited,
      answer: z.object({ items: z.array(circuit) }),
    },
    async ({ res, query }) => {
      const asked = query();
      await journal.read(actorOf(res), 'ListCircuits', asked);
      const circuits = await openCircuits(pool, asked);
      return {
        items: circuits.map(({ webhookId, userId, host, state, openedAt, probeAt }) => ({
          webhook_id: webhookId,
          user_id: userId,
          host,
          state,
          opened_at: openedAt.toISOString(),
          probe_at: probeAt.toISOString(),
        })),
      };
    },
  );
}

function addProbe(tools: Router, { pool, dispatch, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'probeCircuit',
      method: 'post',
      path: '/api/ops/webhook-dispatcher/circuits/:webhook_id/probe',
      summary: 'Send the next request to a webhook at once, instead of at the end of its rest',
      about: 'The circuit closes when the request succeeds.',
      status: 204,
      problems: ['circuit_not_open'],
    },
    async ({ req, res }) => {
      const { webhook_id: webhookId } = parse(one, req.params);
      await journal.change(actorOf(res), 'ProbeCircuit', { webhookId }, async () => {
        if (!(await probeNow(pool, webhookId, new Date()))) throw noCircuit();
        dispatch.webhookChanged(webhookId);
        return { answer: undefined, result: {} };
      });
    },
  );
}

const noCircuit = (): AppError =>
  new AppError('circuit_not_open', 'The webhook has no open circuit, or does not exist.');
