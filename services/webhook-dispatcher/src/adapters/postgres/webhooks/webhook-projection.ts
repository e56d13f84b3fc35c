import { rowProjection } from '@junction/eventsourcing/postgres';
import { webhookRow } from '../../../projections/webhook-row.js';
import { toStoredId } from '../stored-id.js';

/** The table of webhooks. Names of streams hold their ids with the prefix. */
export const webhookProjection = rowProjection(webhookRow, toStoredId);
