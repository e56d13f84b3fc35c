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
  | { readonly ask: 'reset'; readonly measure: boolean };

/** Figures of all requests that came since the reset. */
export interface Seen {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Milliseconds from before each event was published to the last byte; while the receiver measures. */
  readonly latenciesMs: readonly number[];
  /** Number of different events; while the receiver measures. */
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
  /** Counts from 0. `measure`: keeps each latency and which events came, and counts nothing else. */
  reset(measure?: boolean): Promise<Seen>;
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
    reset: (measure = false) => ask(child, { ask: 'reset', measure } satisfies Question),
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
