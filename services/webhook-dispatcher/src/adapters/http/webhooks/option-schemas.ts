import { z } from 'zod';
import type { OptionsRequest } from '../../../application/webhooks/requested-changes.js';
import { type CustomHeaders, headersProblem } from '../../../domain/webhook/custom-headers.js';
import { type Metadata, metadataProblem } from '../../../domain/webhook/metadata.js';
import { SIGNATURES } from '../../../domain/webhook/options.js';
import { filter } from './filter-schema.js';

const DESCRIPTION_MAX = 500;
const RATE_MAX = 1_000;
const RETRIES_MAX = 20;
const RETRY_DELAY_MAX_S = 86_400;

/** Control characters would be invisible, or worse, wherever a description is shown. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** A value that keeps the rules is a T; one that is not set needs to keep none. */
const heldTo = <T>(problemOf: (value: unknown) => Problem | undefined) =>
  z.unknown().transform((value, context) => {
    const problem = value === undefined || value === null ? undefined : problemOf(value);
    if (problem === undefined) return value as T | null | undefined;
    const { code, message, path } = problem;
    context.addIssue({ code: 'custom', params: { code }, message, path: [...path] });
    return z.NEVER;
  });

// Not z.record, which leaves a name out without a word: __proto__.
const headers = heldTo<CustomHeaders>((value) => {
  const problem = headersProblem(value);
  return problem && { ...problem, path: problem.name === undefined ? [] : [problem.name] };
});

const metadata = heldTo<Metadata>((value) => {
  const problem = metadataProblem(value);
  return problem && { ...problem, path: problem.name === undefined ? [] : [problem.name] };
});

/** Fields of configure and PATCH. null is as good as never set. */
export const optionFields = {
  ordered: z.boolean().nullable().optional().describe('True sends one delivery after the other.'),
  rate_limit: z.int().min(1).max(RATE_MAX).nullable().optional().describe('Requests a second.'),
  description: z
    .string()
    .max(DESCRIPTION_MAX)
    .regex(PLAIN_TEXT, 'must be text in one line, without control characters.')
    .nullable()
    .optional(),
  filter: filter.nullable().optional(),
  retry_schedule: z
    .array(z.int().min(1).max(RETRY_DELAY_MAX_S))
    .max(RETRIES_MAX)
    .nullable()
    .optional()
    .describe('Seconds before each retry.'),
  metadata: metadata
    .optional()
    .describe('Texts of your own by their names, which change nothing that is sent; or null.')
    .meta({ type: ['object', 'null'], additionalProperties: { type: 'string' } }),
  signature: z
    .enum(SIGNATURES)
    .nullable()
    .optional()
    .describe('ed25519: signed with our key pair as well, which public keys verify.'),
  trace_context: z
    .boolean()
    .nullable()
    .optional()
    .describe('Requests carry `traceparent` (W3C Trace Context), if their event is in a trace.'),
  headers: headers
    .optional()
    .describe('Headers that every request carries, by their names; or null.')
    .meta({ type: ['object', 'null'], additionalProperties: { type: 'string' } }),
};

type OptionFields = z.infer<z.ZodObject<typeof optionFields>>;

/** The options apart from the rest of a request. */
export function splitOptions<Fields extends OptionFields>(fields: Fields) {
  const {
    ordered,
    rate_limit: rateLimit,
    description,
    filter,
    retry_schedule: retrySchedule,
    metadata,
    signature,
    trace_context: traceContext,
    headers,
    ...rest
  } = fields;
  const options: OptionsRequest = {
    ordered,
    rateLimit,
    description,
    filter,
    retrySchedule,
    metadata,
    signature,
    traceContext,
    headers,
  };
  return { ...rest, options };
}
