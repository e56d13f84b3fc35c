import type { Attempt } from '../api/types.js';

export interface TimingPart {
  readonly name: string;
  /** Milliseconds since the attempt began. */
  readonly fromMs: number;
  readonly ms: number;
}

/**
 * Splits the time of an attempt into consecutive parts. The API measures DNS, connection and TLS each by itself, but
 * the first byte from the start of the attempt.
 */
export function timingParts({ timing }: Pick<Attempt, 'timing'>): readonly TimingPart[] {
  const { dns_ms: dns, connect_ms: connect, tls_ms: tls, first_byte_ms: firstByte } = timing;
  const opening = [
    { name: 'DNS', ms: dns },
    { name: 'Connect', ms: connect },
    { name: 'TLS', ms: tls },
  ].flatMap(({ name, ms }) => (ms === null ? [] : [{ name, ms }]));
  const openedMs = opening.reduce((sum, { ms }) => sum + ms, 0);
  const rest =
    firstByte === null
      ? [{ name: 'Until it failed', ms: timing.total_ms - openedMs }]
      : [
          { name: 'First byte', ms: firstByte - openedMs },
          { name: 'Body', ms: timing.total_ms - firstByte },
        ];
  let fromMs = 0;
  return [...opening, ...rest].map(({ name, ms: measured }) => {
    const ms = Math.max(0, measured); // clocks are read one after the other
    const part = { name, fromMs, ms };
    fromMs += ms;
    return part;
  });
}
