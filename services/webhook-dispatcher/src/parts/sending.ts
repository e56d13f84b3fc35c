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
import { type FailureLog, failureLog } from './failure-log.js';
import type { DeliveryMeasures } from './measures.js';
import type { DispatcherPlatform, Tables } from './tables.js';
import type { Watching } from './watching.js';

/** Parts that the sending notifies. */
export interface Listeners {
  /** Live tail, which shows what is committed to those who watch. */
  readonly watching: Pick<Watching, 'written' | 'changed'>;
  readonly measures: DeliveryMeasures;
}

/** Starts the sending. */
export async function startSending(
  platform: DispatcherPlatform,
  { backgroundWork: unitOfWork, writing, openSealed, onUnreadable }: Tables,
  keys: WebhookKeys,
  { watching: { written, changed }, measures }: Listeners,
): Promise<Dispatch> {
  const { config, backgroundPool: pool, vault, notifier, log, closing } = platform;
  const failures = failureLog(log);
  platform.job('failure lines', 60_000, async () => failures.turn());
  const onError = (error: unknown) => log.error({ err: error }, 'dispatching met an error');
  const sender = await openSender(platform);
  const settling = backgroundSettling(pool, onError);
  closing.add('settling', settling, (settling) => settling.stop());
  const circuits = circuitRecorder({ unitOfWork, now, stored: changed }, onError);
  closing.add('circuits', circuits, (circuits) => circuits.drained());

  const webhookChanged = (webhook: WebhookOwner) => {
    dispatch.webhookChanged(webhook.webhookId);
    changed(webhook);
  };
  const others = otherReplicas(notifier);
  const dispatch = await startDispatch({
    readDue: dueWork(pool, openSealed),
    readInTurns: dueInTurns(pool, openSealed),
    readOf: dueOf(pool, openSealed),
    readOrdered: orderedWork(pool, openSealed),
    changedWebhooks: changedWebhooks(pool),
    loadTargets: loadTargets(pool, vault, onUnreadable),
    ...shardLeases(pool, writing.owner),
    endPending: settling.settle,
    send: logged(sendAttempt(sender.send, now, keys), failures),
    judge: judgeWith(config.retry, now, Math.random),
    circuits: (onChange) =>
      circuitBreakers(
        { ...BREAKER_SETTINGS, resetMs: config.breakerResetMs },
        (webhookId, change) => {
          measures.circuit(change.to);
          onChange(webhookId, change);
        },
      ),
    onCircuitChange: circuits.changed,
    write: writesOf(pool, { unitOfWork, writing }, { written, webhookChanged, onError }),
    notifyOthers: others.notify,
    onShards: measures.shards,
    monotonicMs: () => performance.now(),
    onError,
  });
  closing.add('notifications of dispatchers', others.listen(dispatch.wake), (end) => end());
  return closing.add('dispatch', dispatch, (dispatch) => dispatch.stop(), { atOnce: true });
}

/** Returns the writes of results, each of which shows what it has written to those who watch. */
function writesOf(
  pool: DispatcherPlatform['pool'],
  { unitOfWork, writing }: Pick<Tables, 'unitOfWork' | 'writing'>,
  {
    written,
    webhookChanged,
    onError,
  }: Pick<Watching, 'written'> &
    Pick<DispatchOptions, 'onError'> & { webhookChanged: (webhook: WebhookOwner) => void },
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

type Send = DispatchOptions['send'];

const logged =
  (send: Send, failures: FailureLog): Send =>
  async (job, target) => {
    const record = await send(job, target);
    failures.attempted(job, target, record);
    return record;
  };

async function openSender({ config, closing }: DispatcherPlatform) {
  const { allowPrivateTargets: allowPrivate, attemptTimeoutMs, egressProxy: proxy } = config;
  const extraCa = config.receiverCaFile && (await readFile(config.receiverCaFile, 'utf8'));
  const sender = webhookSender({ allowPrivate, attemptTimeoutMs, extraCa, proxy });
  return closing.add('webhook sender', sender, (sender) => sender.close());
}

const now = (): Date => new Date();
