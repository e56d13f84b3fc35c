import { describe, expect, it } from '@jest/globals';
import { isForbiddenAddress } from './forbidden-address.js';

describe('an address that webhooks must not go to', () => {
  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared by carriers', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, where clouds keep their metadata', '169.254.169.254'],
    ['for protocols', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local of an interface', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['segment routing', '5f00::1'],
    ['IPv4 inside: mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4 inside: mapped private', '::ffff:a00:1'],
    ['IPv4 inside: compatible', '::127.0.0.1'],
    ['IPv4 inside: translated', '::ffff:0:7f00:1'],
    ['IPv4 inside: NAT64 private', '64:ff9b::10.0.0.1'],
    ['IPv4 inside: NAT64 local prefix', '64:ff9b:1::8.8.8.8'],
    ['IPv4 inside: 6to4', '2002:7f00:1::1'],
    ['IPv4 inside: Teredo', '2001::1'],
    ['IPv4 inside: ISATAP', '2606:4700::5efe:10.0.0.1'],
    ['IPv4 inside: ISATAP with the universal bit', '2606:4700::200:5efe:10.0.0.1'],
    ['no address at all', 'localhost'],
  ])('%s: %s', (_, address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });
});

describe('a public address', () => {
  it.each(['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.32.0.1', '100.128.0.1'])(
    '%s is allowed',
    (address) => {
      expect(isForbiddenAddress(address)).toBe(false);
    },
  );

  it.each([
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is allowed', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });
});
