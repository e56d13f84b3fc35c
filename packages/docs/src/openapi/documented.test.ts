import { describe, expect, it } from '@jest/globals';
import { document, documentedBy } from '../../test/openapi/documented.js';

const undocumented = documentedBy(document);
const problem = {
  type: '/docs/errors#webhook_not_found',
  title: 'Not found',
  status: 404,
  detail: 'There is no such webhook.',
  instance: '/api/webhooks/wh_1',
  code: 'webhook_not_found',
  request_id: '1',
};
const answer = { method: 'GET', path: '/api/webhooks/wh_1', type: 'application/problem+json' };

describe('an answer', () => {
  it('is documented with its status, its type, its members and its code', () => {
    const body = JSON.stringify(problem);
    expect(undocumented({ ...answer, status: 404, body })).toBeUndefined();
  });

  it.each(['/api/webhooks', '/api/integrations', '/api/auth/me'])(
    'is documented where the keys of an issuer cannot be had: %s',
    (path) => {
      const type = '/docs/errors#keys_unavailable';
      const body = JSON.stringify({ ...problem, type, status: 503, code: 'keys_unavailable' });
      expect(undocumented({ ...answer, path, status: 503, body })).toBeUndefined();
    },
  );

  it.each([
    ['status', { status: 418, body: '' }],
    ['type', { status: 404, type: 'text/html', body: '<p>' }],
    ['code', { status: 404, body: JSON.stringify({ ...problem, code: 'lost' }) }],
    ['items', { path: '/api/webhooks', status: 200, type: 'application/json', body: '{}' }],
    [
      'additional',
      {
        path: '/api/webhooks',
        status: 200,
        type: 'application/json',
        body: '{"items":[],"next_cursor":null,"more":1}',
      },
    ],
    ['operation', { method: 'PATCH', path: '/api/events', status: 200, body: '' }],
  ])('is not with another %s', (named, other) => {
    expect(undocumented({ ...answer, ...other })).toContain(named);
  });
});
