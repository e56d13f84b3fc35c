import type { DeadLetter, OpsServiceServer } from '@junction/contracts';
import type { Operations, Some, StoredDeadLetter } from '@junction/messaging';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { type Changes, counts, factsOf } from './changes.js';
import type { Methods } from './methods.js';
import type { Reads } from './reads.js';
import { deadLetterRequest, dropRequest } from './requests.js';

type DeadLetterMethods = Pick<
  OpsServiceServer,
  'listDeadLetters' | 'getDeadLetter' | 'redriveDeadLetters' | 'dropDeadLetters'
>;

/** Records that could not be handled. `operations` throws for a service that consumes nothing. */
export const deadLetterMethods = (
  { journal, log }: Methods,
  operations: () => Operations,
  { reads, changes }: { readonly reads: Reads; readonly changes: Changes },
): DeadLetterMethods => ({
  listDeadLetters: unary(log, async (request, { caller }) => {
    const { items, next } = await reads.deadLetters(caller, request);
    return { deadLetters: items.map(deadLetterView), next: next ?? '' };
  }),

  getDeadLetter: unary(log, async (request, { caller }) => {
    const { id, withRecord } = parse(deadLetterRequest, request);
    await journal.read(caller, 'GetDeadLetter', { id, withRecord });
    const { headers, payload, ...letter } = await operations().show(id);
    return {
      deadLetter: deadLetterView(letter),
      headers: withRecord ? headers : {},
      payload: withRecord ? (payload ?? Buffer.of()) : Buffer.of(),
      payloadBytes: payload?.length ?? 0,
    };
  }),

  redriveDeadLetters: unary(log, async (request, { caller }) => {
    const { results, more } = await changes.redrive(caller, request);
    return { outcomes: results.map(outcomeView), more };
  }),

  dropDeadLetters: unary(log, async (request, { caller }) => {
    const { wanted, note } = parse(dropRequest, request);
    const how = { by: caller.clientId, note };
    // The note is a text: it is kept and deleted with the dead letters, and not in the event.
    return journal.change(caller, 'DropDeadLetters', factsOf(wanted), async () => {
      return outcomesOf(await operations().drop(wanted, how));
    });
  }),
});

interface Outcome {
  readonly id: string;
  readonly outcome: string;
  readonly reason?: { readonly code: string; readonly text: string };
}

const outcomesOf = ({ results, more }: Some<Outcome>) => ({
  answer: { outcomes: results.map(outcomeView), more },
  result: counts(results),
});

const outcomeView = ({ id, outcome, reason }: Outcome) => ({
  id,
  outcome,
  reasonCode: reason?.code ?? '',
  reasonText: reason?.text ?? '',
});

const deadLetterView = ({ reason, at, ...letter }: StoredDeadLetter): DeadLetter => ({
  ...letter,
  offset: Number(letter.offset),
  key: letter.key ?? '',
  userId: letter.userId ?? '',
  reasonCode: reason.code,
  reasonText: reason.text,
  setAsideAt: at,
  resolvedAt: letter.resolvedAt ?? undefined,
  resolvedBy: letter.resolvedBy ?? '',
  note: letter.note ?? '',
});
