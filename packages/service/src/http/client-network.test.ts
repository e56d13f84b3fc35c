import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { closeOpened, serve } from '../../test/loopback.js';
import { clientNetworks, trustProxies } from './client-network.js';

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

describe('the address of a client', () => {
  afterEach(closeOpened);

  const seen = async (proxies: readonly string[] | number, forwardedFor: string) => {
    const app = trustProxies(express(), proxies).use((req, res) => void res.send(req.ip));
    const url = await serve(app);
    return new Promise<string>((resolve, reject) => {
      const headers = { 'x-forwarded-for': forwardedFor };
      request(url, { headers }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end();
    });
  };

  it.each([
    ['203.0.113.77', '203.0.113.77'],
    ['203.0.113.77:50000', '203.0.113.77'],
    ['198.51.100.1, 203.0.113.77:50001', '203.0.113.77'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1:443', '2001:db8:0:0:0:0:0:1'],
    ['[::ffff:203.0.113.77]:443', '::ffff:203.0.113.77'],
    ['203.0.113.77:50000, 10.0.0.3:4000', '203.0.113.77'],
  ])('in “%s” is %s', async (forwardedFor, address) => {
    expect(await seen(['loopback', 'uniquelocal'], forwardedFor)).toBe(address);
  });

  it.each([
    'unknown',
    '_hidden',
    '',
    ',',
    '203.0.113.77, unknown',
    '203.0.113.77:a',
    '[unknown]:1',
  ])('is that of the proxy that wrote “%s”', async (forwardedFor) => {
    expect(await seen(['loopback'], forwardedFor)).toBe('127.0.0.1');
    expect(await seen(1, forwardedFor)).toBe('127.0.0.1');
  });

  it('is that of the nearest proxy where one behind it wrote no address', async () => {
    const hidden = 'unknown, 10.0.0.3:4000';
    expect(await seen(['loopback', 'uniquelocal'], hidden)).toBe('10.0.0.3');
  });

  it('is that of the connection where nobody is a proxy', async () => {
    expect(await seen(['192.0.2.254'], '203.0.113.77')).toBe('127.0.0.1');
  });
});
