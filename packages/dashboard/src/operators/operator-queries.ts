import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer, Schemas } from '../api/types.js';

export const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type Access = Schemas['Access'];
export type Partition = Schemas['ConsumedPartition'];
export type DeadLetter = Schemas['DeadLetter'];
export type Projection = Schemas['Projection'];
export type RingKey = Schemas['RingKey'];
export type ListedUser = Schemas['ListedUser'];
export type Health = Answer<'/api/ops/{service}/health', 'get'>;

export const OPERATORS = 'operators';

/**
 * Reads one view of a service. Each read is recorded in the journal for ever, so views are read when an operator
 * asks, and not every few seconds.
 */
const lookOf = <Answered>(
  service: ServiceName,
  what: string,
  ask: (init: ReturnType<typeof initOf> & { readonly signal: AbortSignal }) => Promise<Answered>,
) =>
  queryOptions({
    queryKey: [OPERATORS, service, what],
    queryFn: ({ signal }) => ask({ ...initOf(service), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** Arguments of a call of what every service has. */
export const initOf = (service: ServiceName) => ({ params: { path: { service } } });

export const healthQuery = (service: ServiceName) =>
  lookOf(service, 'health', (init) => call('get', '/api/ops/{service}/health', init));
export const consumersQuery = (service: ServiceName) =>
  lookOf(service, 'consumers', (init) => call('get', '/api/ops/{service}/consumers', init));
export const deadLettersQuery = (service: ServiceName) =>
  lookOf(service, 'dead-letters', (init) => call('get', '/api/ops/{service}/dead-letters', init));
export const projectionsQuery = (service: ServiceName) =>
  lookOf(service, 'projections', (init) => call('get', '/api/ops/{service}/projections', init));
export const keysQuery = (service: ServiceName) =>
  lookOf(service, 'keys', (init) => call('get', '/api/ops/{service}/keys', init));
export const auditQuery = (service: ServiceName) =>
  lookOf(service, 'audit', (init) => call('get', '/api/ops/{service}/audit', init));
export const failingWebhooksQuery = lookOf('webhook-dispatcher', 'failing-webhooks', ({ signal }) =>
  call('get', '/api/ops/webhook-dispatcher/failing-webhooks', { signal }),
);

export const pausesQuery = lookOf('webhook-dispatcher', 'pauses', ({ signal }) =>
  call('get', '/api/ops/webhook-dispatcher/pauses', { signal }),
);

/** The user with exactly this address; null: nobody has it. */
export async function findUser(email: string): Promise<ListedUser | null> {
  const { items } = await call('get', '/api/ops/auth/users', { params: { query: { email } } });
  return items[0] ?? null;
}

/** Changes something of a service, and looks at what that was again. */
export function useOperation<Change, Answered>(
  service: ServiceName,
  what: string,
  mutationFn: (change: Change) => Promise<Answered>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => queries.invalidateQueries({ queryKey: [OPERATORS, service, what] }),
  });
}
