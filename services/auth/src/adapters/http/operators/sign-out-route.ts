import { answerWithProgress } from '@junction/operations';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import type pg from 'pg';
import { z } from 'zod';
import type { SignedOut } from '../../../application/operators/sign-out.js';
import { users } from '../../postgres/operators/user-reads.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const PAGE = 100;

const api_keys = z.boolean().default(false).describe('API keys are ended as well.');
const whom = z.union([
  z.strictObject({ user_id: z.uuid(), api_keys }),
  z.strictObject({ everybody: z.literal(true), api_keys }),
]);

/** Adds the route that ends the sessions of a user whose device was lost, or of everybody after a restore. */
export function addSignOuts(
  tools: Router,
  { app, reading: { pool }, journal }: OperatorRoutesOptions,
): void {
  mount(
    tools,
    {
      id: 'signOutUsers',
      method: 'post',
      path: '/api/ops/auth/sign-outs',
      summary: 'End the sessions of a user, or of everybody, on all replicas within a second',
      about:
        'Server-sent events of type `progress`, with `users`, `sessions` and `api_keys` that were ended, and `phase`: `ending`, and at last `done`. A user who signs in meanwhile may stay. Hanging up stops it; a failure comes as a `problem`.',
      body: whom,
      example: { user_id: '0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e', api_keys: true },
      answerType: 'text/event-stream',
      problems: ['user_not_found'],
    },
    async ({ res, body }) => {
      const { api_keys: apiKeys, ...asked } = body();
      const named = 'user_id' in asked ? asked.user_id.toLowerCase() : undefined;
      const change = {
        method: 'SignOutUsers',
        asked: { ...(named === undefined ? { everybody: true } : { userId: named }), apiKeys },
        work: async function* (signal: AbortSignal) {
          const userIds =
            named === undefined ? everybody(pool) : only(await app.userNamed({ userId: named }));
          let last: SignedOut = { users: 0, sessions: 0, apiKeys: 0 };
          for await (last of app.signOut(userIds, { withApiKeys: apiKeys, signal })) {
            yield { ...last, phase: 'ending' };
          }
          yield { ...last, phase: 'done' };
        },
        resultOf: (last?: SignedOut) => ({
          users: last?.users ?? 0,
          sessions: last?.sessions ?? 0,
          apiKeys: last?.apiKeys ?? 0,
        }),
      };
      await answerWithProgress(res, journal, change, ({ apiKeys, ...progress }) => ({
        ...progress,
        api_keys: apiKeys,
      }));
    },
  );
}

async function* only(userId: string): AsyncGenerator<string> {
  yield userId;
}

/** Newest first. Who signs up meanwhile is not among them. */
async function* everybody(pool: pg.Pool): AsyncGenerator<string> {
  const pageAfter = async (last?: { readonly id: string; readonly created_at: Date }) =>
    users.rows(pool, {
      email: null,
      role: null,
      before_at: last?.created_at ?? null,
      before_id: last?.id ?? null,
      limit: PAGE,
    });
  for (let page = await pageAfter(); page.length > 0; page = await pageAfter(page.at(-1))) {
    yield* page.map(({ id }) => id);
  }
}
