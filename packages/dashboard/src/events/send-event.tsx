import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Event } from '../model/event-queries.js';
import { IconSend } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

const SendEventDialog = lazyDialog(
  async () => (await import('./send-event-dialog.js')).SendEventDialog,
);

export interface SendEventProps {
  readonly event: Event;
  /** URL of each webhook; undefined while they are loading. */
  readonly urls: ReadonlyMap<string, string> | undefined;
}

/** Sends an event to a webhook of choice. */
export function SendEvent({ event, urls }: SendEventProps) {
  const [opened, setOpened] = useState(false);
  if (!urls || urls.size === 0) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        Send to a webhook
      </Button>
      <SendEventDialog event={event} urls={urls} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}
