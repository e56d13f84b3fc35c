import { type Credential, createClient, type JunctionClient } from '@junction/client';

/** Times that a request is repeated: whoever waits for a command wants to know soon. */
const RETRIES_MAX = 2;

/** Returns a client of the HTTP API at `url`, as `credential`, or without one. */
export const connectTo = (url: string, credential?: Credential): JunctionClient =>
  createClient({ baseUrl: url, retriesMax: RETRIES_MAX, ...(credential && { credential }) });

/** Header that tells auth which program a session belongs to. */
export const AS_COMMAND = { 'user-agent': 'junction-cli' } as const;
