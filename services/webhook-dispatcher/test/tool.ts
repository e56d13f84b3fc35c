import type { World } from './world.js';

export interface ToolRequest {
  readonly json?: object;
  /** Absent: the one that the method needs. */
  readonly scope?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Returns a function that asks the dispatcher as a service account of operators does. */
export const toolOf =
  ({ dispatcher, issuer }: Pick<World, 'dispatcher' | 'issuer'>) =>
  async (method: 'GET' | 'POST' | 'DELETE', path: string, request: ToolRequest = {}) => {
    const { scope = method === 'GET' ? 'ops:read' : 'ops:write', headers, ...rest } = request;
    const authorization = `Bearer ${issuer.serviceToken('webhook-dispatcher', scope)}`;
    return dispatcher.call(undefined, method, `/internal/api/ops/webhook-dispatcher/${path}`, {
      ...rest,
      headers: { authorization, ...headers },
    });
  };
