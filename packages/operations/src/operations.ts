import type { Event } from '@junction/eventsourcing';
import { operations } from '@junction/messaging';
import type { Platform, PlatformConfig, ServiceOperations } from '@junction/service';
import { closedVault } from '@junction/vault';
import { type ChecksOf, diagnose } from './doctor/doctor.js';
import { findingsText } from './doctor/print.js';
import type { Fold } from './http/fold.js';
import { type Journal, operatorJournal } from './http/journal.js';
import { operatorRouters } from './http/operator-routers.js';
import { operatorRefusals, type Refusals } from './http/refusals.js';

const REFUSALS_WINDOW_MS = 3_600_000;

/** Folds and checks of one service alone, besides what operators see of every service. */
export interface OperationsOptions<Config> {
  /** Folds that show a stream's state: `foldOf` each decider, by aggregate. */
  readonly folds: Readonly<Record<string, Fold>>;
  readonly checks?: ChecksOf<Config>;
}

/** Creates the operators' side of a service: the routes of `/api/ops/<service>` and the doctor. */
export const operationsOf = <Config extends PlatformConfig, E extends Event>({
  folds,
  checks = () => [],
}: OperationsOptions<Config>): ServiceOperations<Config, E> => ({
  open(service, { platform, models, places, consumers }) {
    const { name, config, pool, maintenance, notifier, ring, kafka, health, log, closing } =
      platform;
    const { topicPrefix } = config.kafka;
    const journal = operatorJournal(platform);
    const stopping = closing.add('operators', new AbortController(), (one) => one.abort(), {
      atOnce: true,
    });
    const openedMs = performance.now();
    const routers = operatorRouters({
      name,
      maintenance,
      folds,
      log,
      journal,
      notifier,
      health,
      projections: models,
      diagnose: async () =>
        diagnose(service, config, { log, checks, runsForMs: performance.now() - openedMs }),
      sealed: { ring, places },
      codec: service.streams.codec(closedVault),
      ...(consumers.length > 0 && {
        operations: (on = pool) => operations({ pool: on, kafka, topicPrefix, consumers, log }),
      }),
      stopping: stopping.signal,
    });
    return { routers, refused: refusalsOf(platform, journal).add };
  },

  async doctor(service, config, { log, write }) {
    const findings = await diagnose(service, config, { log, checks });
    write(findingsText(findings));
    return findings.some(({ state }) => state === 'problem') ? 1 : 0;
  },
});

/**
 * Records refused attempts at what operators may do. The window of refusals is an hour; a stop of the service ends it.
 */
function refusalsOf<Config, E extends Event>(
  { log, closing, job }: Platform<Config, E>,
  journal: Journal,
): Refusals {
  const refusals = operatorRefusals(journal.refused, log);
  closing.add('refused attempts', refusals, async ({ tell }) => tell());
  job('refused attempts', REFUSALS_WINDOW_MS, refusals.tell);
  return refusals;
}
