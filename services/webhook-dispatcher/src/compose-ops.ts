import type { Notifier } from '@junction/eventsourcing-postgres';
import { type Consumer, type KafkaPort, operations } from '@junction/messaging';
import { foldOf, type Ops, opsService } from '@junction/ops';
import type { Logger } from '@junction/service-kit';
import { closedVault, type RingUse } from '@junction/vault';
import type pg from 'pg';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import type { readModels } from './adapters/postgres/webhooks/read-models.js';
import { webhookDecider } from './domain/webhook/decider.js';

export interface OpsParts {
  /** The service's name. */
  readonly name: string;
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

/** What operators reach: webhooks by their streams, and nothing that is sealed. */
export const composeOps = ({
  name,
  models,
  notifier,
  maintenance,
  sealed,
  log,
  ...parts
}: OpsParts): Ops => {
  const { kafka, topicPrefix, consumers } = parts;
  return opsService({
    name,
    projections: models,
    notifier,
    maintenance,
    sealed,
    codec: webhookCodec(closedVault),
    folds: { webhook: foldOf(webhookDecider) },
    operations: operations({ pool: models.pool, kafka, topicPrefix, consumers, log }),
    log,
  });
};
