import { foldOf, type Ops, opsService } from '@junction/ops';
import type { Logger } from '@junction/service-kit';
import { closedVault, type RingUse } from '@junction/vault';
import type pg from 'pg';
import { eventCodec } from './adapters/postgres/event-codec.js';
import type { readModels } from './adapters/postgres/read-models.js';
import { apiKeyDecider } from './domain/api-key/decider.js';
import { sessionDecider } from './domain/session/decider.js';
import { userDecider } from './domain/user/decider.js';

export interface OpsParts {
  readonly models: ReturnType<typeof readModels>;
  /** For statements that read or move all events. */
  readonly maintenance: pg.Pool;
  readonly sealed: RingUse;
  readonly log: Logger;
}

/** What operators reach: streams by the names of their aggregates, and nothing that is sealed. */
export const composeOps = ({ models, maintenance, sealed, log }: OpsParts): Ops =>
  opsService({
    name: 'auth',
    projections: models,
    maintenance,
    sealed,
    codec: eventCodec(closedVault),
    folds: {
      user: foldOf(userDecider),
      session: foldOf(sessionDecider),
      api_key: foldOf(apiKeyDecider),
    },
    closing: ['user.deleted', 'session.revoked', 'api_key.revoked'],
    log,
  });
