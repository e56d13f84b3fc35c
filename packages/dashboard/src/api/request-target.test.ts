import { expect, it } from '@jest/globals';
import type { call } from './client.js';
import { requestTarget } from './request-target.js';

it('a request target has the parameters of its path and query, whatever they hold', () => {
  const params = { path: { integration: 'a/b?c' }, query: { limit: 5, text: 'a&b' } };
  const target = requestTarget('/api/integrations/{integration}/history', params);
  expect(target).toBe('/api/integrations/a%2Fb%3Fc/history?limit=5&text=a%26b');
  expect(requestTarget('/api/deliveries', { query: {} })).toBe('/api/deliveries');
});

it('a call that the document does not describe does not compile', () => {
  const wrong = (ask: typeof call) => [
    // @ts-expect-error no such path
    ask('get', '/api/webhook'),
    // @ts-expect-error a path parameter is missing
    ask('get', '/api/webhooks/{id}'),
    // @ts-expect-error no such parameter of the query
    ask('get', '/api/deliveries', { params: { query: { states: 'held' } } }),
    // @ts-expect-error a member of the body is missing
    ask('post', '/api/auth/session', { body: { email: 'ada@example.com' } }),
    // @ts-expect-error no such member of the answer
    ask('get', '/api/webhooks').then(({ webhooks }) => webhooks),
  ];
  expect(wrong).toBeDefined();
});
