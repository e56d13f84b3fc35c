import { readFileSync } from 'node:fs';
import { z } from 'zod';

const UPSTREAMS = ['auth', 'integrations', 'webhooks'] as const;
const upstream = z.enum(UPSTREAMS);

const table = z.strictObject({
  routes: z.array(z.strictObject({ prefix: z.string().regex(/^\/[\w./-]*\w$/), upstream })),
  passRequestHeaders: z.array(z.string().regex(/^[a-z-]+$/)),
});

export type Upstream = z.infer<typeof upstream>;
export type RoutingTable = Readonly<z.infer<typeof table>>;

/** Reads infra/gateway/routes.json, which every front door of the product is made from. */
export const readRoutingTable = (file: string): RoutingTable =>
  table.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Who answers a path. Prefixes end at a segment: /api/auth is not /api/authors. */
export const upstreamOf = ({ routes }: RoutingTable, path: string): Upstream | undefined =>
  routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.upstream;

/** RFC 9110 and 9112: about the connection and the length of this message, not about the caller. */
const FRAMING = new Set(['connection', 'content-length', 'expect', 'host', 'transfer-encoding']);

/**
 * Names of the headers that stay outside. Everything not listed does: what is behind the door would
 * believe a header about who the caller is, and nobody can list all of those.
 */
export const headersKeptOut = (
  { passRequestHeaders }: RoutingTable,
  names: readonly string[],
): readonly string[] =>
  names.filter((name) => {
    const lower = name.toLowerCase();
    return !passRequestHeaders.includes(lower) && !FRAMING.has(lower);
  });

/**
 * A path that two readers could take for different ones: an encoded slash, backslash or NUL, a
 * backslash, a percent sign that encodes nothing. No route of ours has any.
 */
export const isAmbiguous = (target: string): boolean =>
  /^[^?]*(?:\\|%(?:00|2f|5c|(?![\da-f]{2})))/i.test(target);
