import { type Answer, type Ask, tokenFor } from './http-client.js';
import type { StartedAuth } from './started-auth.js';

/** Asks auth as a service account of operators does, with a token that may change things or only read. */
export async function asTool(
  { worker }: StartedAuth,
  ask: Ask,
  {
    method,
    path,
    json,
    headers = {},
    scope = method === 'GET' ? 'ops:read' : 'ops:write',
  }: ToolRequest,
): Promise<Answer> {
  const token = await tokenFor(ask, worker, 'auth', scope);
  return ask(method, `/internal/api/ops/auth/${path}`, { token, json, headers });
}

export interface ToolRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path behind `/api/ops/auth/`. */
  readonly path: string;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly scope?: string;
}
