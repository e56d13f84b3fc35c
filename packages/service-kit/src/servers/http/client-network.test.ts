import { describe, expect, it } from '@jest/globals';
import { clientNetwork } from './client-network.js';

describe('the network of a client', () => {
  it('is the address itself for IPv4, however it is written', () => {
    expect(clientNetwork('192.0.2.7')).toBe('192.0.2.7');
    expect(clientNetwork('::ffff:192.0.2.7')).toBe('192.0.2.7');
  });

  it('is the /64 for IPv6', () => {
    expect(clientNetwork('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(clientNetwork('2001:DB8:1:2::9')).toBe('2001:db8:1:2::/64');
    expect(clientNetwork('2001:0db8:0001::9%eth0')).toBe('2001:db8:1:0::/64');
    expect(clientNetwork('::1')).toBe('0:0:0:0::/64');
  });
});
