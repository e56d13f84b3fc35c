import { readFile } from 'node:fs/promises';
import { measureBacklog } from '../adapters/metrics/backlog-measures.js';
import { changeMeasures, measureDispatch } from '../adapters/metrics/dispatch-measures.js';
import { dueReads } from '../adapters/postgres/sending/due-reads.js';
import { backgroundSettling } from '../adapters/postgres/sending/settle-pending.js';
import { shardLeases } from '../adapters/postgres/sending/shard-leases.js';
import { writeApart } from '../adapters/postgres/sending/write-apart.js';
import { writeResults } from '../adapters/postgres/sending/write-results.js';
import { changedWebhooks, loadTargets } from '../adapters/postgres/webhooks/targets.js';
import { BREAKER_SETTINGS, circuitBreakers } from '../adapters/webhook/circuit-breakers.js';
import { socketsAllowed } from '../adapters/webhook/open-files.js';
import { webhookSender } from '../adapters/webhook/sender.js';
import type { Result } from '../application/job.js';
import type { Ports, Tables } from '../application/ports.js';
import { circuitRecorder } from '../application/sending/circuits.js';
import { startDispatch } from '../application/sending/dispatch.js';
import { failureLog, logged } from '../application/sending/failure-log.js';
import { judgeWith } from '../application/sending/judge.js';
import { otherReplicas } from '../application/sending/other-replicas.js';
import { resultWrites } from '../application/sending/record-exhausted.js';
import { sendAttempt } from '../application/sending/send-attempt.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import { type DispatcherPlatform, now } from './platform.js';
import type { Watching } from './watching.js';

/** Starts the sending. */
export async function startSending(
  platform: DispatcherPlatform,
  { backgroundWork: unitOfWork, writing, openSealed, onUnreadable }: Tables,
  { webhookKeys }: Pick<Ports, 'webhookKeys'>,
  { written, changed }: Watching,
) {
  const { config, backgroundPool: pool, closing, health, job, log, meter, notifier } = platform;
  const onError = (error: unknown) => log.error({ err: error }, 'dispatching met an error');
  const failures = failureLog(log);
  job('failure lines', 60_000, async () => failures.turn());
  const sender = await openSender(platform);
  const settling = closing.add('settling', backgroundSettling(pool, onError), (one) => one.stop());
  const circuits = circuitRecorder({ unitOfWork, now, stored: changed }, onError);
  closing.add('circuits', circuits, (one) => one.drained());

  const webhookChanged = (webhook: WebhookOwner) => {
    dispatch.webhookChanged(webhook.webhookId);
    changed(webhook);
  };
  const writeAttempts = async (results: readonly Result[]) => writeResults(pool, writing, results);
  const apart = writeApart(pool, writing.owner, onError);
  const { breakers, retry } = followed(config);
  const measures = changeMeasures(meter);
  const others = otherReplicas(notifier);
  const dispatch = await startDispatch({
    ...dueReads(pool, openSealed),
    changedWebhooks: changedWebhooks(pool),
    loadTargets: loadTargets(pool, platform.vault, onUnreadable),
    ...shardLeases(pool, writing.owner),
    endPending: settling.settle,
    send: sendAttempt(sender.send, now, webhookKeys),
    judge: logged(judgeWith(retry, now, Math.random), failures),
    circuits: (onChange) => circuitBreakers(breakers, measures.circuits(onChange)),
    onCircuitChange: circuits.changed,
    write: resultWrites({ unitOfWork, webhookChanged, writeAttempts, apart, written }),
    notifyOthers: others.notify,
    onShards: measures.shards,
    monotonicMs: () => performance.now(),
    sockets: socketsAllowed(),
    onError,
  });
  closing.add('notifications of dispatchers', others.listen(dispatch.wake), (end) => end());
  closing.add('dispatch', dispatch, (one) => one.stop(), { atOnce: true });
  health.addOnce('leases', () => dispatch.healthy());
  measureDispatch(meter, dispatch);
  measureBacklog(meter, platform.pool);
  return { dispatch, webhookChanged };
}

async function openSender({ config, closing }: DispatcherPlatform) {
  const { receiverCaFile, egressProxy: proxy } = config;
  const extraCa = receiverCaFile && (await readFile(receiverCaFile, 'utf8'));
  const sender = webhookSender({
    ...config,
    extraCa,
    proxy,
    get attemptTimeoutMs() {
      return config.attemptTimeoutMs;
    },
  });
  return closing.add('webhook sender', sender, (one) => one.close());
}

/** Returns settings that are as they are in SETTINGS_FILE when they are read. */
const followed = (config: DispatcherPlatform['config']) => ({
  breakers: {
    ...BREAKER_SETTINGS,
    get resetMs() {
      return config.breakerResetMs;
    },
  },
  retry: {
    get delaysMs() {
      return config.retry.delaysMs;
    },
  },
});
