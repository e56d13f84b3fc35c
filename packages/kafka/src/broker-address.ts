import { isIPv6 } from 'node:net';

/** End of an IPv6 address that is written without colons, as Windows writes those of network shares. */
const LITERAL = '.ipv6-literal.net';

/**
 * Rewrites `[::1]:9092` for kafkajs 2.2.4, which ends a host at the first colon. The addresses that brokers announce
 * have a field for the host, and need no rewriting.
 */
export function withoutColons(broker: string): string {
  const [, address = '', port = ''] = /^\[(.*)\]:(\d+)$/.exec(broker) ?? [];
  return isIPv6(address) ? `${address.replaceAll(':', '-')}${LITERAL}:${port}` : broker;
}

/** Returns the host that `withoutColons` has rewritten. */
export const hostOf = (host: string): string =>
  host.endsWith(LITERAL) ? host.slice(0, -LITERAL.length).replaceAll('-', ':') : host;
