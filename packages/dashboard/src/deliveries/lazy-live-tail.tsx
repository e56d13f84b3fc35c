import { lazy, Suspense } from 'react';
import { chunk } from '../api/chunk.js';
import type { LiveTailProps } from './live-tail.js';

const Tail = lazy(chunk(async () => ({ default: (await import('./live-tail.js')).LiveTail })));

/** The attempts as they are made, loaded once somebody wants to see them. */
export const LiveTail = (props: LiveTailProps) => (
  <Suspense>
    <Tail {...props} />
  </Suspense>
);
