import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { DOMAIN_EVENTS, EVENT_CATALOGUE } from '@junction/contracts';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Message {
  readonly name: string;
  readonly headers: object;
  readonly payload: object;
  readonly examples?: readonly { readonly headers: object; readonly payload: object }[];
}
interface AsyncApi {
  readonly channels: Readonly<
    Record<string, { address: string | null; messages: Readonly<Record<string, Message>> }>
  >;
  readonly operations: Readonly<Record<string, { channel: { $ref: string } }>>;
}

const read = (url: string | URL) => JSON.parse(readFileSync(fileURLToPath(url), 'utf8'));
const document: AsyncApi = read(new URL('../../asyncapi.json', import.meta.url));
const channels = Object.values(document.channels);
const messages = channels.flatMap(({ address, messages }) =>
  Object.values(messages).map((message) => ({ address, ...message })),
);

describe('the AsyncAPI document', () => {
  it('keeps the schema of AsyncAPI 3.1', () => {
    // The schema brings the one of schemas along, which ajv would otherwise have twice.
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.validate(read(import.meta.resolve('@asyncapi/specs/schemas/3.1.0.json')), document);
    expect(ajv.errors).toBe(null);
  });

  it('has channels for all its operations', () => {
    const refs = Object.keys(document.channels).map((id) => `#/channels/${id}`);
    const operations = Object.values(document.operations);
    expect(operations.map(({ channel }) => channel.$ref).sort()).toEqual(refs.sort());
  });

  it('has examples that fit', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const misfits = messages.flatMap(({ name, headers, payload, examples = [] }) =>
      examples.flatMap((example) =>
        ajv.validate(headers, example.headers) && ajv.validate(payload, example.payload)
          ? []
          : [`${name}: ${ajv.errorsText()}`],
      ),
    );
    expect(misfits).toEqual([]);
    expect(messages.filter(({ examples }) => examples !== undefined)).not.toEqual([]);
  });

  it('has every event there is', () => {
    const kinds = EVENT_CATALOGUE.map(({ kind }) => kind);
    const names = messages.map(({ address, name }) => `${address ?? 'url'} ${name}`);
    expect(names).toEqual(
      expect.arrayContaining([
        ...kinds.map((kind) => `url ${kind}`),
        'assistant.events.v1 draft.created',
        'user.events.v1 webhook.exhausted',
        'webhooks.events.v1 delivery.exhausted',
        'auth.events.v1 api_key.created',
        'integrations.events.v1 integration.revoked',
      ]),
    );
    expect(names).toHaveLength(2 * kinds.length + Object.keys(DOMAIN_EVENTS).length);
  });
});
