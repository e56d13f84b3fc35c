import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { answerOf, CALLS, DOCUMENT } from './api-calls.js';
import { curlOf, exampleOf, RECORDED } from './api-examples.js';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const { components } = DOCUMENT;

it('an answer of the reference fits the schema of its call', () => {
  const wrong = CALLS.flatMap(({ call, operation: { operationId, responses } }) =>
    Object.entries(responses)
      .filter(([status]) => status < '300')
      .flatMap(([, answer]) => answerOf(answer).content?.['application/json'] ?? [])
      .filter(({ schema }) => {
        const fits = ajv.compile({ allOf: [schema], components });
        return !fits(RECORDED[operationId] ?? exampleOf(schema, components.schemas));
      })
      .map(() => call),
  );
  expect(wrong).toEqual([]);
});

it('a request of the reference names what is to be put in', () => {
  const body = { type: 'application/json', example: { a: 1 } };
  const sent = { origin: 'http://localhost:8080', token: 'TOKEN', body };
  expect(curlOf('PATCH /api/webhooks/{webhookId}', sent)).toBe(
    [
      'curl -s -X PATCH http://localhost:8080/api/webhooks/$WEBHOOK_ID',
      '-H "authorization: Bearer $TOKEN"',
      "-H 'content-type: application/json'",
      `-d '{"a":1}'`,
    ].join(' \\\n     '),
  );
});
