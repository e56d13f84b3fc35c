import { Button } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ChunkError, reloadForChunk } from '../api/chunk.js';
import { wordsFor } from './form-problem.js';
import { IconAlertTriangle } from './icons.js';
import { LoadingPage } from './loading-page.js';
import { MessagePage } from './message-page.js';
import { useTitle } from './use-title.js';

export function ErrorPage(props: ErrorComponentProps) {
  return props.error instanceof ChunkError ? <Reloading {...props} /> : <Failed {...props} />;
}

/** Loads the page anew as soon as that helps; a page that lacks the script all the same says so. */
function Reloading(props: ErrorComponentProps) {
  const [isHopeless, setHopeless] = useState(false);
  useEffect(() => {
    const leaving = new AbortController();
    reloadForChunk(leaving.signal).then(
      () => setHopeless(true),
      () => undefined,
    );
    return () => leaving.abort();
  }, []);
  return isHopeless ? <Failed {...props} /> : <LoadingPage />;
}

function Failed({ error, reset }: ErrorComponentProps) {
  useTitle('Something went wrong');
  const router = useRouter();

  const again = async () => {
    if (error instanceof ChunkError) return window.location.reload();
    reset();
    await router.invalidate();
  };
  return (
    <MessagePage
      title="Something went wrong"
      icon={<IconAlertTriangle size={40} stroke={1.4} aria-hidden />}
      action={<Button onClick={() => void again()}>Try again</Button>}
    >
      {wordsFor(error)}
    </MessagePage>
  );
}
