import { once } from 'node:events';
import path from 'node:path';
import type { CertificateAuthority } from '@junction/testing';
import { until } from '../clock.js';
import { ask, ended, startChild } from './ask.js';

const PROGRAM = path.join(import.meta.dirname, 'receiver-process.js');
const LOOK_EVERY_MS = 100;

export interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly hung: number;
}

export type Question =
  | { readonly ask: 'seen' }
  | { readonly ask: 'reset'; readonly keep: Kept | undefined };

/** Data that the receiver keeps of each event: its id alone, or with its latency. */
type Kept = 'ids' | 'latencies';

/** Figures of all requests that came since the reset. */
export interface Seen {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Milliseconds from before each event was published to the last byte; while latencies are kept. */
  readonly latenciesMs: readonly number[];
  /** Number of different events; while ids are kept. */
  readonly distinct: number;
  /** Milliseconds between requests and their answers, summed over all answers that were late on purpose. */
  readonly heldMs: number;
}

/** The endpoints of all users. */
export interface Receiver {
  readonly plainUrl: string;
  /** The same over TLS. */
  readonly tlsUrl: string;
  readonly hungUrl: string;
  seen(): Promise<Seen>;
  /** Counts from 0. While something is kept, nothing but the events of the bench is counted. */
  reset(keep?: Kept): Promise<Seen>;
  /** Resolves once so many requests have come. */
  received(count: number, deadlineMs: number): Promise<Seen>;
  close(): Promise<void>;
}

/** Starts a process that receives. */
export async function startReceiver(
  authority: Pick<CertificateAuthority, 'issue'>,
  signal: AbortSignal,
): Promise<Receiver> {
  const { key, cert } = await authority.issue();
  const child = startChild(PROGRAM, [key, cert]);
  const [ports] = (await once(child, 'message', { signal })) as [Ports];
  const seen = () => ask<Seen>(child, { ask: 'seen' } satisfies Question);
  return {
    plainUrl: `http://127.0.0.1:${ports.plain}`,
    tlsUrl: `https://127.0.0.1:${ports.tls}`,
    hungUrl: `http://127.0.0.1:${ports.hung}`,
    seen,
    reset: (keep) => ask(child, { ask: 'reset', keep } satisfies Question),
    received: (count, deadlineMs) =>
      until(
        `Receiving ${count}`,
        async () => {
          const now = await seen();
          return now.count >= count ? now : undefined;
        },
        { deadlineMs, everyMs: LOOK_EVERY_MS, signal },
      ),
    close: () => ended(child, () => child.kill('SIGTERM')),
  };
}
