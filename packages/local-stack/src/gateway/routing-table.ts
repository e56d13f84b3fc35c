import { readFileSync } from 'node:fs';
import { z } from 'zod';

const upstream = z.enum(['auth', 'integrations', 'webhooks']);

const table = z.strictObject({
  routes: z.array(z.strictObject({ prefix: z.string().startsWith('/'), upstream })),
  callback: z.string(),
  dropRequestHeaders: z.array(z.string().toLowerCase()),
  dropRequestHeaderPrefixes: z.array(z.string().toLowerCase()),
});

export type Upstream = z.infer<typeof upstream>;
export type RoutingTable = Readonly<z.infer<typeof table>>;

/** Reads infra/gateway/routes.json, which every front door of the product is made from. */
export const readRoutingTable = (file: string): RoutingTable =>
  table.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Who answers a path. Prefixes end at a segment: /api/auth is not /api/authors. */
export const upstreamOf = ({ routes }: RoutingTable, path: string): Upstream | undefined =>
  routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.upstream;

/** Names of the headers an outsider may not set, because what is behind the door believes them. */
export const forbiddenHeaders = (
  { dropRequestHeaders, dropRequestHeaderPrefixes }: RoutingTable,
  names: readonly string[],
): readonly string[] =>
  names.filter((name) => {
    const lower = name.toLowerCase();
    return (
      dropRequestHeaders.includes(lower) ||
      dropRequestHeaderPrefixes.some((prefix) => lower.startsWith(prefix))
    );
  });
