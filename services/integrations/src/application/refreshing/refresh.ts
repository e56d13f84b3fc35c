import { pause } from '@junction/async';
import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { configured } from '../provider-of.js';
import { stopping, type TokenRequests } from '../token-requests.js';
import type { DueRefresh, Refresher } from './ports.js';
import {
  endUnreadable,
  type RefreshPorts,
  refreshUnder,
  stillBusy,
} from './refresh-under-lease.js';
import { failureRecorder } from './save-refresh.js';

const SECOND_MS = 1_000;
const POLL_MS = 100;
/** Milliseconds that a caller waits while another replica refreshes: the provider may take 25 s to answer it. */
const WAIT_MAX_MS = 27 * SECOND_MS;
/** Milliseconds that a caller still waits once we stop: fewer than the servers wait before they cut the caller off. */
const STOPPING_WAIT_MS = 3 * SECOND_MS;

/**
 * Makes exactly one refresh for one version over all replicas: here callers wait on one promise, among replicas a lease
 * decides. The refresh goes on when its caller has hung up.
 */
export function refresher(given: Ports, requests: TokenRequests): Refresher {
  const ports = { ...given, recordFailure: failureRecorder(given) };
  const underWay = new Map<string, UnderWay>();
  return {
    async renew(connection) {
      const key = `${connection.connectionId}#${connection.credentialVersion}`;
      let shared = underWay.get(key);
      if (shared === undefined) {
        const work = renew(ports, connection, requests.refuseWhenStopping);
        shared = waitedFor(requests.follow(work).finally(() => underWay.delete(key)));
        underWay.set(key, shared);
      }
      await shared.outcome;
    },

    async drain() {
      const letGo = () => underWay.forEach((one) => one.letGo());
      const drained = new AbortController();
      void pause(STOPPING_WAIT_MS, drained.signal).then(() => {
        if (!drained.signal.aborted) letGo();
      });
      await requests.drain();
      drained.abort();
    },
  };
}

interface UnderWay {
  /** Promise that callers wait on: it ends with the work, or when callers are let go. */
  readonly outcome: Promise<void>;
  readonly letGo: () => void;
}

function waitedFor(work: Promise<void>): UnderWay {
  let letGo = () => {};
  const outcome = new Promise<void>((resolve, reject) => {
    letGo = () => reject(stopping());
    work.then(resolve, reject);
  });
  return { outcome, letGo };
}

async function renew(
  ports: RefreshPorts,
  { connectionId, credentialVersion, ...of }: DueRefresh,
  refuseWhenStopping: () => void,
): Promise<void> {
  const asked = configured(ports.providers, of);
  const end = ports.monotonicMs() + WAIT_MAX_MS;
  for (;;) {
    refuseWhenStopping();
    const answer = await ports.leases.acquire(connectionId, credentialVersion);
    switch (answer.kind) {
      case 'over':
        return;
      case 'ours':
        return refreshUnder(ports, answer.lease, asked, refuseWhenStopping);
      case 'unreadable':
        return endUnreadable(ports, answer.lease, asked.client);
      case 'backing_off':
        throw backingOff(answer.forMs);
      case 'busy':
        if (ports.monotonicMs() >= end) throw stillBusy();
        await pause(POLL_MS);
    }
  }
}

const backingOff = (forMs: number): AppError =>
  new AppError(
    'provider_unavailable',
    'The last refresh at the provider failed. Ask again later.',
    { retryAfterS: forMs / SECOND_MS },
  );
