import type { LookupAddress } from 'node:dns';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Resolve } from '@junction/service/outbound';
import { type NameServer, startNameServer } from '../../../test/name-server.js';
import { EgressRefusedError, guarded, nameServers, unguarded } from './guarded-lookup.js';

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
    const cause = expect.objectContaining({ message: 'SERVFAIL' });
    await expect(look(broken)).rejects.toMatchObject({ name: 'DnsFailedError', cause });
  });

  it('fails, without refusing, when there is no address', async () => {
    const cause = expect.stringContaining('no address');
    await expect(look(always())).rejects.toMatchObject({ name: 'DnsFailedError', cause });
  });

  it('waits for an answer, and leaves no timer behind', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const late: Resolve = async () => {
      await nextTurn();
      return [v4('93.184.215.14')];
    };
    await expect(look(late)).resolves.toEqual([v4('93.184.215.14')]);
    expect(timers()).toBe(before);
  });

  it('checks an address that stands in place of a name', async () => {
    const never: Resolve = async () => {
      throw new Error('There is nothing to resolve.');
    };
    await expect(look(never, '1.1.1.1')).resolves.toEqual([v4('1.1.1.1')]);
    await expect(look(never, '127.0.0.1')).rejects.toThrow(EgressRefusedError);
  });
});

describe('the name servers', () => {
  let server: NameServer;
  beforeAll(async () => {
    server = await startNameServer();
  });
  afterAll(() => server.close());

  it.each([
    [
      ['93.184.215.14', '2606:4700::1111'],
      [v4('93.184.215.14'), v6('2606:4700::1111')],
    ],
    [['93.184.215.14'], [v4('93.184.215.14')]],
    [['2606:4700::1111'], [v6('2606:4700::1111')]],
  ])('that know %j give it, with the family of each', async (known, addresses) => {
    server.answer(known);
    expect(await nameServers([server.address])('hooks.customer.com')).toEqual(addresses);
  });

  it('that know neither family fail with the reason', async () => {
    server.answer('NXDOMAIN');
    await expect(nameServers([server.address])('hooks.customer.com')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });
});

describe('the lookup where private targets are allowed', () => {
  it('gives any address', async () => {
    await expect(unguarded('127.0.0.1')).resolves.toEqual([v4('127.0.0.1')]);
  });

  it('fails as the other one does', async () => {
    const cause = expect.objectContaining({ code: 'ENOTFOUND' });
    await expect(unguarded(`${'x'.repeat(64)}.invalid`)).rejects.toMatchObject({
      name: 'DnsFailedError',
      cause,
    });
  });
});

const look = (resolve: Resolve, hostname = 'hooks.customer.com') => guarded(resolve)(hostname);

function always(...addresses: readonly LookupAddress[]): Resolve {
  return async () => addresses;
}

function v4(address: string): LookupAddress {
  return { address, family: 4 };
}

function v6(address: string): LookupAddress {
  return { address, family: 6 };
}
