import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isForbiddenAddress } from './forbidden-address.js';

/** IANA's registries of special-purpose addresses, whole; and multicast, which has one of its own. */
// biome-ignore format: a table is read by columns
const SPECIAL_PURPOSE: readonly (readonly [string, string])[] = [
  ['0.0.0.0/8',          'this network, RFC 791'],
  ['10.0.0.0/8',         'private use, RFC 1918'],
  ['100.64.0.0/10',      'shared by carriers, RFC 6598'],
  ['127.0.0.0/8',        'loopback, RFC 1122'],
  ['169.254.0.0/16',     'link-local, where clouds keep their metadata, RFC 3927'],
  ['172.16.0.0/12',      'private use, RFC 1918'],
  ['192.0.0.0/24',       'protocol assignments, RFC 6890'],
  ['192.0.2.0/24',       'documentation, RFC 5737'],
  ['192.31.196.0/24',    'AS112, RFC 7535'],
  ['192.52.193.0/24',    'AMT, RFC 7450'],
  ['192.88.99.0/24',     '6to4 relay, RFC 7526'],
  ['192.168.0.0/16',     'private use, RFC 1918'],
  ['192.175.48.0/24',    'AS112, RFC 7534'],
  ['198.18.0.0/15',      'benchmarking, RFC 2544'],
  ['198.51.100.0/24',    'documentation, RFC 5737'],
  ['203.0.113.0/24',     'documentation, RFC 5737'],
  ['224.0.0.0/4',        'multicast, RFC 5771'],
  ['240.0.0.0/4',        'reserved, RFC 1112; broadcast, RFC 919'],
  ['::/128',             'unspecified, RFC 4291'],
  ['::1/128',            'loopback, RFC 4291'],
  ['::/96',              'IPv4 inside: compatible, RFC 4291'],
  ['::ffff:0:0:0/96',    'IPv4 inside: translated, RFC 2765'],
  ['64:ff9b:1::/48',     'IPv4 inside: local NAT64, RFC 8215'],
  ['100::/64',           'discard, RFC 6666'],
  ['100:0:0:1::/64',     'dummy, RFC 9780'],
  ['2001::/23',          'protocol assignments, RFC 2928'],
  ['2001::/32',          'IPv4 inside: Teredo, RFC 4380'],
  ['2001:1::1/128',      'port control, RFC 7723'],
  ['2001:1::2/128',      'TURN, RFC 8155'],
  ['2001:1::3/128',      'DNS-SD registration, RFC 9665'],
  ['2001:2::/48',        'benchmarking, RFC 5180'],
  ['2001:3::/32',        'AMT, RFC 7450'],
  ['2001:4:112::/48',    'AS112, RFC 7535'],
  ['2001:10::/28',       'ORCHID, RFC 4843'],
  ['2001:20::/28',       'ORCHIDv2, RFC 7343'],
  ['2001:30::/28',       'drone remote id, RFC 9374'],
  ['2001:db8::/32',      'documentation, RFC 3849'],
  ['2002::/16',          'IPv4 inside: 6to4, RFC 3056'],
  ['2620:4f:8000::/48',  'AS112, RFC 7534'],
  ['3fff::/20',          'documentation, RFC 9637'],
  ['5f00::/16',          'segment routing, RFC 9602'],
  ['fc00::/7',           'unique local, RFC 4193'],
  ['fe80::/10',          'link-local, RFC 4291'],
  ['fec0::/10',          'site-local, RFC 3879'],
  ['ff00::/8',           'multicast, RFC 4291'],
];

describe('an address that webhooks must not go to', () => {
  it.each(SPECIAL_PURPOSE)('is any of %s: %s', (block) => {
    const [first, last] = endsOf(block);
    expect([first, isForbiddenAddress(first)]).toEqual([first, true]);
    expect([last, isForbiddenAddress(last)]).toEqual([last, true]);
  });

  it.each([
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    'localhost',
    '',
    '8.8.8.8 ',
    '010.8.8.8',
    '8.8.8',
    '134744072',
    '2606:4700::/32',
    '[2606:4700::1111]',
  ])('is any text that does not name a public one by itself: %j', (text) => {
    expect(isForbiddenAddress(text)).toBe(true);
  });
});

describe('an address next to a special block', () => {
  it.each(
    `
      1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
      169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0
      192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
      2001:200:: 2001:db7:ffff:: 2001:db9:: 2003:: 2606:4700:4700::1111
      2606:4700::1:5efe:102:304 2a00:1450:4001:80b::200e 3ffe:ffff::1 3fff:1000::
    `.match(/\S+/g) ?? [],
  )('is allowed: %s', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});

describe('an IPv4 address inside an IPv6 one', () => {
  it.each(['::ffff:', '64:ff9b::'])('is judged by itself in %s…', (prefix) => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        expect(isForbiddenAddress(prefix + v4)).toBe(isForbiddenAddress(v4));
      }),
    );
  });

  it.each([
    ['compatible', (v4: string) => `::${v4}`],
    ['translated', (v4: string) => `::ffff:0:${v4}`],
    ['NAT64 with a local prefix', (v4: string) => `64:ff9b:1::${v4}`],
    ['6to4', (v4: string) => `2002:${groupsOf(v4)}::1`],
    ['Teredo', (v4: string) => `2001:0:${groupsOf(v4)}:0:0:${groupsOf(v4)}`],
    ['ISATAP', (v4: string) => `2606:4700::5efe:${v4}`],
    ['ISATAP with the universal bit', (v4: string) => `2606:4700::200:5efe:${v4}`],
  ])('is refused whatever it is: %s', (_, embed) => {
    fc.assert(fc.property(fc.ipV4(), (v4) => expect(isForbiddenAddress(embed(v4))).toBe(true)));
  });
});

function endsOf(block: string): readonly [string, string] {
  const [network, bits] = ipaddr.parseCIDR(block);
  const last = network
    .toByteArray()
    .map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8))));
  return [network.toString(), ipaddr.fromByteArray(last).toString()];
}

const groupsOf = (v4: string): string =>
  ipaddr.IPv4.parse(v4).toIPv4MappedAddress().toString().replace('::ffff:', '');
