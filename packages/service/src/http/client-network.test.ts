import { describe, expect, it } from '@jest/globals';
import { clientNetworks } from './client-network.js';

const names = (address: string) => clientNetworks(address).map(({ name }) => name);

describe('the networks of a client', () => {
  it('are the address itself for IPv4, however it is written', () => {
    expect(clientNetworks('192.0.2.7')).toEqual([{ name: '192.0.2.7', times: 1 }]);
    expect(names('::ffff:192.0.2.7')).toEqual(['192.0.2.7']);
  });

  it('are the /64, the /56 and the /48 for IPv6, with higher bounds for the wider ones', () => {
    expect(clientNetworks('2001:db8:1:2a3:3:4:5:6')).toEqual([
      { name: '2001:db8:1:2a3::/64', times: 1 },
      { name: '2001:db8:1:200::/56', times: 2 },
      { name: '2001:db8:1:0::/48', times: 4 },
    ]);
  });

  it('do not depend on how an IPv6 address is written', () => {
    expect(names('2001:DB8:1:2::9')[0]).toBe('2001:db8:1:2::/64');
    expect(names('2001:0db8:0001::9%eth0')).toEqual([
      '2001:db8:1:0::/64',
      '2001:db8:1:0::/56',
      '2001:db8:1:0::/48',
    ]);
    expect(names('::1')[0]).toBe('0:0:0:0::/64');
  });
});
