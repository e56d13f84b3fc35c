import { isIPv6 } from 'node:net';

/** How Windows writes an IPv6 address where no colon may be: in the names of network shares. */
const LITERAL = '.ipv6-literal.net';

/**
 * `[::1]:9092` as kafkajs 2.2.4 can take it, which ends a host at the first colon. Brokers that others
 * tell it of it calls by their addresses as they are.
 */
export function withoutColons(broker: string): string {
  const [, address = '', port = ''] = /^\[(.*)\]:(\d+)$/.exec(broker) ?? [];
  return isIPv6(address) ? `${address.replaceAll(':', '-')}${LITERAL}:${port}` : broker;
}

/** The host that `withoutColons` stands for. */
export const hostOf = (host: string): string =>
  host.endsWith(LITERAL) ? host.slice(0, -LITERAL.length).replaceAll('-', ':') : host;
