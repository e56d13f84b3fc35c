import { isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { EgressRefusedError } from './guarded-lookup.js';
import { endpointOf, targetProblem } from './target-rules.js';

const LABEL_OF_63 = 'a'.repeat(63);
const NAME_OF_253 = `${`${LABEL_OF_63}.`.repeat(3)}${'b'.repeat(57)}.com`;

const strict = { allowPrivateTargets: false };
const relaxed = { allowPrivateTargets: true };

it('a webhook url never has port 0, on which nothing listens', () => {
  const refused = { code: 'url_port_refused', message: expect.stringContaining('port 0') };
  expect(targetProblem('http://127.0.0.1:0/in', relaxed)).toEqual(refused);
  expect(targetProblem('https://hooks.customer.com:00/in', strict)).toEqual(refused);
});

describe('a webhook url under production rules', () => {
  it.each([
    'https://hooks.customer.com/in',
    'https://hooks.customer.com:8443/in?token=1',
    'https://hooks.customer.com/in%23part',
    'https://bücher.example/hook',
    'https://hooks.customer.com',
    'https://hooks.customer.com?token=1',
    'HTTPS://Hooks.Customer.com:443/In',
    'https://hooks.customer.com/in?',
    'https://hooks.customer.com/in?a=.&b=../c|d^e{f}&g=%2e%2e',
    'https://hooks.customer.com/...//in;v=1,2/gr%C3%BC%c3%9fe',
    'https://hooks.customer.com/in?next=https:/other',
    'https://example.com/hook',
    'https://hooks.example.net/hook',
    'https://hooks.example.org./hook',
    'https://hooks.customer.com./in',
    'https://_hooks.customer.com/in',
    `https://${NAME_OF_253}/in`,
    `https://hooks.customer.com/${'a'.repeat(2_021)}`,
  ])('%s is accepted', (url) => {
    expect(targetProblem(url, strict)).toBeUndefined();
  });

  it('is judged the same however many were judged before, which Node.js does not do by itself', () => {
    const letters = 'https://bücher.example/hook';
    for (let n = 0; n < 10_000; n++) targetProblem(`https://receiver.example/${n}`, strict);
    expect(targetProblem(letters, strict)).toBeUndefined();
  });

  it.each([
    ['hooks.customer.com', 'url_invalid'],
    ['/hook', 'url_invalid'],
    ['https://', 'url_invalid'],
    ['https:hooks.customer.com/in', 'url_invalid'],
    ['https:/hooks.customer.com/in', 'url_invalid'],
    ['https:///hooks.customer.com/in', 'url_invalid'],
    ['https://hooks.customer.com/in\u0000', 'url_invalid'],
    ['https://hooks.customer.com/i\u0000n', 'url_invalid'],
    ['https://hooks.cust\nomer.com/in', 'url_invalid'],
    [' https://hooks.customer.com/in', 'url_invalid'],
    ['https://hooks.customer.com/i n', 'url_invalid'],
    ['https://hooks.customer.com/in\u00a0', 'url_invalid'],
    ['https://hooks.cus\u200btomer.com/in', 'url_invalid'],
    ['https://hooks.customer.com/\u202ein', 'url_invalid'],
    ['https://hooks.customer.com/\ud800', 'url_invalid'],
    ['https:\\\\hooks.customer.com\\in', 'url_invalid'],
    ['https://hooks.customer.com\\@10.0.0.1/', 'url_invalid'],
    ['https://hooks.customer.com/a/%2e%2e/b', 'url_invalid'],
    ['https://hooks.customer.com/a/../b', 'url_invalid'],
    ['https://hooks.customer.com/a/.%2E', 'url_invalid'],
    ['https://hooks.customer.com/./a', 'url_invalid'],
    ['https://hooks.customer.com/{tenant}/hook', 'url_invalid'],
    ['https://hooks.customer.com/<tenant>', 'url_invalid'],
    ['https://hooks.customer.com/`a`', 'url_invalid'],
    ['https://hooks.customer.com/grüße', 'url_invalid'],
    ['https://hooks.customer.com/in?name=ü', 'url_invalid'],
    ['https://hooks.customer.com/in?name="a"', 'url_invalid'],
    ["https://hooks.customer.com/in?name='a'", 'url_invalid'],
    ['https://hooks.customer.com:99999/in', 'url_invalid'],
    ['https://hooks.customer.com:-1/in', 'url_invalid'],
    ['https://hooks.customer.com:https/in', 'url_invalid'],
    ['https://hooks..customer.com/in', 'url_invalid'],
    ['https://hooks.customer.com../in', 'url_invalid'],
    ['https://localhost../in', 'url_invalid'],
    ['https://127.0.0.1../in', 'url_invalid'],
    ["https://hooks.customer'.com/in", 'url_invalid'],
    [`https://${'a'.repeat(64)}.com/in`, 'url_invalid'],
    [`https://${NAME_OF_253.replace('b', 'bb')}/in`, 'url_invalid'],
    ['https://xn--/in', 'url_invalid'],
    ['https://[fe80::1%25eth0]/in', 'url_invalid'],
    ['https://[::1/in', 'url_invalid'],
    ['https://[v1.a]/in', 'url_invalid'],
    ['https://10.0.0.256/in', 'url_invalid'],
    ['https://1.2.3.4.5/in', 'url_invalid'],
    ['https://hooks.customer.0x1/in', 'url_invalid'],
    [`https://hooks.customer.com/${'a/../'.repeat(500)}`, 'url_too_long'],
    ['http://hooks.customer.com/in', 'url_not_https'],
    ['ftp://hooks.customer.com/in', 'url_not_https'],
    ['https://user:word@hooks.customer.com/in', 'url_has_credentials'],
    ['https://user@hooks.customer.com/in', 'url_has_credentials'],
    ['https://:word@hooks.customer.com/in', 'url_has_credentials'],
    [`https://hooks.customer.com/${'a'.repeat(2_048)}`, 'url_too_long'],
    ['https://hooks.customer.com/in#part', 'url_has_fragment'],
    ['https://hooks.customer.com/in#', 'url_has_fragment'],
    ['https://hooks.customer.com#@10.0.0.1/', 'url_has_fragment'],
    ['https://1.1.1.1/hook', 'url_is_address'],
    ['https://1.1.1.1./hook', 'url_is_address'],
    ['https://0x01010101/hook', 'url_is_address'],
    ['https://16843009/hook', 'url_is_address'],
    ['https://0100.0x1.1/hook', 'url_is_address'],
    ['https://[2606:4700:4700::1111]/hook', 'url_is_address'],
    ['https://10.0.0.1/hook', 'url_private_address'],
    ['https://127.1/hook', 'url_private_address'],
    ['https://0x7f000001/hook', 'url_private_address'],
    ['https://2130706433/hook', 'url_private_address'],
    ['https://[::1]/hook', 'url_private_address'],
    ['https://[::ffff:10.0.0.1]/hook', 'url_private_address'],
    ['https://127.0.0.1./hook', 'url_private_address'],
    ['https://0177.0.0.1/hook', 'url_private_address'],
    ['https://0x7f.0.0.0x1/hook', 'url_private_address'],
    ['https://017700000001/hook', 'url_private_address'],
    ['https://0/hook', 'url_private_address'],
    ['https://10.1/hook', 'url_private_address'],
    ['https://0xA9FEA9FE/hook', 'url_private_address'],
    ['https://%31%32%37.0.0.1/hook', 'url_private_address'],
    ['https://１２７.0.0.1/hook', 'url_private_address'],
    ['https://127。0。0。1/hook', 'url_private_address'],
    ['https://[0:0:0:0:0:ffff:7f00:1]/hook', 'url_private_address'],
    ['https://[::127.0.0.1]/hook', 'url_private_address'],
    ['https://[64:ff9b::a00:1]/hook', 'url_private_address'],
    ['https://[2002:7f00:1::]/hook', 'url_private_address'],
    ['https://[fd00:ec2::254]/hook', 'url_private_address'],
    ['https://LOCALHOST/hook', 'url_private_host'],
    ['https://%6c%6fcalhost/hook', 'url_private_host'],
    ['https://ⓛocalhost/hook', 'url_private_host'],
    ['https://hooks.customer.TEST/hook', 'url_private_host'],
    ['https://hooks.customer.invalid./hook', 'url_private_host'],
    ['https://1.0.168.192.in-addr.arpa/hook', 'url_private_host'],
    ['https://hooks.customer.com:0/in', 'url_port_refused'],
    ['https://hooks.customer.com:22/in', 'url_port_refused'],
    ['https://hooks.customer.com:00025/in', 'url_port_refused'],
    ['https://1.1.1.1:6667/in', 'url_port_refused'],
    ['https://localhost/hook', 'url_private_host'],
    ['https://localhost./hook', 'url_private_host'],
    ['https://api.localhost/hook', 'url_private_host'],
    ['https://backend/hook', 'url_private_host'],
    ['https://printer.local/hook', 'url_private_host'],
    ['https://metadata.google.internal/hook', 'url_private_host'],
    ['https://hooks.default.svc/hook', 'url_private_host'],
    ['https://hooks.default.svc.cluster.local/hook', 'url_private_host'],
    ['https://router.home.arpa/hook', 'url_private_host'],
    ['https://hidden.onion/hook', 'url_private_host'],
    ['https://name.alt/hook', 'url_private_host'],
    ['https://intranet.corp/hook', 'url_private_host'],
    ['https://router.home/hook', 'url_private_host'],
    ['https://wiki.intranet/hook', 'url_private_host'],
    ['https://router.lan/hook', 'url_private_host'],
    ['https://router.localdomain/hook', 'url_private_host'],
  ])('%s is refused as %s', (url, code) => {
    expect(targetProblem(url, strict)?.code).toBe(code);
  });
});

describe('a webhook url where private targets are allowed', () => {
  it.each([
    'http://127.0.0.1:9000/hook',
    'http://127.0.0.1:6000/hook',
    'https://localhost/hook',
    'http://receiver:8080/',
  ])('%s is accepted', (url) => {
    expect(targetProblem(url, relaxed)).toBeUndefined();
  });

  it.each([
    ['ftp://localhost/hook', 'url_not_https'],
    ['http://user:word@localhost/hook', 'url_has_credentials'],
    ['http://localhost/hook#part', 'url_has_fragment'],
    ['http:/localhost/hook', 'url_invalid'],
    ['http:localhost', 'url_invalid'],
    ['http://localhost../hook', 'url_invalid'],
    [`http://${'a'.repeat(64)}/hook`, 'url_invalid'],
  ])('%s is still refused', (url, code) => {
    expect(targetProblem(url, relaxed)?.code).toBe(code);
  });
});

/** As `unit: 'binary'`, of which fast-check makes a table that takes a second. */
const anyCharacter = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));

describe('the endpoint of a url', () => {
  it('is its origin with its path and query', () => {
    expect(endpointOf('https://Hooks.Customer.com:8443/in?a=1', strict)).toEqual({
      origin: 'https://hooks.customer.com:8443',
      path: '/in?a=1',
    });
  });

  it('is refused when the url breaks the rules', () => {
    expect(() => endpointOf('https://10.0.0.1/hook', strict)).toThrow(EgressRefusedError);
  });
});

describe('any text at all', () => {
  it('has its problem named, or is a url that is called as it is shown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string({ unit: anyCharacter }), odd), (text) => {
        const found = targetProblem(text, strict);
        if (found) return expect(found.code).toMatch(/^url_/);
        const { protocol, username, hostname, hash, href } = new URL(text);
        expect({ protocol, username, hash }).toEqual({
          protocol: 'https:',
          username: '',
          hash: '',
        });
        expect(hostname).toMatch(/^[^:]+\.[^:]+$/);
        expect(isIP(hostname.replace(/\.$/, ''))).toBe(0);
        expect(href.endsWith(text.replace(/^https:\/\/[^/?]*/i, ''))).toBe(true);
        expect(targetProblem(href, strict)).toBeUndefined();
      }),
    );
  });
});

describe('any address', () => {
  it('is refused in every notation that the parser takes', () => {
    fc.assert(
      fc.property(fc.ipV4Extended(), fc.webPath(), (host, path) => {
        expect(targetProblem(`https://${host}${path}`, strict)?.code).toMatch(ADDRESS_REFUSED);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), fc.webPath(), (host, path) => {
        expect(targetProblem(`https://[${host}]${path}`, strict)?.code).toMatch(ADDRESS_REFUSED);
      }),
    );
  });
});

const ADDRESS_REFUSED = /^url_(private_address|is_address)$/;

const PIECES = '127 0x7f 1 localhost com . .. @ : [ ] \\ # ? 。 %2e'.split(' ');
/** Hosts close to those that are refused. */
const odd = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
  .map((parts) => `https://${parts.join('')}/in`);
