import {
  type CatalogueEntry,
  DOMAIN_EVENTS,
  EVENT_CATALOGUE,
  messageId,
  USER_TOPIC,
} from '@junction/contracts';
import type { JsonSchema } from '../openapi/schemas.js';
import { pascal, WEBHOOK_HEADERS, webhookBody } from '../openapi/webhook-request.js';
import { messageNamed, schemaOf } from './proto-schema.js';

const HEADERS = Object.values(WEBHOOK_HEADERS);
const USER_ID = '0198c0de-0123-7abc-8def-000000000001';
const AT = '2026-01-02T03:04:05.678Z';

const text = (description: string) => ({ type: 'string', description });

/** CloudEvents 1.0 in binary mode (its Kafka protocol binding, section 3.2). */
const headersOf = (kind: string) => ({
  type: 'object',
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: text('With ce_source the same in every copy of a record: drop what you have seen.'),
    ce_source: text('Who says it.'),
    ce_type: { const: kind },
    ce_subject: text('The user it is about.'),
    ce_time: { type: 'string', format: 'date-time' },
    'content-type': { const: 'application/json' },
  },
  required: ['ce_specversion', 'ce_id', 'ce_source', 'ce_type', 'ce_subject', 'content-type'],
});

/** A record of domain events counts, for each key, what came before it. */
const withSequence = (headers: ReturnType<typeof headersOf>) => ({
  ...headers,
  properties: { ...headers.properties, ce_sequence: text('Counts the records of a key, from 1.') },
});

const topics = (entries: readonly CatalogueEntry[]): readonly Topic[] => [
  {
    id: 'assistantEvents',
    address: 'assistant.events.v1',
    action: 'receive',
    description:
      'What assistants did for users. Producers write it, by Kafka or by gRPC; each matching webhook is sent it. The key is the user.',
    messages: entries.filter(({ isNotice }) => !isNotice).map(eventMessage),
  },
  {
    id: 'userEvents',
    address: USER_TOPIC,
    action: 'send',
    description: 'Notices about a user, for webhooks that name them. The key is the user.',
    messages: entries.filter(({ isNotice }) => isNotice).map(eventMessage),
  },
  ...(['auth', 'integrations', 'webhooks'] as const).map((service) => ({
    id: `${service}Events`,
    address: `${service}.events.v1`,
    action: 'send' as const,
    description: `The public life of ${service}, for whoever keeps a view of it. Neither personal data nor secrets are in it.`,
    messages: Object.keys(DOMAIN_EVENTS).flatMap((type) => domainMessage(type, service)),
  })),
];

interface Topic {
  readonly id: string;
  readonly address: string;
  /** Direction as the product sees it: the product receives what others produce. */
  readonly action: 'send' | 'receive';
  readonly description: string;
  readonly messages: readonly (readonly [name: string, message: JsonSchema])[];
}

function eventMessage({ kind, description, schema, example }: CatalogueEntry) {
  const headers = {
    ce_specversion: '1.0',
    ce_id: 'run-81',
    ce_source: 'assistant/inbox',
    ce_type: kind,
    ce_subject: USER_ID,
    ce_time: AT,
    'content-type': 'application/json',
  };
  const message = {
    name: kind,
    summary: description,
    contentType: 'application/json',
    headers: headersOf(kind),
    payload: schema,
    examples: [{ headers, payload: example }],
    bindings: { kafka: { key: { type: 'string', format: 'uuid' } } },
  };
  return [kind, message] as const;
}

/**
 * Returns the message of an event type, in a list; the list is empty when the type belongs to another service's
 * topic.
 */
function domainMessage(type: string, service: string) {
  const { message, package: name } = messageNamed(pascal(type));
  if (name !== `junction.${service}.v1`) return [];
  const described = {
    name: type,
    contentType: 'application/json',
    headers: withSequence(headersOf(type)),
    payload: schemaOf(message),
    bindings: { kafka: { key: { type: 'string' } } },
  };
  return [[type, described] as const];
}

/** A name that can stand in a channel or in the name of an operation. */
const camel = (kind: string): string => {
  const name = pascal(kind);
  return name.charAt(0).toLowerCase() + name.slice(1);
};

/** Describes the messages of the product: its topics, and the requests to webhooks. AsyncAPI 3.1. */
export function asyncApiDocument(entries: readonly CatalogueEntry[] = EVENT_CATALOGUE): JsonSchema {
  const all = topics(entries);
  const channels = Object.fromEntries(all.map((topic) => [topic.id, channelOf(topic)]));
  const operations = Object.fromEntries(
    all.map((topic) => [camel(`${topic.action}.${topic.id}`), operationOf(topic)]),
  );
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Junction',
      version: '1.0.0',
      description:
        'The topics of Kafka, and the requests that webhooks are sent. Topics may have a prefix of the installation (KAFKA_TOPIC_PREFIX).',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: { ...channels, webhookRequests: webhookChannel(entries) },
    operations: { ...operations, sendWebhookRequests: WEBHOOK_OPERATION },
  };
}

const channelOf = ({ address, description, messages }: Topic) => ({
  address,
  description,
  messages: Object.fromEntries(messages.map(([kind, message]) => [camel(kind), message])),
  bindings: { kafka: { topic: address } },
});

const operationOf = ({ id, action, description }: Topic) => ({
  action,
  channel: { $ref: `#/channels/${id}` },
  summary: description,
});

const webhookChannel = (entries: readonly CatalogueEntry[]) => ({
  address: null,
  description: 'The url of a webhook. Anything but 2xx is tried again.',
  messages: Object.fromEntries(
    entries.map((entry) => {
      const { schema, example } = webhookBody(entry);
      const message = {
        name: entry.kind,
        summary: entry.description,
        contentType: 'application/json',
        headers: {
          type: 'object',
          properties: Object.fromEntries(
            HEADERS.map(({ name, description }) => [name, text(description)]),
          ),
          required: HEADERS.filter(({ required }) => required).map(({ name }) => name),
        },
        payload: schema,
        examples: [
          {
            headers: {
              'webhook-id': messageId('assistant/inbox', 'run-81', USER_ID),
              'webhook-timestamp': String(Math.floor(Date.parse(AT) / 1_000)),
            },
            payload: example,
          },
        ],
      };
      return [camel(entry.kind), message];
    }),
  ),
});

const WEBHOOK_OPERATION = {
  action: 'send',
  channel: { $ref: '#/channels/webhookRequests' },
  summary: 'Each event is sent to each webhook that it matches, at least once.',
  bindings: { http: { method: 'POST' } },
};
