import { isIPv6 } from 'node:net';
import { z } from 'zod';

/** A TCP port. 0 would ask the system for any, which nobody could find. */
export const port = z.coerce.number<string>().int().min(1).max(65_535);

const hasPort = (url: string): boolean => !URL.canParse(url) || new URL(url).port !== '0';

/** URL of a server: its scheme is one of these, and its port is none that nothing can listen on. */
export const serverUrl = (protocol: RegExp, error: string) =>
  z.url({ protocol, error }).refine(hasPort, 'must not have port 0');

/** Switch, with only these two words: `1`, `yes` and `True` have meant on and off to different programs. */
export const trueOrFalse = z.enum(['true', 'false'], { error: 'must be true or false' });

/** Mark of a setting that counts at once when SETTINGS_FILE changes: `.meta(AT_ONCE)`. */
export const AT_ONCE = { countsAtOnce: true } as const;

export const flag = trueOrFalse.default('false').transform((text) => text === 'true');

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

type Variables = Readonly<Record<string, unknown>>;

/** Tells whether the environment is that of a developer's machine, which alone may do without TLS. */
export const isDevelopment = (env: Variables): boolean => env['JUNCTION_ENV'] === 'development';

/** Tells whether gRPC goes without TLS: in development, unless a file of GRPC_TLS is named. */
export const isGrpcPlaintext = (env: Variables): boolean => isPlaintext(env, /^GRPC_TLS_/);

/** Tells whether Kafka is reached without TLS: in development, unless a file of KAFKA_SSL is named. */
export const isKafkaPlaintext = (env: Variables): boolean => isPlaintext(env, /^KAFKA_SSL_/);

const isPlaintext = (env: Variables, files: RegExp): boolean =>
  isDevelopment(env) &&
  !Object.entries(env).some(([name, value]) => files.test(name) && value !== undefined);
