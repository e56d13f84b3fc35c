import type { Some, Wanted } from '@junction/messaging';
import { type OperatorRouters, poolUntil } from '@junction/service';
import { mount, pageOf, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf, idOf, isTool } from './actor.js';
import type { Context } from './context.js';
import {
  dropBody,
  filterOf,
  letter,
  lettersQuery,
  letterView,
  redriveBody,
  redriveOfPeople,
  wholeView,
} from './dead-letter-fields.js';
import type { Facts } from './operation.js';

const outcomes = {
  outcomes: z.array(
    z.object({
      id: z.uuid(),
      outcome: z.string().describe('redriven, failed, dropped, resolved (before) or not_found'),
      reason: z.string().nullable().describe('The code of why it failed again.'),
      reason_text: z.string().nullable().optional().describe('Only service accounts are told.'),
    }),
  ),
  more: z.boolean().optional().describe('Others fit the filter: ask again.'),
};
const redriven = z.object(outcomes).meta({ id: 'RedrivenDeadLetters' });
const dropped = z.object(outcomes).meta({ id: 'DroppedDeadLetters' });

const one = z.object({ id: z.uuid() });
const oneQuery = z.strictObject({
  with_record: z
    .stringbool()
    .default(false)
    .describe('Also what was in the record: it may be personal.'),
});

/** Adds the routes for records that could not be handled. */
export function addDeadLetterRoutes({ people, tools }: OperatorRouters, context: Context): void {
  addList(people, context);
  addRedrive(people, context);
  addOne(tools, context);
  addDrop(tools, context);
}

function addList(people: Router, { path, journal, operations, pool }: Context): void {
  mount(
    people,
    {
      id: 'listServiceDeadLetters',
      method: 'get',
      path: `${path}/dead-letters`,
      summary: 'List the records that a service could not handle',
      about:
        'Without the record, and in a browser without its key, its user, and what people wrote about it.',
      query: lettersQuery,
      answer: pageOf(letter),
      problems: ['cursor_invalid', 'consumes_nothing'],
    },
    async ({ res, query, signal }) => {
      const { cursor, state, limit, user_id: userId, ...wanted } = query();
      const filter = filterOf(isTool(res) ? { ...wanted, user_id: userId } : wanted);
      const page = { state, limit, ...(cursor !== undefined && { after: cursor }) };
      await journal.read(actorOf(res), 'ListDeadLetters', { ...filter, state, limit });
      const { items, next } = await operations(poolUntil(pool, signal)).list(filter, page);
      const view = isTool(res) ? wholeView : letterView;
      return { items: items.map(view), next_cursor: next ?? null };
    },
  );
}

function addRedrive(people: Router, { path, journal, operations }: Context): void {
  mount(
    people,
    {
      id: 'redriveServiceDeadLetters',
      method: 'post',
      path: `${path}/dead-letters/redrive`,
      summary: 'Hand records to their handler in a service once more',
      about: 'After what was in their way has been mended.',
      body: redriveBody,
      example: { ids: ['0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e'] },
      answer: redriven,
      problems: ['consumes_nothing'],
    },
    async ({ req, res, body }) => {
      const wanted = isTool(res) ? body() : parse(redriveOfPeople, req.body);
      const actor = actorOf(res);
      const by = idOf(actor);
      const answer = await journal.change(actor, 'RedriveDeadLetters', factsOf(wanted), async () =>
        changed(await operations().redrive(wanted, { by })),
      );
      if (isTool(res)) return answer;
      const shown = answer.outcomes.map(({ id, outcome, reason }) => ({ id, outcome, reason }));
      return { outcomes: shown };
    },
  );
}

function addOne(tools: Router, { path, journal, operations, pool }: Context): void {
  mount(
    tools,
    {
      id: 'getServiceDeadLetter',
      method: 'get',
      path: `${path}/dead-letters/:id`,
      summary: 'Get a record that a service could not handle',
      about: 'With headers and payload of the record where `with_record` is true.',
      query: oneQuery,
      answer: z.object({
        dead_letter: letter,
        payload_bytes: z.int(),
        record: z
          .object({
            headers: z.record(z.string(), z.string()),
            payload: z.string().describe('In base64.'),
          })
          .optional(),
      }),
      problems: ['dead_letter_not_found', 'consumes_nothing'],
    },
    async ({ req, res, query, signal }) => {
      const { id } = parse(one, req.params);
      const { with_record: withRecord } = query();
      await journal.read(actorOf(res), 'GetDeadLetter', { id, withRecord });
      const found = await operations(poolUntil(pool, signal)).show(id);
      const { headers, payload, ...letter } = found;
      return {
        dead_letter: wholeView(letter),
        payload_bytes: payload?.length ?? 0,
        ...(withRecord && { record: { headers, payload: payload?.toString('base64') ?? '' } }),
      };
    },
  );
}

function addDrop(tools: Router, { path, journal, operations }: Context): void {
  mount(
    tools,
    {
      id: 'dropServiceDeadLetters',
      method: 'post',
      path: `${path}/dead-letters/drop`,
      summary: 'Give up records that a service could not handle',
      about: 'The records never take effect, and what waits behind them goes on.',
      body: dropBody,
      example: {
        ids: ['0199d0a4-5a6f-7c30-8e0e-3f4b5a6c7d8e'],
        note: 'Sent by a broken producer.',
      },
      answer: dropped,
      problems: ['consumes_nothing'],
    },
    async ({ res, body }) => {
      const { wanted, note } = body();
      const actor = actorOf(res);
      const by = idOf(actor);
      // The note is a text: it is kept and deleted with the dead letters, and not in the event.
      return journal.change(actor, 'DropDeadLetters', factsOf(wanted), async () =>
        changed(await operations().drop(wanted, { by, note })),
      );
    },
  );
}

interface Outcome {
  readonly id: string;
  readonly outcome: string;
  readonly reason?: { readonly code: string; readonly text: string };
}

const changed = ({ results, more }: Some<Outcome>) => ({
  answer: {
    outcomes: results.map(({ id, outcome, reason }) => ({
      id,
      outcome,
      reason: reason?.code ?? null,
      reason_text: reason?.text ?? null,
    })),
    more,
  },
  result: counts(results),
});

const factsOf = (wanted: Wanted): Facts =>
  wanted.ids ? { ids: wanted.ids.join(' ') } : { ...wanted.filter };

/** Counts results by outcome. */
function counts(results: readonly { readonly outcome: string }[]): Facts {
  const counted: Record<string, number> = {};
  for (const { outcome } of results) counted[outcome] = (counted[outcome] ?? 0) + 1;
  return counted;
}
