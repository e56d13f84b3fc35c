import type { Changes } from '@junction/ops';
import { callerOf, mount } from '@junction/service-kit/http';
import type { Router } from 'express';
import { z } from 'zod';

/** Service whose routes are mounted. */
export interface Of {
  readonly name: string;
  readonly path: string;
  readonly id: string;
}

const IDS_MAX = 500;

const redrive = z.strictObject({ ids: z.array(z.uuid()).min(1).max(IDS_MAX) });
const redriven = z
  .object({
    outcomes: z.array(
      z.object({
        id: z.uuid(),
        outcome: z.string().describe('redriven, failed, resolved (before) or not_found'),
        reason: z.string().nullable().describe('The code of why it failed again.'),
      }),
    ),
  })
  .meta({ id: 'RedrivenDeadLetters' });

/**
 * Adds the routes for changes that operators make in a browser. `operatorsOnly` requires a second factor that was shown
 * a moment ago.
 */
export function addOperatorChanges(router: Router, of: Of, changes: Changes): void {
  addRedrive(router, of, changes);
  addLongChanges(router, of, changes);
}

function addRedrive(router: Router, { name, path, id }: Of, changes: Changes): void {
  mount(
    router,
    {
      id: `redrive${id}DeadLetters`,
      method: 'post',
      path: `${path}/dead-letters/redrive`,
      summary: `Hand records to their handler in ${name} once more`,
      about: 'After what was in their way has been mended.',
      body: redrive,
      example: { ids: ['0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e'] },
      answer: redriven,
      problems: ['consumes_nothing'],
    },
    async ({ res, body }) => {
      const { results } = await changes.redrive(callerOf(res), body());
      return {
        outcomes: results.map((result) => ({
          id: result.id,
          outcome: result.outcome,
          reason: 'reason' in result ? (result.reason?.code ?? null) : null,
        })),
      };
    },
  );
}

function addLongChanges(router: Router, { name, path, id }: Of, changes: Changes): void {
  mount(
    router,
    {
      id: `rebuild${id}Projection`,
      method: 'post',
      path: `${path}/projections/:name/rebuild`,
      summary: `Build a read model of ${name} anew, beside the one that answers`,
      about:
        'It goes on when it was broken off. How far it is stands in the list of read models; it answers as soon as it has begun.',
      status: 202,
      problems: ['projection_not_found', 'rebuild_under_way'],
    },
    async ({ req, res }) => changes.rebuild(callerOf(res), { name: req.params.name }),
  );

  mount(
    router,
    {
      id: `rotate${id}Keys`,
      method: 'post',
      path: `${path}/keys/rotate`,
      summary: `Seal with the newest key of ${name} what older ones have sealed`,
      about:
        'Under traffic. How far it is stands in the list of keys; it answers as soon as it has begun.',
      status: 202,
    },
    async ({ res }) => changes.rotateKeys(callerOf(res)),
  );
}
