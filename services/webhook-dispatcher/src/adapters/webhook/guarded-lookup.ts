import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Resolve, systemLookup } from '@junction/service/outbound';
import { isForbiddenAddress } from './forbidden-address.js';

/** The egress guard does not let a request go there, as things are now. */
export class EgressRefusedError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** The name could not be resolved. That may pass. */
export class DnsFailedError extends Error {
  constructor(options: ErrorOptions) {
    super('The name of the receiver could not be resolved.', options);
    this.name = new.target.name;
  }
}

const QUERY_TIMEOUT_MS = 1_000;
/** Less than the time for a connection, so that a slow name server is told from a slow receiver. */
const RESOLVE_TIMEOUT_MS = 4_000;

/**
 * Asks the name servers directly. The system's own lookup occupies one of four threads for as long as
 * a slow name server likes, which receivers could use against each other.
 *
 * @param servers `address:port` of each; absent: those of the system
 */
export function nameServers(servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const found = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...found(v4, 4), ...found(v6, 6)];
  };
}

/**
 * Returns a lookup that is asked once for a connection: what it answers is what is dialled, so nobody can swap the
 * address between the check and the connection. Any forbidden address among the answers refuses the name, or a second
 * try would reach it.
 */
export const guarded =
  (resolve: Resolve): Resolve =>
  async (hostname) => {
    const addresses = isIP(hostname) === 0 ? await resolved(resolve, hostname) : literal(hostname);
    if (addresses.some(({ address }) => isForbiddenAddress(address))) {
      throw new EgressRefusedError(
        'url_private_address',
        'The name of the receiver points to a private, local or otherwise special address.',
      );
    }
    if (addresses.length > 0) return addresses;
    throw new DnsFailedError({ cause: 'The answer holds no address.' });
  };

const literal = (address: string): LookupAddress[] => [{ address, family: isIP(address) }];

async function resolved(resolve: Resolve, hostname: string): Promise<readonly LookupAddress[]> {
  const done = new AbortController();
  try {
    return await Promise.race([resolve(hostname), tooLate(done.signal)]);
  } catch (cause) {
    throw new DnsFailedError({ cause });
  } finally {
    done.abort();
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await sleep(RESOLVE_TIMEOUT_MS, undefined, { signal });
  throw new Error('No name server answered in time.');
}

/** The plain lookup, with the same errors, where private targets are allowed. */
export const unguarded: Resolve = async (hostname) => {
  try {
    return await systemLookup(hostname);
  } catch (cause) {
    throw new DnsFailedError({ cause });
  }
};
