import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { readEventTypes } from '@junction/contracts/event-types';
import { apiDocuments } from './api-documents.js';
import { eventCatalogue } from './event-catalogue.js';

const FILE = new URL('../../../../infra/event-types.example.yaml', import.meta.url);
const example = { invoice_id: 'inv_17' };

it('kinds of the platform stand in the documents and on the page of kinds', async () => {
  const { entries } = await readEventTypes(fileURLToPath(FILE));
  const schema = entries.find(({ kind }) => kind === 'invoice.viewed')?.schema;

  const documents = await apiDocuments(entries);
  const asObject = (name: string): unknown => JSON.parse(documents.get(name) ?? '');
  expect(asObject('/asyncapi.json')).toMatchObject({
    channels: {
      assistantEvents: {
        messages: {
          draftCreated: { name: 'draft.created' },
          invoiceViewed: { name: 'invoice.viewed', payload: schema },
        },
      },
      userEvents: { messages: expect.not.objectContaining({ invoiceViewed: expect.anything() }) },
      webhookRequests: { messages: { invoiceViewed: { name: 'invoice.viewed' } } },
    },
  });
  const content = {
    'application/json': { example: { event_type: 'invoice.viewed', data: example } },
  };
  expect(asObject('/openapi.json')).toMatchObject({
    paths: { '/api/webhooks': {} },
    webhooks: {
      'draft.created': {},
      'invoice.viewed': { post: { operationId: 'onInvoiceViewed', requestBody: { content } } },
    },
  });
  expect(eventCatalogue(entries)).toMatch(
    /## Events of the platform[^]*### `invoice\.viewed`\n\nA customer looked at an invoice\. Opt-in\.[^]*## Notices/,
  );
});
