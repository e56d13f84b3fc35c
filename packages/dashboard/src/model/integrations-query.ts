import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';

/** Every account that was ever connected; of each kind the primary first, then the oldest. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await call('get', '/api/integrations', { signal })).integrations,
});
