import type { Answer, Ask } from './http-client.js';
import type { StartedAuth } from './started-auth.js';

/** Asks auth as a service account of operators does, with a token that may change things or only read. */
export async function asTool(
  { worker: { id, secret } }: StartedAuth,
  ask: Ask,
  { method, path, json, scope = method === 'GET' ? 'ops:read' : 'ops:write' }: ToolRequest,
): Promise<Answer> {
  const { body } = await ask('POST', '/oauth/token', {
    text: `grant_type=client_credentials&audience=auth&scope=${scope}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  const { access_token: token } = body as { access_token: string };
  return ask(method, `/internal/api/ops/auth/${path}`, { token, json });
}

export interface ToolRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path behind `/api/ops/auth/`. */
  readonly path: string;
  readonly json?: object;
  readonly scope?: string;
}
