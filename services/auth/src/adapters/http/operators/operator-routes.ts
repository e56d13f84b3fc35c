import { actorOf } from '@junction/operations';
import type { OperatorRouters, Reading } from '@junction/service';
import { mount } from '@junction/service/http';
import { Router } from 'express';
import type pg from 'pg';
import { z } from 'zod';
import * as answers from '../answers.js';
import { addClientRoutes } from './operator-client-routes.js';
import type { OperatorRoutesOptions } from './operator-options.js';
import { addRoleRoutes } from './operator-role-routes.js';
import { addUserRoutes } from './operator-user-routes.js';
import { addSignOuts } from './sign-out-route.js';

/** Routes for what operators do in auth alone: no address in full, and nothing that opens an account. */
export function operatorRoutes({
  pool,
  ...given
}: Omit<OperatorRoutesOptions, 'reading'> & { readonly pool: pg.Pool }): OperatorRouters {
  const { journal } = given;
  const record: Reading['record'] = (res, ...asked) => journal.read(actorOf(res), ...asked);
  const options = { ...given, reading: { pool, record } };
  const routers = { people: Router(), tools: Router() };
  addKeyRotation(routers.people, options);
  addUserRoutes(routers, options);
  addSignOuts(routers.tools, options);
  addClientRoutes(routers.tools, options);
  addRoleRoutes(routers.tools, options);
  return routers;
}

const rotation = z.strictObject({ compromised: z.boolean() });

function addKeyRotation(people: Router, { app, journal }: OperatorRoutesOptions): void {
  mount(
    people,
    {
      id: 'rotateSigningKeys',
      method: 'post',
      path: '/api/ops/auth/signing-keys/rotate',
      summary: 'Make another key that signs access tokens',
      about:
        'Without a pause. `compromised`: a key has leaked, so the others count no more, and neither does a token that they signed.',
      body: rotation,
      example: { compromised: false },
      answer: answers.rotatedSigningKeys,
    },
    async ({ res, body }) => {
      const { compromised } = body();
      const asked = { compromised };
      return journal.change(actorOf(res), 'RotateSigningKeys', asked, async () => {
        const { kid, signsFrom, publishedUntil } = await app.rotateSigningKeys({
          hasLeaked: compromised,
        });
        const answer = {
          kid,
          signs_from: signsFrom,
          others_published_until: publishedUntil,
        };
        return { answer, result: { kid } };
      });
    },
  );
}
