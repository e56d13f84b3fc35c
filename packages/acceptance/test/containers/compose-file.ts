import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const words = z.array(z.string());

const service = z.looseObject({
  image: z.string(),
  build: z
    .object({ dockerfile: z.string(), args: z.record(z.string(), z.string()).default({}) })
    .optional(),
  user: z.string().optional(),
  entrypoint: words.optional(),
  command: words.default([]),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: words.default([]),
  tmpfs: words.default([]),
  ports: words.default([]),
  healthcheck: z.object({ test: words }).optional(),
  profiles: words.default([]),
  mem_limit: z.templateLiteral([z.int(), 'm']),
  read_only: z.boolean().default(false),
  cap_drop: words.default([]),
  security_opt: words.default([]),
  stop_grace_period: z.templateLiteral([z.int(), 's']).default('10s'),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
});

/** A service of docker-compose.yml, as far as the tests look at it. */
export type ComposeService = Readonly<z.infer<typeof service>>;

/** The services of a compose file, merged, with every `${NAME:-default}` at its default. */
export function readCompose(file: string): Readonly<Record<string, ComposeService>> {
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  const compose = z.looseObject({ services: z.record(z.string(), service) });
  // A bound on aliases is for files of strangers.
  return compose.parse(parse(text, { merge: true, maxAliasCount: -1 })).services;
}
