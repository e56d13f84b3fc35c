import { z } from 'zod';
import { webhookId } from '../answers.js';

const counts = {
  attempts: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  success_rate: z.number().nullable().describe('0 to 1.'),
  latency_ms: z.object({
    p50: z.number().nullable(),
    p90: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  }),
};

const numbers = {
  items: z.array(z.object({ hour: z.date(), ...counts })).describe('By hour, oldest first.'),
  total: z.object(counts),
  waiting: z.int().describe('Deliveries that wait for an attempt now; 10000 where there are more.'),
};

export const statistics = z
  .object({
    from: z.date(),
    to: z.date(),
    ...numbers,
    webhooks: z
      .array(z.object({ webhook_id: webhookId, ...numbers }))
      .optional()
      .describe('Each webhook by itself, where `webhook_ids` names some.'),
  })
  .meta({ id: 'Statistics' });
