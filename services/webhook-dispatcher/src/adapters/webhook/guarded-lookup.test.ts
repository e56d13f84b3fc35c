import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import {
  DnsFailedError,
  EgressRefusedError,
  guardedLookup,
  type Resolve,
} from './guarded-lookup.js';

describe('the lookup of a receiver', () => {
  it('gives the addresses that were checked, and asks only once', async () => {
    let asked = 0;
    const resolve: Resolve = async () => {
      asked += 1;
      // A second question would be answered with an address inside.
      return asked === 1 ? [v4('93.184.215.14'), v6('2606:4700::1111')] : [v4('10.0.0.1')];
    };
    await expect(look(resolve)).resolves.toEqual([v4('93.184.215.14'), v6('2606:4700::1111')]);
    expect(asked).toBe(1);
  });

  it('gives one address to a caller that wants one', async () => {
    const resolve = always(v6('2606:4700::1111'), v4('93.184.215.14'));
    await expect(look(resolve, { all: false })).resolves.toBe('2606:4700::1111');
    await expect(look(resolve, { all: false, family: 4 })).resolves.toBe('93.184.215.14');
  });

  it.each(['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1'])(
    'refuses a name that points to %s',
    async (address) => {
      await expect(look(always({ address, family: 4 }))).rejects.toThrow(EgressRefusedError);
    },
  );

  it('refuses a name with one forbidden address among public ones', async () => {
    await expect(look(always(v4('93.184.215.14'), v4('10.0.0.1')))).rejects.toMatchObject({
      code: 'url_private_address',
    });
  });

  it('fails, without refusing, when the name cannot be resolved', async () => {
    const broken: Resolve = async () => {
      throw new Error('SERVFAIL');
    };
    await expect(look(broken)).rejects.toThrow(DnsFailedError);
    await expect(look(always())).rejects.toThrow(DnsFailedError);
  });

  it('checks an address that stands in place of a name', async () => {
    const never: Resolve = async () => {
      throw new Error('There is nothing to resolve.');
    };
    await expect(look(never, { all: true }, '1.1.1.1')).resolves.toEqual([v4('1.1.1.1')]);
    await expect(look(never, { all: true }, '127.0.0.1')).rejects.toThrow(EgressRefusedError);
  });
});

const look = (
  resolve: Resolve,
  options: LookupOptions = { all: true },
  hostname = 'hooks.customer.com',
) =>
  new Promise<string | LookupAddress[]>((fulfil, reject) => {
    guardedLookup(resolve)(hostname, options, (error, address) => {
      if (error) reject(error);
      else fulfil(address);
    });
  });

const always =
  (...addresses: readonly LookupAddress[]): Resolve =>
  async () =>
    addresses;

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });
