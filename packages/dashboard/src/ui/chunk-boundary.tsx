import { Button, Group, Stack, Text } from '@mantine/core';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { ChunkError, reloadForChunk } from '../api/chunk.js';
import { Dialog } from './dialog.js';

interface State {
  readonly error?: unknown;
}

/**
 * Around a part of the page whose script is loaded when it is wanted. When the script is gone, the page is loaded
 * anew; with a form on it, the user is asked first.
 */
export class ChunkBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError = (error: unknown): State => ({ error });

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (!(error instanceof ChunkError)) throw error;
    return <Missing words={error.message} />;
  }
}

function Missing({ words }: { readonly words: string }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const leaving = new AbortController();
    if (document.querySelector('form')) setOpen(true);
    else
      void reloadForChunk(leaving.signal).then(
        () => setOpen(true),
        () => undefined,
      );
    return () => leaving.abort();
  }, []);
  return (
    <Dialog title="Load the page again?" opened={isOpen} onClose={() => setOpen(false)}>
      <Stack>
        <Text size="sm">{words} Save what you typed before you load the page again.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setOpen(false)}>
            Not now
          </Button>
          <Button onClick={() => window.location.reload()}>Load again</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
