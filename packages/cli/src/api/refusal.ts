import { problems } from '@junction/errors';
import { z } from 'zod';
import { EXIT, Failure } from '../failure.js';

const problem = z.looseObject({
  detail: z.string(),
  code: z.string(),
  request_id: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

/** A request that the product refused (RFC 9457). `body` has what a problem carries besides. */
export class Refusal extends Failure {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Readonly<Record<string, unknown>> = {},
  ) {
    super(message, status === 400 ? EXIT.usage : EXIT.failed);
  }
}

/** Remedies for a user of the command, where the catalogue's own words are about requests. */
const REMEDIES: Readonly<Record<string, string>> = {
  unauthenticated: 'Log in: junction login',
  invalid_token: 'Log in again: junction login',
  invalid_refresh_token: 'The session has ended. Log in again: junction login',
  webhook_not_found: 'junction webhooks list shows yours.',
  delivery_not_found: 'junction deliveries list shows what there is.',
  webhook_disabled: 'Correct the receiver, then: junction webhooks enable ID',
  replay_under_way: 'Wait until it has ended.',
};

/** The answer in words: what happened, which fields, the code, and what to do. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const { status } = response;
  const parsed = problem.safeParse(await response.json().catch(() => undefined));
  if (!parsed.success) {
    return new Refusal(
      status,
      'no_problem',
      `${new URL(response.url).origin} answered ${status}, and not as Junction does. Is this its address?`,
    );
  }
  const { detail, code, errors = [], request_id: requestId } = parsed.data;
  const named = errors.filter(({ message }) => !detail.includes(message));
  const remedy = REMEDIES[code] ?? catalogued(code);
  const lines = [
    `${detail} (${code})`,
    ...named.map(({ field, message }) => `  ${field}: ${message}`),
    ...(remedy ? [remedy] : []),
    ...(status >= 500 && requestId ? [`Request ${requestId} is in the logs.`] : []),
  ];
  return new Refusal(status, code, lines.join('\n'), parsed.data);
}

const catalogued = (code: string): string | undefined =>
  Object.hasOwn(problems, code) ? problems[code as keyof typeof problems].remedy : undefined;
