import { describe, expect, it } from '@jest/globals';
import { targetProblem } from './target-rules.js';

const strict = { allowPrivate: false };
const relaxed = { allowPrivate: true };

describe('a webhook url under production rules', () => {
  it.each([
    'https://hooks.customer.com/in',
    'https://hooks.customer.com:8443/in?token=1#part',
    'https://1.1.1.1/hook',
    'https://[2606:4700:4700::1111]/hook',
    'https://bücher.example/hook',
  ])('%s is accepted', (url) => {
    expect(targetProblem(url, strict)).toBeUndefined();
  });

  it.each([
    ['hooks.customer.com', 'url_invalid'],
    ['/hook', 'url_invalid'],
    ['https://', 'url_invalid'],
    ['https://hooks.customer.com/in\u0000', 'url_invalid'],
    ['https://hooks.customer.com/i\u0000n', 'url_invalid'],
    ['https://hooks.cust\nomer.com/in', 'url_invalid'],
    [`https://hooks.customer.com/${'a/../'.repeat(500)}`, 'url_too_long'],
    ['http://hooks.customer.com/in', 'url_not_https'],
    ['ftp://hooks.customer.com/in', 'url_not_https'],
    ['https://user:word@hooks.customer.com/in', 'url_has_credentials'],
    ['https://user@hooks.customer.com/in', 'url_has_credentials'],
    [`https://hooks.customer.com/${'a'.repeat(2_048)}`, 'url_too_long'],
    ['https://10.0.0.1/hook', 'url_private_address'],
    ['https://127.1/hook', 'url_private_address'],
    ['https://0x7f000001/hook', 'url_private_address'],
    ['https://2130706433/hook', 'url_private_address'],
    ['https://[::1]/hook', 'url_private_address'],
    ['https://[::ffff:10.0.0.1]/hook', 'url_private_address'],
    ['https://127.0.0.1./hook', 'url_private_address'],
    ['https://localhost/hook', 'url_private_host'],
    ['https://localhost./hook', 'url_private_host'],
    ['https://api.localhost/hook', 'url_private_host'],
    ['https://backend/hook', 'url_private_host'],
    ['https://printer.local/hook', 'url_private_host'],
    ['https://metadata.google.internal/hook', 'url_private_host'],
    ['https://router.home.arpa/hook', 'url_private_host'],
    ['https://hidden.onion/hook', 'url_private_host'],
  ])('%s is refused as %s', (url, code) => {
    expect(targetProblem(url, strict)?.code).toBe(code);
  });
});

describe('a webhook url where private targets are allowed', () => {
  it.each(['http://127.0.0.1:9000/hook', 'https://localhost/hook', 'http://receiver:8080/'])(
    '%s is accepted',
    (url) => {
      expect(targetProblem(url, relaxed)).toBeUndefined();
    },
  );

  it.each([
    ['ftp://localhost/hook', 'url_not_https'],
    ['http://user:word@localhost/hook', 'url_has_credentials'],
  ])('%s is still refused', (url, code) => {
    expect(targetProblem(url, relaxed)?.code).toBe(code);
  });
});
