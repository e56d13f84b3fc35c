import { snakeCased } from '@junction/contracts';
import { pageOf } from '@junction/service/http';
import { z } from 'zod';
import type { HistoryPage } from '../../../application/history/history.js';
import { scopes } from '../../postgres/connections/connection-reads.js';
import { cursorOf } from './query.js';

const historyItem = z
  .object({
    type: z.string().meta({ example: 'integration.refreshed' }),
    at: z.iso.datetime(),
    actor: z.enum(['user', 'provider', 'system']),
    detail: z.string().describe('Sentences for a person: what happened, why, and what to do.'),
    account: z.string().optional(),
    granted_scopes: scopes.optional(),
    missing_scopes: scopes.optional(),
    credential_version: z.int().optional(),
    expires_at: z.iso.datetime().optional().describe('Time at which the access token runs out.'),
    reason: z.string().optional().describe('A stable code.'),
  })
  .meta({ id: 'IntegrationHistoryItem' });

export const historyPage = pageOf(historyItem);

export const historyView = ({ items, next }: HistoryPage): z.input<typeof historyPage> => ({
  items: items.map(snakeCased),
  next_cursor: next === undefined ? null : cursorOf(next),
});
