import { type SnakeCase, snakeCase } from '@junction/contracts';
import { z } from 'zod';
import type { OptionsRequest } from '../../../application/webhooks/requested-changes.js';
import { headersProblem, MASKED } from '../../../domain/webhook/custom-headers.js';
import { metadataProblem } from '../../../domain/webhook/metadata.js';
import {
  DEFAULT_OPTIONS,
  isJson,
  SIGNATURES,
  type WebhookOptions,
} from '../../../domain/webhook/options.js';
import { filter } from './filter-schema.js';

const DESCRIPTION_MAX = 500;
const RATE_MAX = 1_000;
const RETRIES_MAX = 20;
const RETRY_DELAY_MAX_S = 86_400;

/** Control characters would be invisible, or worse, wherever a description is shown. */
const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const NOT_PLAIN = 'must be text in one line, without control characters.';

interface Problem {
  /** Name of the member; absent: the problem is about all of them together. */
  readonly name?: string;
  readonly code: string;
  readonly message: string;
}

/** Texts by their names, or null. Not z.record, which leaves a name out without a word: __proto__. */
const texts = (problemOf: (value: unknown) => Problem | undefined, about: string) =>
  z
    .unknown()
    .transform((value, context) => {
      const problem = value === undefined || value === null ? undefined : problemOf(value);
      if (problem === undefined)
        return value as Readonly<Record<string, string>> | null | undefined;
      const { name, code, message } = problem;
      const path = name === undefined ? [] : [name];
      context.addIssue({ code: 'custom', params: { code }, message, path });
      return z.NEVER;
    })
    .optional()
    .describe(about)
    .meta({ type: ['object', 'null'], additionalProperties: { type: 'string' } });

/** A field of configure and PATCH: null is as good as never set. */
const field = <Schema extends z.ZodType>(schema: Schema, about?: string) => {
  const settable = schema.nullable().optional();
  return about === undefined ? settable : settable.describe(about);
};
const shownTexts = z.record(z.string(), z.string()).optional();

/** Each option as a request sets it, and as an answer shows it. */
const OPTIONS = {
  ordered: {
    asked: field(z.boolean(), 'True sends one delivery after the other.'),
    shown: z.literal(true).optional(),
  },
  rateLimit: {
    asked: field(z.int().min(1).max(RATE_MAX), 'Requests a second.'),
    shown: z.int().optional().describe('Requests a second.'),
  },
  description: {
    asked: field(z.string().max(DESCRIPTION_MAX).regex(PLAIN_TEXT, NOT_PLAIN)),
    shown: z.string().optional(),
  },
  filter: { asked: field(filter), shown: filter.optional() },
  retrySchedule: {
    asked: field(
      z.array(z.int().min(1).max(RETRY_DELAY_MAX_S)).max(RETRIES_MAX),
      'Seconds before each retry.',
    ),
    shown: z.array(z.int()).readonly().optional().describe('Seconds before each retry.'),
  },
  metadata: {
    asked: texts(
      metadataProblem,
      'Texts of your own by their names, which change nothing that is sent; or null.',
    ),
    shown: shownTexts,
  },
  signature: {
    asked: field(
      z.enum(SIGNATURES),
      'ed25519: signed with our key pair as well, which public keys verify.',
    ),
    shown: z
      .literal('ed25519')
      .optional()
      .describe('Signed with our key pair as well: see /.well-known/webhook-keys.json.'),
  },
  traceContext: {
    asked: field(
      z.boolean(),
      'Requests carry `traceparent` (W3C Trace Context), if their event is in a trace.',
    ),
    shown: z.literal(true).optional().describe('Requests carry `traceparent`.'),
  },
  headers: {
    asked: texts(headersProblem, 'Headers that every request carries, by their names; or null.'),
    shown: shownTexts.describe('Headers of the own choice; their values are not shown.'),
  },
} satisfies {
  readonly [Name in keyof OptionsRequest]-?: {
    readonly asked: z.ZodType<OptionsRequest[Name]>;
    readonly shown: z.ZodType;
  };
};

type Options = typeof OPTIONS;

const schemasOf = <Part extends 'asked' | 'shown'>(part: Part) =>
  Object.fromEntries(
    Object.entries(OPTIONS).map(([name, schemas]) => [snakeCase(name), schemas[part]]),
  ) as unknown as { readonly [Name in keyof Options as SnakeCase<Name>]: Options[Name][Part] };

/** Fields of configure and PATCH. */
export const optionFields = schemasOf('asked');
type OptionFields = z.infer<z.ZodObject<typeof optionFields>>;

/** Fields of an answer. */
export const shownFields = schemasOf('shown');

/** The options apart from the rest of a request. */
export function splitOptions<Fields extends OptionFields>(fields: Fields) {
  const options: OptionsRequest = Object.fromEntries(
    Object.keys(OPTIONS).map((name) => [name, fields[snakeCase(name) as keyof Fields]]),
  );
  const rest = Object.entries(fields).filter(([field]) => !Object.hasOwn(optionFields, field));
  return { ...(Object.fromEntries(rest) as Omit<Fields, keyof OptionFields>), options };
}

/** Only those that are set: a webhook without options reads as the interface has it. */
export function optionsView(webhook: WebhookOptions): z.input<z.ZodObject<typeof shownFields>> {
  const names = Object.keys(OPTIONS) as (keyof WebhookOptions)[];
  const set = names.filter((name) => webhook[name] !== DEFAULT_OPTIONS[name]);
  const valueOf = (name: keyof WebhookOptions): unknown =>
    isJson(name) ? JSON.parse(String(webhook[name])) : webhook[name];
  return {
    ...Object.fromEntries(set.map((name) => [snakeCase(name), valueOf(name)])),
    ...(webhook.headerNames.length > 0 && {
      headers: Object.fromEntries(webhook.headerNames.map((name) => [name, MASKED])),
    }),
  };
}
