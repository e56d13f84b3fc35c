import { z } from 'zod';
import type { DataSchema, DataSchemas } from './data-schema.js';
import { dataSchemas, type EventKind } from './event-kinds.js';
import { type NoticeKind, noticeSchemas } from './notice-kinds.js';

type BuiltInKind = EventKind | NoticeKind;

export interface CatalogueEntry<Kind extends string = string> {
  readonly kind: Kind;
  /** When it is sent. */
  readonly description: string;
  /** True: one of our own notices. */
  readonly isNotice: boolean;
  /** True: a webhook gets it only by naming it, or its group. Every notice is opt-in. */
  readonly isOptIn: boolean;
  /** JSON Schema (2020-12) of `data`. */
  readonly schema: object;
  /** A `data` that fits the schema. */
  readonly example: object;
}

interface Words {
  readonly description: string;
  readonly example: object;
}

const ASSISTANT: Readonly<Record<EventKind, Words>> = {
  'inbox.organized': {
    description: 'Inbox organization is completed.',
    example: { total_emails: 42, categorized: { important: 5, meetings: 3, tasks: 7 } },
  },
  'draft.created': {
    description: 'A new draft reply is created.',
    example: { draft_id: 'draft_81', subject: 'Re: Offer', to: ['ada@example.com'] },
  },
  'meeting.joined': {
    description: 'A meeting is joined and notes are taken.',
    example: { meeting_id: 'meeting_17', title: 'Weekly planning', notes: 'Ship on Friday.' },
  },
  'briefing.sent': {
    description: 'The daily briefing is sent.',
    example: { briefing_id: 'briefing_4', items: 6 },
  },
  'reminder.sent': {
    description: 'A reminder is sent.',
    example: { reminder_id: 'reminder_9', text: 'Call Ada back' },
  },
};

const at = '2026-01-02T03:04:05.678Z';
const aboutWebhook = { webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000', occurred_at: at };
const aboutMailbox = {
  provider: 'mailbox',
  integration_id: 'con_0198c0de-0123-7abc-8def-00000000abcd',
  identity_provider: 'google',
  account: 'ada@example.com',
  occurred_at: at,
};

const NOTICES: Readonly<Record<NoticeKind, Words>> = {
  'webhook.disabled': {
    description:
      'Another webhook was disabled: its receiver answered 410 Gone (gone_410), or five days brought nothing but failure (failing).',
    example: { ...aboutWebhook, reason: 'failing' },
  },
  'webhook.failing': {
    description:
      'Every attempt of another webhook has failed for an hour or longer. The notice is repeated every twelve hours while that lasts.',
    example: { ...aboutWebhook, since: at, reason: 'http_500' },
  },
  'webhook.exhausted': {
    description: 'A delivery of another webhook failed in its last attempt and is not tried again.',
    example: {
      ...aboutWebhook,
      delivery_id: 'dlv_0190f3a0-0000-7000-8000-000000000001',
      message_id: 'msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d',
      event_type: 'draft.created',
      attempts: 10,
      reason: 'http_500',
    },
  },
  'webhook.refused': {
    description:
      'The egress guard lets nothing go to another webhook: its name leads to a private address, or its url breaks a rule. Attempts are repeated by its schedule.',
    example: { ...aboutWebhook, reason: 'url_private_address' },
  },
  'webhook.recovered': {
    description: 'Another webhook works again, after so many failures that sending had rested.',
    example: aboutWebhook,
  },
  'integration.connected': {
    description: 'A mailbox or calendar was connected.',
    example: aboutMailbox,
  },
  'integration.degraded': {
    description:
      'The token of a connection that worked could not be refreshed. It serves until it expires, and the refresh is tried again: integration.recovered or integration.reconnect_required says how that ends, or integration.connected or integration.disconnected when the connection is made anew or ended meanwhile.',
    example: { ...aboutMailbox, reason: 'http_503' },
  },
  'integration.recovered': {
    description: 'A connection that was degraded has been refreshed, and works as before.',
    example: aboutMailbox,
  },
  'integration.reconnect_required': {
    description: 'The provider no longer accepts the connection; the user has to connect again.',
    example: { ...aboutMailbox, reason: 'invalid_grant' },
  },
  'integration.disconnected': {
    description:
      'A connection was ended: here (user), or at the provider, which said so (token_revoked, tokens_revoked, account_disabled, account_purged) or was asked (inactive).',
    example: { ...aboutMailbox, reason: 'user' },
  },
};

const entriesOf = <Kind extends BuiltInKind>(
  words: Readonly<Record<Kind, Words>>,
  schemas: Readonly<Record<Kind, z.ZodType>>,
  isNotice: boolean,
): readonly CatalogueEntry<Kind>[] =>
  (Object.keys(schemas) as Kind[]).map((kind) => ({
    kind,
    ...words[kind],
    isNotice,
    isOptIn: isNotice,
    schema: z.toJSONSchema(schemas[kind], { unrepresentable: 'any' }),
  }));

/** Every kind that is the same in all installations: the assistant's five, then our own notices. */
export const EVENT_CATALOGUE: readonly CatalogueEntry<BuiltInKind>[] = [
  ...entriesOf(ASSISTANT, dataSchemas, false),
  ...entriesOf(NOTICES, noticeSchemas, true),
];

/** A kind that a platform adds by EVENT_TYPES_FILE. */
export interface PlatformKind extends Omit<CatalogueEntry, 'isNotice'> {
  /** Checks `data` by `schema`. */
  readonly check: DataSchema;
}

/** Every kind of an installation. */
export interface EventCatalogue {
  /** The assistant's five, then the platform's own, then our notices: everything that a webhook can name. */
  readonly entries: readonly CatalogueEntry[];
  readonly kinds: readonly string[];
  /** Schemas of the kinds that producers write: all but notices. */
  readonly schemas: DataSchemas;
  /** True: a webhook for `*` does not get the kind. */
  readonly isOptIn: (kind: string) => boolean;
}

/** The catalogue of an installation, with the kinds of its EVENT_TYPES_FILE. */
export function catalogueOf(platformKinds: readonly PlatformKind[] = []): EventCatalogue {
  const added = platformKinds.map((one) => {
    const { check: _, ...entry } = one;
    return { ...entry, isNotice: false };
  });
  const isNotice = (entry: CatalogueEntry) => entry.isNotice;
  const entries: readonly CatalogueEntry[] = [
    ...EVENT_CATALOGUE.filter((entry) => !isNotice(entry)),
    ...added,
    ...EVENT_CATALOGUE.filter(isNotice),
  ];
  const optIn = new Set(entries.filter(({ isOptIn }) => isOptIn).map(({ kind }) => kind));
  const checks = platformKinds.map(({ kind, check }) => [kind, check] as const);
  return {
    entries,
    kinds: entries.map(({ kind }) => kind),
    schemas: checks.length === 0 ? dataSchemas : { ...dataSchemas, ...Object.fromEntries(checks) },
    isOptIn: (kind) => optIn.has(kind),
  };
}
