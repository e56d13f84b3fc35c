import { describe, expect, it } from '@jest/globals';
import { trusting } from './variables.js';

describe('the URL of a database whose authorities are in a file', () => {
  it.each([
    ['postgres://a:b@db:5432/a', '?'],
    ['postgres://a:b@db:5432/a?sslmode=disable', '?'],
    ['postgres://a:b@db:5432/a?application_name=x', '?application_name=x&'],
  ])('has %s checked against them', (url, query) => {
    expect(trusting(url, '/etc/ca.crt')).toBe(
      `postgres://a:b@db:5432/a${query}sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt`,
    );
  });

  it('stays as it is without one', () => {
    expect(trusting('postgres://a:b@db/a', undefined)).toBe('postgres://a:b@db/a');
  });
});
