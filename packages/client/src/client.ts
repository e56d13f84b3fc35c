import { randomUUID } from 'node:crypto';
import openapiFetch, { type Client } from 'openapi-fetch';
import type { Call, Init, ItemOf, ListPath, Method, PathsWith, Rest } from './calls.js';
import { FORM_POSTS, KEYED_POSTS, type paths } from './gen/openapi.js';
import { JunctionProblem } from './problem.js';
import { type Send, sendWithin, withRetries } from './send.js';
import {
  type Credential,
  givenToken,
  sessionTokens,
  type TokenEndpoints,
  type Tokens,
  withToken,
} from './tokens.js';

export interface ClientOptions {
  /** URL of Junction: `https://junction.example.org`. */
  readonly baseUrl: string;
  /** Identity of the caller; absent: only calls that need none, such as registering. */
  readonly credential?: Credential;
  /** Receives each new pair of tokens. The client waits for its promise before it uses the access token. */
  readonly onTokens?: (tokens: Tokens) => void | Promise<void>;
  /** Milliseconds for each attempt, the whole answer included. Default: 30 000. */
  readonly timeoutMs?: number;
  /** Number of times that a request is repeated at most. Default: 3. */
  readonly retriesMax?: number;
}

/**
 * Client with a method for each verb. Each method returns the body of the answer, and throws JunctionProblem when the
 * request was refused, JunctionUnreachableError when there was no answer, and the reason of `signal` when that
 * aborts.
 */
export interface JunctionClient {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** The items of a list, page after page, each page when it is needed. */
  items<Path extends ListPath>(
    path: Path,
    ...init: Rest<Init<Path, 'get'>>
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
  /** The answer as it came, its body unread: for who needs a status, an ETag, or a stream of events. */
  request<M extends Method, Path extends PathsWith<M>>(
    method: M,
    path: Path,
    ...init: Rest<Init<Path, M>>
  ): Promise<Response>;
}

const TIMEOUT_MS = 30_000;
const RETRIES_MAX = 3;

/** A client of Junction's HTTP API. It holds nothing open and needs no closing. */
export function createClient(options: ClientOptions): JunctionClient {
  const { baseUrl, credential, timeoutMs = TIMEOUT_MS, retriesMax = RETRIES_MAX } = options;
  const send = sendWithin(timeoutMs);
  // Refreshes are repeated too: the same token again within ten seconds gets the identical successor, and a successor
  // that is lost with its answer is lost either way.
  const endpoints = tokenEndpoints(clientOver(baseUrl, withRetries(send, retriesMax, isRefresh)));
  const retrying = withRetries(send, retriesMax);
  const client = clientOver(
    baseUrl,
    credential ? withToken(retrying, sourceOf(credential, endpoints, options)) : retrying,
  );
  const get = bodyOf<'get'>(client, 'get');
  return {
    get,
    post: bodyOf<'post'>(client, 'post'),
    patch: bodyOf<'patch'>(client, 'patch'),
    delete: bodyOf<'delete'>(client, 'delete'),
    items: itemsBy(get),
    request: async (method, path, ...[init]) =>
      (await exchange(client, method, path, { ...init, parseAs: 'stream' })).response,
  };
}

const REFRESH = '/api/auth/refresh';
const isRefresh = ({ url }: Request): boolean => url.endsWith(REFRESH);

const sourceOf = (
  credential: Credential,
  endpoints: TokenEndpoints,
  { onTokens }: ClientOptions,
) =>
  'token' in credential
    ? givenToken(credential.token)
    : sessionTokens({ credential, endpoints, onTokens });

function tokenEndpoints(client: Client<paths>): TokenEndpoints {
  const post = bodyOf<'post'>(client, 'post');
  return {
    login: async (body) => post('/api/auth/login', { body }),
    refresh: async (body) => post(REFRESH, { body }),
  };
}

function clientOver(baseUrl: string, send: Send): Client<paths> {
  const client = openapiFetch<paths>({ baseUrl, fetch: send });
  client.use({
    onRequest({ request, schemaPath }) {
      if (request.method !== 'POST' || !KEYED_POSTS.has(schemaPath)) return;
      if (request.headers.has('idempotency-key')) return;
      request.headers.set('idempotency-key', randomUUID());
    },
  });
  return client;
}

/** Result of openapi-fetch without the types of its many paths; calls.ts types each call. */
interface Exchange {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

const AS_FORM = {
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (fields: Record<string, string>) => new URLSearchParams(fields).toString(),
};

/** @throws JunctionProblem */
async function exchange(
  client: Client<paths>,
  method: Method,
  path: string,
  init?: object,
): Promise<Exchange> {
  const request = client.request as (...all: readonly unknown[]) => Promise<Exchange>;
  const form = method === 'post' && FORM_POSTS.has(path) ? AS_FORM : {};
  const exchanged = await request(method, path, { ...init, ...form });
  if (exchanged.response.ok) return exchanged;
  throw new JunctionProblem(exchanged.response, exchanged.error);
}

const bodyOf = <M extends Method>(client: Client<paths>, method: M): Call<M> =>
  (async (path: string, init?: object) =>
    (await exchange(client, method, path, init)).data) as Call<M>;

interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

interface PageInit {
  readonly params?: { readonly query?: object };
}

function itemsBy(get: unknown): JunctionClient['items'] {
  const page = get as (path: string, init: object) => Promise<Page>;
  async function* items(path: string, init?: PageInit): AsyncGenerator {
    let cursor: string | null | undefined;
    do {
      const query = { ...init?.params?.query, ...(cursor !== undefined && { cursor }) };
      const read = await page(path, { ...init, params: { ...init?.params, query } });
      yield* read.items;
      cursor = read.next_cursor;
    } while (cursor);
  }
  return items as JunctionClient['items'];
}
