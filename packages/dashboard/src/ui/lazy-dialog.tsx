import { useMounted } from '@mantine/hooks';
import { type ComponentType, lazy, Suspense, useState } from 'react';

interface Opened {
  readonly opened: boolean;
}

/** A dialog whose script is loaded when it is opened for the first time; the first page does without it. */
export function lazyDialog<P extends Opened>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  const Loaded = lazy(async () => {
    const Dialog = await load();
    return { default: (props: P) => <OpenedOnceMounted Dialog={Dialog} props={props} /> };
  });
  return function LazyDialog(props: P) {
    const [isWanted, setWanted] = useState(false);
    if (props.opened && !isWanted) setWanted(true);
    if (!isWanted) return null;
    return (
      <Suspense>
        <Loaded {...props} />
      </Suspense>
    );
  };
}

interface OpenedOnceMountedProps<P> {
  readonly Dialog: ComponentType<P>;
  readonly props: P;
}

/** Mantine gives the focus back only to where it was when a closed dialog opened. */
function OpenedOnceMounted<P extends Opened>({ Dialog, props }: OpenedOnceMountedProps<P>) {
  const isMounted = useMounted();
  return <Dialog {...props} opened={isMounted && props.opened} />;
}
