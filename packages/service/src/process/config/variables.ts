import { isIPv6 } from 'node:net';
import { z } from 'zod';

/** A TCP port. 0 would ask the system for any, which nobody could find. */
export const port = z.coerce.number<string>().int().min(1).max(65_535);

const hasPort = (url: string): boolean => !URL.canParse(url) || new URL(url).port !== '0';

/** URL of a server: its scheme is one of these, and its port is none that nothing can listen on. */
export const serverUrl = (protocol: RegExp, error: string) =>
  z.url({ protocol, error }).refine(hasPort, 'must not have port 0');

/** Switch, with only these two words: `1`, `yes` and `True` have meant on and off to different programs. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((text) => text === 'true');

/** Comma-separated, at least one item, blanks around items ignored. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .pipe(z.array(z.string()).min(1, 'must name at least one'));

const BROKER = /^(?<host>[^\s:[\]]+|\[(?<address>[^\]]+)\]):(?<port>\d{1,5})$/;

function isBroker(text: string): boolean {
  const { address, port: number } = BROKER.exec(text)?.groups ?? {};
  return port.safeParse(number).success && (address === undefined || isIPv6(address));
}

export const kafkaBrokers = list.pipe(
  z.array(z.string().refine(isBroker, 'must be host:port, an IPv6 address in brackets')),
);

export const postgresUrl = serverUrl(/^postgres(ql)?$/, 'must be a postgres:// URL');

export const databaseUrlFile = z
  .string()
  .optional()
  .describe('file that holds the URL, in its place; each new connection has the password in it');

/**
 * Returns the URL for connections by TLS to a server that shows a certificate of these authorities for the host in the
 * URL (libpq's `verify-full`). Without a file the URL stays as it is.
 */
export function trusting(databaseUrl: string, caFile: string | undefined): string {
  if (caFile === undefined) return databaseUrl;
  const url = new URL(databaseUrl);
  url.searchParams.set('sslmode', 'verify-full');
  url.searchParams.set('sslrootcert', caFile);
  return url.href;
}

/** URL of a proxy that is requested to CONNECT. */
export const proxyUrl = serverUrl(/^https?$/, 'must be an http(s) URL').refine(
  (text) => new URL(text).pathname === '/',
  'must be an http(s) URL without a path',
);

export const httpUrl = serverUrl(/^https?$/, 'must be an http(s) URL');

/** Permissions that only a developer's machine may have. */
export const unsafePermissions = {
  ALLOW_HTTP_PUBLIC_URL: flag.describe('development: `PUBLIC_URL` on http://localhost'),
  ALLOW_HTTP_ISSUER: flag.describe('development: an identity provider over http://'),
  GRPC_PLAINTEXT: flag.describe('development: gRPC without TLS'),
  KAFKA_PLAINTEXT: flag.describe('development: Kafka without TLS'),
  GRPC_REFLECTION: flag.describe('development: gRPC reflection'),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag.describe(
    'development: webhooks to private addresses and to http://',
  ),
  DEV_MAILBOX: flag.describe('development: outgoing mail to a local page'),
};
