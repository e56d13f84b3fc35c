import { expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import type { WebhookRow } from '../projections/webhook-row.js';
import { createHistory, type HistoryNeeds } from './history.js';

const span = { from: new Date(0), to: new Date(1), outcomes: ['held'] } as const;

it('a second replay of a webhook is refused before anything is counted for it', async () => {
  let counted = 0;
  const needs: Partial<HistoryNeeds> = {
    webhook: async () => ({ status: 'active' }) as WebhookRow,
    async requireNoReplay() {
      throw new AppError('conflict', 'replay_under_way', 'One is under way.');
    },
    async countReplay() {
      counted++;
      return { count: 0, isExact: true };
    },
  };
  const { replay } = createHistory(needs as HistoryNeeds);
  await expect(replay('u', 'wh_1', span)).rejects.toMatchObject({ code: 'replay_under_way' });
  expect(counted).toBe(0);
});
