import type { Notifier } from '@junction/eventsourcing-postgres';
import { type Consumer, type KafkaPort, operations } from '@junction/messaging';
import { foldOf, type Ops, opsService } from '@junction/ops';
import type { Logger } from '@junction/service-kit';
import { closedVault, type RingUse } from '@junction/vault';
import type pg from 'pg';
import { connectionCodec } from './adapters/postgres/event-codec.js';
import type { readModels } from './adapters/postgres/read-models.js';
import { connectionDecider } from './domain/connection/decider.js';

export interface OpsParts {
  readonly models: ReturnType<typeof readModels>;
  readonly notifier: Notifier;
  /** For statements that read or move all events. */
  readonly maintenance: pg.Pool;
  readonly sealed: RingUse;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
  readonly consumers: readonly Consumer[];
  readonly log: Logger;
}

/** What operators reach: connections by their streams, and nothing that is sealed. */
export const composeOps = ({
  models,
  notifier,
  maintenance,
  sealed,
  log,
  ...consuming
}: OpsParts): Ops =>
  opsService({
    name: 'integrations',
    projections: models,
    notifier,
    maintenance,
    sealed,
    codec: connectionCodec(closedVault),
    folds: { connection: foldOf(connectionDecider) },
    operations: operations({ pool: models.pool, log, ...consuming }),
    log,
  });
