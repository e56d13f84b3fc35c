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
    ['tls_certificate_expired', /has expired/],
    ['tls_certificate_not_yet_valid', /not valid yet/],
    ['tls_name_mismatch', /another name/],
    ['tls_self_signed', /signed its certificate itself/],
    ['tls_unknown_issuer', /authority that is not known/],
    ['tls_protocol_too_old', /TLS 1\.2/],
    ['tls_client_certificate_wanted', /client certificate/],
    ['tls_not_spoken', /does not speak TLS/],
    ['url_private_address', /^Nothing was sent/],
    ['failed', /^The attempt failed \(failed\)\.$/],
    ['constructor', /\(constructor\)/],
  ])('has words for %s', (result, words) => {
    expect(failureWords(result)).toMatch(words);
  });
});
