import { expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import type { Webhook } from './ports.js';
import { beginReplay } from './replay-webhook.js';

it('a second replay of a webhook is refused before anything is counted for it', async () => {
  const asked: string[] = [];
  const asking = (what: string) => async (): Promise<never> => {
    asked.push(what);
    throw new AppError('replay_under_way', 'One is under way.');
  };
  const replay = beginReplay({
    webhooks: { byId: async () => ({ status: 'active' }) as Webhook },
    replays: { requireNone: asking('requireNone'), count: asking('count'), begin: asking('begin') },
    newOperationId: () => 'op_1',
    replayBegun: () => void asked.push('begun'),
  });
  const span = { from: new Date(0), to: new Date(1), outcomes: ['held'] } as const;
  await expect(replay('u', 'wh_1', span)).rejects.toMatchObject({ code: 'replay_under_way' });
  expect(asked).toEqual(['requireNone']);
});
