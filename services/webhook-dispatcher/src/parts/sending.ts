import { readFile } from 'node:fs/promises';
import { dueInTurns, dueOf, dueWork } from '../adapters/postgres/sending/due-work.js';
import { orderedWork } from '../adapters/postgres/sending/ordered-work.js';
import { backgroundSettling } from '../adapters/postgres/sending/settle-pending.js';
import { shardLeases } from '../adapters/postgres/sending/shard-leases.js';
import { writeApart } from '../adapters/postgres/sending/write-apart.js';
import { writeResults } from '../adapters/postgres/sending/write-results.js';
import { changedWebhooks, loadTargets } from '../adapters/postgres/webhooks/targets.js';
import { BREAKER_SETTINGS, circuitBreakers } from '../adapters/webhook/circuit-breakers.js';
import { webhookSender } from '../adapters/webhook/sender.js';
import { circuitRecorder } from '../application/sending/circuits.js';
import { startDispatch } from '../application/sending/dispatch.js';
import { failureLog, logged } from '../application/sending/failure-log.js';
import { judgeWith } from '../application/sending/judge.js';
import { otherReplicas } from '../application/sending/other-replicas.js';
import type { Dispatch, DispatchOptions } from '../application/sending/ports.js';
import {
  recordExhausted,
  recordGone,
  recordRefused,
} from '../application/sending/record-exhausted.js';
import { sendAttempt } from '../application/sending/send-attempt.js';
import type { WebhookKeys } from '../application/sending/webhook-keys.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import { changeMeasures, measureDispatch } from './measures.js';
import type { DispatcherPlatform, Tables } from './tables.js';
import type { Watching } from './watching.js';

/** Starts the sending. */
export async function startSending(
  platform: DispatcherPlatform,
  tables: Tables,
  keys: WebhookKeys,
  watching: Watching,
): Promise<Dispatch> {
  const { config, backgroundPool: pool, notifier, log, closing, job, meter } = platform;
  const { backgroundWork: unitOfWork, writing } = tables;
  const measures = changeMeasures(meter);
  const failures = failureLog(log);
  job('failure lines', 60_000, async () => failures.turn());
  const onError = (error: unknown) => log.error({ err: error }, 'dispatching met an error');
  const sender = await openSender(platform);
  const settling = backgroundSettling(pool, onError);
  closing.add('settling', settling, (settling) => settling.stop());
  const circuits = circuitRecorder({ unitOfWork, now, stored: watching.changed }, onError);
  closing.add('circuits', circuits, (circuits) => circuits.drained());

  const breakers = { ...BREAKER_SETTINGS, resetMs: config.breakerResetMs };
  const webhookChanged = (webhook: WebhookOwner) => {
    dispatch.webhookChanged(webhook.webhookId);
    watching.changed(webhook);
  };
  const others = otherReplicas(notifier);
  const dispatch = await startDispatch({
    ...readsOf(platform, tables),
    ...shardLeases(pool, writing.owner),
    endPending: settling.settle,
    send: logged(sendAttempt(sender.send, now, keys), failures),
    judge: judgeWith(config.retry, now, Math.random),
    circuits: (onChange) =>
      circuitBreakers(breakers, (webhookId, change) => {
        measures.circuits({ to: change.to });
        onChange(webhookId, change);
      }),
    onCircuitChange: circuits.changed,
    write: writesOf(pool, tables, { written: watching.written, webhookChanged, onError }),
    notifyOthers: others.notify,
    onShards: (change, count) => measures.shards({ change }, count),
    monotonicMs: () => performance.now(),
    onError,
  });
  closing.add('notifications of dispatchers', others.listen(dispatch.wake), (end) => end());
  closing.add('dispatch', dispatch, (dispatch) => dispatch.stop(), { atOnce: true });
  platform.health.add('leases', () => dispatch.healthy());
  measureDispatch(platform, dispatch);
  return dispatch;
}

/** Constructs the reads of what is due, and of the webhooks that it goes to. */
const readsOf = (
  { backgroundPool: pool, vault }: DispatcherPlatform,
  { openSealed, onUnreadable }: Tables,
) => ({
  readDue: dueWork(pool, openSealed),
  readInTurns: dueInTurns(pool, openSealed),
  readOf: dueOf(pool, openSealed),
  readOrdered: orderedWork(pool, openSealed),
  changedWebhooks: changedWebhooks(pool),
  loadTargets: loadTargets(pool, vault, onUnreadable),
});

interface Listeners extends Pick<Watching, 'written'>, Pick<DispatchOptions, 'onError'> {
  readonly webhookChanged: (webhook: WebhookOwner) => void;
}

/** Returns the writes of results, each of which shows what it has written to those who watch. */
function writesOf(
  pool: DispatcherPlatform['pool'],
  { backgroundWork: unitOfWork, writing }: Tables,
  { written, webhookChanged, onError }: Listeners,
): DispatchOptions['write'] {
  const apart = writeApart(pool, writing.owner, onError);
  const exhaust = recordExhausted({ unitOfWork });
  const refuse = recordRefused({ unitOfWork });
  const endGone = recordGone({ unitOfWork, webhookChanged });
  return {
    attempts: apart(async (results) => written(await writeResults(pool, writing, results))),
    exhausted: apart(async (results) => written(await exhaust(results))),
    refused: apart(async (results) => written(await refuse(results))),
    gone: apart(async (results) => {
      for (const result of results) written(await endGone(result));
    }),
  };
}

async function openSender({ config, closing }: DispatcherPlatform) {
  const { allowPrivateTargets: allowPrivate, attemptTimeoutMs, egressProxy: proxy } = config;
  const extraCa = config.receiverCaFile && (await readFile(config.receiverCaFile, 'utf8'));
  const sender = webhookSender({ allowPrivate, attemptTimeoutMs, extraCa, proxy });
  return closing.add('webhook sender', sender, (sender) => sender.close());
}

const now = (): Date => new Date();
