import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, signUp, useProduct } from '@junction/demo';
import { apiAt, type Call } from '@junction/testing';
import { ANSWERS_FILE, recordAnswers } from './recorded-answers.js';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: object }>> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const product = useProduct();
let api: Call;
let ada: Person;
let paths: Paths;

beforeAll(async () => {
  api = apiAt(product().endpoints.gateway);
  ada = await signUp(api);
});

/** Status of each operation that succeeds with its example. The other operations name something that does not exist. */
const SUCCEEDS: Readonly<Record<string, number>> = {
  createApiKey: 201,
  rotateApiKey: 200,
  createWebhook: 201,
  configureWebhook: 200,
  changeWebhook: 200,
  rotateWebhookSecret: 200,
  sendTestEvent: 202,
  replayWebhook: 200,
};
/**
 * Operations that come first, because they create things that others name. LAST ends the session; the rest come
 * between.
 */
const FIRST = ['createApiKey', 'createWebhook'];
const LAST = ['logout'];
const rankOf = ({ operationId }: Pick<Operation, 'operationId'>): number =>
  FIRST.includes(operationId) ? 0 : LAST.includes(operationId) ? 2 : 1;

describe('the API', () => {
  it('describes itself at /openapi.json', async () => {
    const answer = await fetch(`${product().endpoints.gateway}/openapi.json`);
    const document = (await answer.json()) as { openapi: string; paths: Paths };

    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(document.openapi).toBe('3.1.1');
    paths = document.paths;
  });

  it('describes its topics and the requests to webhooks at /asyncapi.json', async () => {
    const answer = await fetch(`${product().endpoints.gateway}/asyncapi.json`);
    const { asyncapi, channels } = (await answer.json()) as Readonly<Record<string, unknown>>;

    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect({ asyncapi, channels }).toMatchObject({
      asyncapi: '3.1.0',
      channels: { assistantEvents: { address: 'assistant.events.v1' } },
    });
  });

  it('lets in every example that the document has', async () => {
    const ids = new Map<string, string>();
    const keep = (name: string, body: unknown, member: string) => {
      const id = ((body ?? {}) as Readonly<Record<string, unknown>>)[member];
      if (typeof id === 'string') ids.set(name, id);
    };
    const sent: string[] = [];

    for (const { method, path, operationId, example } of examplesOf(paths)) {
      const resource = path.startsWith('/api/auth') ? 'key' : 'webhook';
      const named = { provider: 'mailbox', service: 'auth', id: ids.get(resource) ?? '' };
      const target = path.replace(
        /\{(provider|service|id)\}/g,
        (_, name: keyof typeof named) => named[name],
      );
      const { status, body } = await ada.call(method.toUpperCase(), target, { json: example });
      keep('key', body, 'id');
      keep('webhook', body, 'webhook_id');
      const { code } = (body ?? {}) as { code?: string };
      sent.push(operationId);

      expect({ operationId, status, code }).toEqual({
        operationId,
        status: SUCCEEDS[operationId] ?? status,
        code: expect.not.stringMatching(/^(?:invalid_request|malformed_body|internal)$/),
      });
    }

    expect(sent).toEqual(expect.arrayContaining([...Object.keys(SUCCEEDS), 'register', 'connect']));
  });

  it('answers as the reference shows it (WRITE_ANSWERS=1 writes what it shows)', async () => {
    const answers = await recordAnswers(product().endpoints);
    if (process.env['WRITE_ANSWERS']) {
      writeFileSync(ANSWERS_FILE, `${JSON.stringify(answers, null, 1)}\n`);
    }
    expect(answers).toEqual(JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')));
  });
});

const examplesOf = (all: Paths) =>
  Object.entries(all)
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { operationId, requestBody }]) => {
        const example = requestBody?.content['application/json']?.example;
        return example ? [{ method, path, operationId, example }] : [];
      }),
    )
    .sort((one, other) => rankOf(one) - rankOf(other));
