import { describe, expect, it } from '@jest/globals';
import {
  CUSTOM_HEADERS_MAX,
  HEADER_VALUE_MAX,
  HEADERS_BYTES_MAX,
  headersProblem,
  MASKED,
} from './custom-headers.js';

describe('custom headers', () => {
  it.each([
    {},
    { Authorization: 'Bearer abc.def', 'X-Api-Key': 'k', accept: 'a\tb c' },
    { 'x-webhook-id': '1', 'X-Content-Kind': '2', Cookie: 'a=b' },
    { 'x-long': 'v'.repeat(HEADER_VALUE_MAX), ['x'.repeat(64)]: 'v' },
    { 'x-te': '1', 'te-x': '2', 'x-proxy-a': '3', 'x-host': '4', 'host-x': '5' },
    {
      'x-x-service-signature': '1',
      'x-service-signature-x': '2',
      x__proto__: '3',
      __proto__x: '4',
    },
  ])('may be %j', (headers) => {
    expect(headersProblem(headers)).toBeUndefined();
  });

  it.each([
    ['Connection', 'one connection'],
    ['transfer-encoding', 'one connection'],
    ['Proxy-Authorization', 'one connection'],
    ['te', 'one connection'],
    ['Upgrade', 'one connection'],
    ['HOST', 'set by us'],
    ['Content-Type', 'set by us'],
    ['content-length', 'set by us'],
    ['X-Forwarded-For', 'set by us'],
    ['User-Agent', 'set by us'],
    ['Webhook-Signature', 'what we say'],
    ['webhook-id', 'what we say'],
    ['x-service-signature', 'our signature'],
    ['__proto__', 'no field'],
  ])('may not be %s, and say why: %s', (name, reason) => {
    const problem = headersProblem(
      Object.fromEntries([
        ['x-fine', 'v'],
        [name, 'v'],
      ]),
    );
    expect(problem).toMatchObject({ name, code: 'header_forbidden' });
    expect(problem?.message).toContain(reason);
  });

  it.each([
    ['', 'v', 'header_name_invalid'],
    ['a b', 'v', 'header_name_invalid'],
    ['a:', 'v', 'header_name_invalid'],
    ['ä', 'v', 'header_name_invalid'],
    ['a\r\nhost', 'v', 'header_name_invalid'],
    ['x'.repeat(65), 'v', 'header_name_invalid'],
    ['x', '', 'header_value_invalid'],
    ['x', ' v', 'header_value_invalid'],
    ['x', 'v ', 'header_value_invalid'],
    ['x', 'a\r\nb: c', 'header_value_invalid'],
    ['x', 'a\u0000', 'header_value_invalid'],
    ['x', 'é', 'header_value_invalid'],
    ['x', 'v'.repeat(HEADER_VALUE_MAX + 1), 'header_value_invalid'],
    ['x', MASKED, 'header_value_masked'],
  ])('are refused: %j: %j', (name, value, code) => {
    const shown = name.slice(0, 64);
    expect(headersProblem({ [name]: value })).toMatchObject({ name: shown, code });
  });

  it.each([[undefined], [null], ['X-A: 1'], [['X-A: 1']]])(
    'are an object, and not %j',
    (headers) => {
      expect(headersProblem(headers)).toMatchObject({ code: 'invalid_type' });
    },
  );

  it('have texts as their values', () => {
    expect(headersProblem({ 'X-A': 1 })).toMatchObject({ name: 'X-A', code: 'invalid_type' });
  });

  it('have each name once, in whatever case', () => {
    expect(headersProblem({ 'X-A': '1', 'x-a': '2' })).toMatchObject({ code: 'header_twice' });
  });

  it('are bounded in number and in bytes', () => {
    const many = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, value]));
    expect(headersProblem(many(CUSTOM_HEADERS_MAX, 'v'))).toBeUndefined();
    expect(headersProblem(many(CUSTOM_HEADERS_MAX + 1, 'v'))?.code).toBe('too_big');
    const bytes = (count: number) => many(4, 'v'.repeat(count / 4 - 'x-0'.length));
    expect(headersProblem(bytes(HEADERS_BYTES_MAX))).toBeUndefined();
    expect(headersProblem(bytes(HEADERS_BYTES_MAX + 4))?.code).toBe('too_big');
  });
});
