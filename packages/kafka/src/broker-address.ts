import { isIPv6 } from 'node:net';

/** Ends an IPv6 address that is written without colons, as Windows writes those of network shares. */
const LITERAL = '.ipv6-literal.net';

/**
 * `[::1]:9092` for kafkajs 2.2.4, which ends a host at the first colon. The addresses that brokers tell of each other
 * have a field of their own, and need none of this.
 */
export function withoutColons(broker: string): string {
  const [, address = '', port = ''] = /^\[(.*)\]:(\d+)$/.exec(broker) ?? [];
  return isIPv6(address) ? `${address.replaceAll(':', '-')}${LITERAL}:${port}` : broker;
}

/** The host that `withoutColons` stands for. */
export const hostOf = (host: string): string =>
  host.endsWith(LITERAL) ? host.slice(0, -LITERAL.length).replaceAll('-', ':') : host;
