import { type ComponentType, lazy, Suspense, useState } from 'react';
import { chunk } from '../api/chunk.js';
import { ChunkBoundary } from './chunk-boundary.js';

interface Opened {
  readonly opened: boolean;
}

/** A dialog whose script is loaded when it is opened for the first time; the first page does without it. */
export function lazyDialog<P extends Opened>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  const Loaded = lazy(chunk(async () => ({ default: await load() })));
  return function LazyDialog(props: P) {
    const [isWanted, setWanted] = useState(false);
    if (props.opened && !isWanted) setWanted(true);
    if (!isWanted) return null;
    return (
      <ChunkBoundary>
        <Suspense>
          <Loaded {...props} />
        </Suspense>
      </ChunkBoundary>
    );
  };
}
