import { z } from 'zod';

/** Schemas of members that several answers have. */

export const code = z.string().describe('A stable code.');
export const webhookId = z.string().meta({ example: 'wh_0190f3a0-0000-7000-8000-000000000000' });
export const webhookState = z.enum(['active', 'failing', 'paused', 'disabled']);
export const deliveryId = z.string().meta({ example: 'dlv_0190f3a0-0000-7000-8000-000000000001' });
export const messageId = z
  .string()
  .describe('The same in every attempt: the header webhook-id.')
  .meta({ example: 'msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d' });
export const eventType = z
  .string()
  .describe('The kind of event.')
  .meta({ example: 'draft.created' });

export const marks = z
  .string()
  .describe(
    'The last 90 attempts, oldest first, a character for each. 1 to 8: it succeeded within 10, 30, 100, 300 ms, 1, 3, 10 s, or later. x: any other answer. !: no answer came.',
  )
  .meta({ example: '2232x!3' });
