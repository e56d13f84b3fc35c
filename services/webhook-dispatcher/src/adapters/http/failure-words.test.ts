import { describe, expect, it } from '@jest/globals';
import { failureWords } from './failure-words.js';

describe('the result of an attempt', () => {
  it('needs no words when it succeeded', () => {
    expect(failureWords('succeeded')).toBeNull();
  });

  it.each([
    ['http_500', /HTTP 500\. Only 2xx/],
    ['http_307', /HTTP 307\. Redirects are not followed/],
    ['http_410', /410 Gone, which disables/],
    ['timeout', /in time\. It should answer at once/],
    ['tls_failed', /certificate/],
    ['url_private_address', /^Nothing was sent/],
    ['failed', /^The attempt failed \(failed\)\.$/],
    ['constructor', /\(constructor\)/],
  ])('%s is told in words', (result, words) => {
    expect(failureWords(result)).toMatch(words);
  });
});
