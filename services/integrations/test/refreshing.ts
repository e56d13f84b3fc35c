import type { Grant, Tokens } from '../src/application/oauth-provider.js';
import type { Lease } from '../src/application/refreshing/ports.js';
import {
  failureRecorder,
  type RefreshFailure,
  saveRefresh,
} from '../src/application/refreshing/save-refresh.js';
import { newGrant, newUser, type useAdapters } from './on-postgres.js';

export const FAILURE: RefreshFailure = {
  reason: 'http_503',
  final: false,
  backoffMs: 0,
  answerLost: false,
  unclear: false,
};

/** Returns the steps of a refresh on the database of a test: its connection, and both ends of the lease. */
export const refreshesOn = (adapters: ReturnType<typeof useAdapters>) => ({
  save: async (lease: Lease, tokens: Tokens) => saveRefresh(adapters().ports, lease, tokens),

  fail: async (lease: Lease, failure: RefreshFailure) =>
    failureRecorder(adapters().ports)(lease, failure),

  async connection(changes: Partial<Grant> = {}) {
    const user = newUser(adapters);
    const grant = newGrant(changes);
    await user.connect(grant);
    return {
      ...user,
      grant,
      id: await user.connectionId(),
      lapse: async () => user.change('lease_until = now()'),
    };
  },
});
