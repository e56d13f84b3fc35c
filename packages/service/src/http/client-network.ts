import { isIP, isIPv6 } from 'node:net';
import type { Express, Request } from 'express';

/** A network that a limit for each client counts by. */
export interface ClientNetwork {
  readonly name: string;
  /** Multiple of a single client's limit that the network may have. */
  readonly times: number;
}

/**
 * Prefixes of IPv6 that are counted. A subscriber has a whole /64, many have a /56, and a site has a /48 (RFC 6177): a
 * count of the narrow prefixes alone lets the holder of a wide one through 65,536 times. Many clients may use one wide
 * prefix, so its bound is higher.
 */
const WIDTHS = [
  { bits: 64, times: 1 },
  { bits: 56, times: 2 },
  { bits: 48, times: 4 },
] as const;

/** Address with a port, or in brackets: `192.0.2.7:50000`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(?<bracketed>[^\]]+)\](?::\d+)?|(?<bare>.+):\d+)$/;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const GROUP_BITS = 16;
const NETWORK_GROUPS = 4;

/**
 * Has `req.ip` be the address of the client, by X-Forwarded-For as far as `proxies` wrote it: those of a list, or the
 * nearest so many. Gateways write ports and brackets too. Where one wrote no address at all, the address is its own, so
 * that no text makes a network for a limit to count by.
 */
export function trustProxies(app: Express, proxies: readonly string[] | number): Express {
  app.set('trust proxy', proxies);
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (address: string, hop: number) =>
    trusts(addressIn(address) ?? address, hop),
  );
  Object.defineProperty(app.request, 'ip', {
    get(this: Request) {
      const hops = [...this.ips, this.socket.remoteAddress ?? ''];
      return hops.map(addressIn).find((address) => address !== undefined);
    },
  });
  return app;
}

function addressIn(text: string): string | undefined {
  if (isIP(text) !== 0) return text;
  const { bracketed, bare } = WITH_PORT.exec(text)?.groups ?? {};
  const address = bracketed ?? bare ?? '';
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Returns the networks that an address counts for, the narrowest first: an IPv4 address by itself, or the /64, /56 and
 * /48 of an IPv6 address.
 */
export function clientNetworks(address: string): readonly ClientNetwork[] {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return [{ name: mapped, times: 1 }];
  if (!isIPv6(address)) return [{ name: address, times: 1 }];

  const groups = groupsOf(address);
  return WIDTHS.map(({ bits, times }) => ({ name: prefixOf(groups, bits), times }));
}

function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('%', 1).join('').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(gap, 0)).fill('0'), ...after];
  return groups.slice(0, NETWORK_GROUPS).map((group) => parseInt(group, 16));
}

function prefixOf(groups: readonly number[], bits: number): string {
  const kept = groups.map((group, index) => {
    const cut = Math.min(Math.max((index + 1) * GROUP_BITS - bits, 0), GROUP_BITS);
    return ((group >> cut) << cut).toString(16);
  });
  return `${kept.join(':')}::/${bits}`;
}
