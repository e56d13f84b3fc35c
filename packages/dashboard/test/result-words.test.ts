import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { resultWords } from '../src/model/result-words.js';

describe('the words for a result', () => {
  it.each(codesOfTheDispatcher())('are there for %s', (code) => {
    const { short, long } = resultWords(code);
    expect(short).not.toContain(code);
    expect(long).toMatch(/^[A-Z].*[.?]$/);
  });

  it('cover what the dispatcher can produce, and no less', () => {
    expect(codesOfTheDispatcher()).toEqual(
      expect.arrayContaining(['timeout', 'failed', 'url_private_address', 'webhook_deleted']),
    );
  });

  it.each([
    ['http_500', '500 Internal Server Error', 'The logs of the receiver say why'],
    ['http_302', '302 Found', 'Redirects are not followed'],
    ['http_401', '401 Unauthorized', 'secret'],
    ['http_429', '429 Too Many Requests', 'Retry-After'],
    ['http_410', '410 Gone', 'not to send there again'],
    ['http_418', '418', 'Only 2xx'],
  ])('name, for %s, the status and what to do', (code, short, advice) => {
    expect(resultWords(code)).toMatchObject({
      short,
      long: expect.stringContaining(advice),
      advice: expect.stringContaining(advice),
    });
  });

  it.each(['mystery', 'constructor', 'http_99999'])('name %s, which is unknown', (code) => {
    expect(resultWords(code)).toEqual({ short: code, long: `It ended with “${code}”.` });
  });
});

/** Reads the codes from the dispatcher's sources, so that a test fails when a new code has no words. */
function codesOfTheDispatcher(): readonly string[] {
  const reasons = codesIn('adapters/webhook/failure-reason.ts', [
    /(?:return|\?) '([a-z_]+)'/g,
    /: '([a-z_]+)',/g,
  ]);
  const refusals = codesIn('adapters/webhook/target-rules.ts', [/problem\('([a-z_]+)'/g]);
  const lookups = codesIn('adapters/webhook/guarded-lookup.ts', [/'(url_[a-z_]+)'/g]);
  const endings = codesIn('adapters/postgres/sending/settle-pending.ts', [/: '(webhook_[a-z]+)'/g]);
  const outcomes = codesIn('domain/delivery/fact-of-attempt.ts', [/reason: '([a-z0-9_]+)'/g]);
  return [...new Set(['succeeded', ...reasons, ...refusals, ...lookups, ...endings, ...outcomes])];
}

function codesIn(file: string, patterns: readonly RegExp[]): readonly string[] {
  const source = readFileSync(
    path.resolve(import.meta.dirname, '../../../services/webhook-dispatcher/src', file),
    'utf8',
  );
  const found = patterns.flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, code]) => code),
  );
  if (found.length === 0) throw new Error(`${file} names no codes: look for them elsewhere.`);
  return found.filter((code) => code !== undefined);
}
