import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const client = z.object({ client_id: z.string(), client_secret: z.string() });
const each = z.object({ auth: z.string(), integrations: z.string(), webhooks: z.string() });

const endpoints = z.object({
  gateway: z.url(),
  kafka: z.string(),
  providers: z.object({ acme: z.url(), globex: z.url() }),
  mail: z.url(),
  http: each,
  grpc: each,
  producer: client,
  worker: client,
  operator: client,
});

/** The addresses of a started product, as `npm start` writes them to endpoints.json. */
export type Endpoints = Readonly<z.infer<typeof endpoints>>;

/** @throws when the file is missing or is not one that `npm start` wrote. */
export const readEndpoints = (dataDir: string): Endpoints =>
  endpoints.parse(JSON.parse(readFileSync(path.join(dataDir, 'endpoints.json'), 'utf8')));

export const readPids = (dataDir: string): Readonly<Record<string, number>> =>
  z
    .record(z.string(), z.number())
    .parse(JSON.parse(readFileSync(path.join(dataDir, 'pids.json'), 'utf8')));
