import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Schemas } from '../api/types.js';

export const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type Access = Schemas['Access'];
export type Partition = Schemas['ConsumedPartition'];
export type DeadLetter = Schemas['DeadLetter'];
export type Projection = Schemas['Projection'];
export type RingKey = Schemas['RingKey'];
export type ListedUser = Schemas['ListedUser'];
export type FailingWebhooks = Schemas['FailingWebhooks'];

export interface Health {
  readonly ready: boolean;
  readonly failing: readonly string[];
}

interface Items<Item> {
  readonly items: readonly Item[];
}

export const OPERATORS = 'operators';

/**
 * Reads one view of a service. Each read is recorded in the journal for ever, so views are read when an operator
 * asks, and not every few seconds.
 */
const lookOf = <Answer>(service: ServiceName, what: string) =>
  queryOptions({
    queryKey: [OPERATORS, service, what],
    queryFn: async ({ signal }) => call<Answer>('GET', `/api/ops/${service}/${what}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export const healthQuery = (service: ServiceName) => lookOf<Health>(service, 'health');
export const consumersQuery = (service: ServiceName) =>
  lookOf<Items<Partition>>(service, 'consumers');
export const deadLettersQuery = (service: ServiceName) =>
  lookOf<Items<DeadLetter> & { readonly next_cursor: string | null }>(service, 'dead-letters');
export const projectionsQuery = (service: ServiceName) =>
  lookOf<Items<Projection>>(service, 'projections');
export const keysQuery = (service: ServiceName) => lookOf<Items<RingKey>>(service, 'keys');
export const auditQuery = (service: ServiceName) => lookOf<Items<Access>>(service, 'audit');
export const failingWebhooksQuery = lookOf<FailingWebhooks>(
  'webhook-dispatcher',
  'failing-webhooks',
);

/** The user with exactly this address; null: nobody has it. */
export async function findUser(email: string): Promise<ListedUser | null> {
  const query = new URLSearchParams({ email });
  const found = await call<Items<ListedUser>>('GET', `/api/ops/auth/users?${query}`);
  return found.items[0] ?? null;
}

/** Changes something of a service, and looks at what that was again. */
export function useOperation(service: ServiceName, what: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ path, body }: { readonly path: string; readonly body?: object }) =>
      call<unknown>('POST', `/api/ops/${service}/${path}`, { body: body ?? {} }),
    onSettled: () => queries.invalidateQueries({ queryKey: [OPERATORS, service, what] }),
  });
}
