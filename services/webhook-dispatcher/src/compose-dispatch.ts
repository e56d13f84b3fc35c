import { readFile } from 'node:fs/promises';
import type { Notifier } from '@junction/eventsourcing-postgres';
import type { Closing, Logger } from '@junction/service-kit';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { OpenSealed } from './adapters/postgres/sealed-rows.js';
import { dueInTurns, dueOf, dueWork } from './adapters/postgres/sending/due-work.js';
import { orderedWork } from './adapters/postgres/sending/ordered-work.js';
import { backgroundSettling } from './adapters/postgres/sending/settle-pending.js';
import { shardLeases } from './adapters/postgres/sending/shard-leases.js';
import { changedWebhooks, loadTargets } from './adapters/postgres/sending/targets.js';
import { type ResultWriting, writeResults } from './adapters/postgres/sending/write-results.js';
import { BREAKER_SETTINGS, circuitBreakers } from './adapters/webhook/circuit-breakers.js';
import { type Sender, webhookSender } from './adapters/webhook/sender.js';
import { circuitRecorder } from './application/circuits.js';
import {
  type Job,
  type Result,
  type Secret,
  type Target,
  validSecrets,
} from './application/dispatch/job.js';
import { judgeWith } from './application/dispatch/judge.js';
import { requestHeaders } from './application/dispatch/request-headers.js';
import { type Dispatch, startDispatch } from './application/dispatch/start.js';
import { recordExhausted, recordGone } from './application/record-exhausted.js';
import type { UnitOfWork } from './application/unit-of-work.js';
import type { Config } from './config.js';

export interface DispatchParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly writing: ResultWriting;
  readonly openSealed: OpenSealed;
  readonly unitOfWork: UnitOfWork;
  /** Between the replicas. */
  readonly notifier: Notifier;
  /** Results that are written. */
  readonly written: (results: readonly Result[]) => void;
  readonly log: Logger;
  readonly closing: Closing;
}

/** The sending half, wired: leases, reader, queues, breakers, sender and results. */
export async function composeDispatch(config: Config, parts: DispatchParts): Promise<Dispatch> {
  const { pool, vault, writing, openSealed, unitOfWork, written, log, closing } = parts;
  const others = otherDispatchers(parts.notifier);
  const onError = (error: unknown) => log.error({ err: error }, 'dispatching met an error');

  const extraCa = config.receiverCaFile && (await readFile(config.receiverCaFile, 'utf8'));
  const { allowPrivateTargets: allowPrivate, attemptTimeoutMs, egressProxy: proxy } = config;
  const sender = webhookSender({ allowPrivate, attemptTimeoutMs, extraCa, proxy });
  closing.add('webhook sender', sender, (sender) => sender.close());

  const settling = backgroundSettling(pool, onError);
  closing.add('settling', settling, (settling) => settling.stop());
  const circuits = circuitRecorder({ unitOfWork, now }, onError);
  closing.add('circuits', circuits, (circuits) => circuits.drained());

  const exhaust = recordExhausted({ unitOfWork });
  const endGone = recordGone({
    unitOfWork,
    webhookChanged: (webhookId) => dispatch.webhookChanged(webhookId),
  });
  const dispatch = await startDispatch({
    owner: writing.owner,
    leaseStore: shardLeases(pool),
    ...readsOf(pool, openSealed),
    changedWebhooks: changedWebhooks(pool),
    loadTargets: loadTargets(pool, vault, onError),
    settle: (webhookId, ending) => settling.settle(webhookId, ending),
    send: sendWith(sender),
    judge: judgeWith(config.retry, now, Math.random),
    circuits: (onChange) =>
      circuitBreakers({ ...BREAKER_SETTINGS, resetMs: config.breakerResetMs }, onChange),
    onCircuitChange: circuits.changed,
    async writeResults(results) {
      written(await writeResults(pool, writing, results));
    },
    async writeExhausted(results) {
      written(await exhaust(results));
    },
    async writeGone(result) {
      written(await endGone(result));
    },
    tellOthers: others.tell,
    monotonicMs: () => performance.now(),
    onError,
  });
  closing.add('notifications of dispatchers', others.listen(dispatch.wake), (end) => end());
  return closing.add('dispatch', dispatch, (dispatch) => dispatch.stop(), { atOnce: true });
}

const readsOf = (pool: pg.Pool, openSealed: OpenSealed) => ({
  readDue: dueWork(pool, openSealed),
  readInTurns: dueInTurns(pool, openSealed),
  readOf: dueOf(pool, openSealed),
  readOrdered: orderedWork(pool, openSealed),
});

const DISPATCH = 'dispatch';

/** Leaves out what this process notified itself. */
function otherDispatchers(notifier: Notifier) {
  let isCalling = false;
  return {
    tell() {
      isCalling = true;
      notifier.notify(DISPATCH);
      isCalling = false;
    },
    listen: (onCall: () => void) =>
      notifier.listen(DISPATCH, () => {
        if (!isCalling) onCall();
      }),
  };
}

const sendWith = (sender: Sender) => (job: Job, target: Target) => {
  const { messageId, body } = job;
  const startedAt = now();
  const secrets = textsOf(validSecrets(target.secrets, startedAt));
  const attempt = { body, secrets, messageId, timestamp: startedAt };
  const headers = requestHeaders(attempt, target.headers);
  const sent = sender.send({ url: target.url, headers, body });
  return sent.then((record) => Object.assign(record, { startedAt }));
};

const textsOf = (secrets: readonly Secret[]): readonly string[] => secrets.map(({ text }) => text);

const now = (): Date => new Date();
