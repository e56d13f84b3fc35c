import { describe, expect, it } from '@jest/globals';
import type { Attempt } from '../api/types.js';
import { differencesOf } from './attempt-differences.js';

const attempt = (changes: Partial<Attempt>): Attempt => ({
  attempt: 1,
  at: '2026-03-04T05:06:07Z',
  result: 'http_500',
  detail: null,
  response_status: 500,
  response_headers: [{ name: 'server', value: 'one' }],
  response_sample: 'no',
  timing: { total_ms: 20, dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 9 },
  ...changes,
});

describe('two attempts', () => {
  it('that are alike have no differences', () => {
    expect(differencesOf(attempt({}), attempt({}))).toEqual([]);
  });

  it('differ by their answers, headers that one lacks included', () => {
    const later = attempt({
      result: 'connection_refused',
      response_status: null,
      response_headers: null,
      response_sample: null,
    });
    expect(differencesOf(attempt({}), later)).toEqual([
      { name: 'Answer', values: ['500 Internal Server Error', 'Connection refused'] },
      { name: 'Response header server', values: ['one', '–'] },
      { name: 'Response body', values: ['no', '–'] },
    ]);
  });
});
