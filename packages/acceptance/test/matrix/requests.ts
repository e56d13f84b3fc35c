import { randomUUID } from 'node:crypto';
import { SERVICES, type ServiceName } from '@junction/contracts';
import type { Endpoints } from '@junction/demo';
import type { Caller } from './callers.js';
import type { Outcome } from './expectations.js';
import { nameOf, type Operation } from './operations.js';

/** Values of path parameters, by the path up to the parameter: `/api/webhooks/{id}`. */
export type Things = Readonly<Record<string, string>>;

/** A request of one caller, and its outcome. */
export interface Cell extends Outcome {
  readonly operation: Operation;
  readonly caller: Caller;
  /** Headers and body, as far as they were sent. */
  readonly text: string;
  readonly allowsOrigin: boolean;
}

const TIMEOUT_MS = 60_000;

/** Addresses of the document's examples: each request has one of its own, so none meets another's account. */
const EXAMPLE_ADDRESS = /[a-z]+@example\.(?:com|org)/g;

/** @throws with what to declare, for a parameter that names nothing. */
export function targetOf({ method, path }: Operation, things: Things): string {
  return path.replace(/\{\w+\}/g, (name, at: number) => {
    const upTo = path.slice(0, at) + name;
    const thing = things[upTo];
    if (thing !== undefined) return thing;
    throw new Error(
      `${method} ${path}: say what ${upTo} names, in ada.ts if it is a user's, else in OTHERS.`,
    );
  });
}

/** Sends a body that the document has as an example, or the least that it may be. */
export async function send(
  { gateway, http }: Endpoints,
  { operation, caller, things }: Pick<Cell, 'operation' | 'caller'> & { readonly things: Things },
): Promise<Cell> {
  const { method, body } = operation;
  const service = serviceOf(operation);
  const own = {
    auth: http.auth,
    integrations: http.integrations,
    'webhook-dispatcher': http.webhooks,
  };
  const base = operation.isInternal ? `${own[service]}/internal` : gateway;
  const response = await fetch(base + targetOf(operation, things), {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      ...caller.headers(service),
      ...(body && { 'content-type': body.type }),
    },
    ...(body && { body: bodyOf(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`${nameOf(operation)} · ${caller.name} got no answer.`, { cause });
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  const { code } = (isJson && text !== '' ? JSON.parse(text) : {}) as { code?: string };
  return {
    operation,
    caller,
    status: response.status,
    code,
    text: JSON.stringify([...response.headers]) + text,
    allowsOrigin: response.headers.has('access-control-allow-origin'),
  };
}

function bodyOf({ type, example = {} }: NonNullable<Operation['body']>): string {
  if (type === 'application/x-www-form-urlencoded') return 'grant_type=client_credentials';
  if (!type.endsWith('/json')) return 'nothing';
  return JSON.stringify(example).replace(EXAMPLE_ADDRESS, () => `${randomUUID()}@example.com`);
}

/** Returns the service that answers a path, which is the audience of the tokens for it. */
function serviceOf({ path }: Operation): ServiceName {
  const ops = SERVICES.find((service) => path.startsWith(`/api/ops/${service}/`));
  if (ops !== undefined) return ops;
  if (path.startsWith('/api/integrations')) return 'integrations';
  return /^\/api\/(?:webhooks|events|deliveries)/.test(path) ? 'webhook-dispatcher' : 'auth';
}
