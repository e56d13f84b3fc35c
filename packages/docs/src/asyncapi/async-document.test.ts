import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from '@jest/globals';
import { DOMAIN_EVENTS, EVENT_CATALOGUE } from '@junction/contracts';

const text = readFileSync(new URL('../../asyncapi.json', import.meta.url), 'utf8');

describe('the AsyncAPI document', () => {
  it('keeps the rules of AsyncAPI 3, its examples fit, and it has every event there is', async () => {
    const { document, diagnostics } = await new Parser().parse(text);

    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    const kinds = EVENT_CATALOGUE.map(({ kind }) => kind);
    const names = document
      ?.channels()
      .all()
      .flatMap((channel) =>
        channel
          .messages()
          .all()
          .map((message) => `${channel.address() ?? 'url'} ${message.name() ?? ''}`),
      );
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
