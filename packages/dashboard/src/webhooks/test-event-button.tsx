import { Button } from '@mantine/core';
import { IconSend } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

export const TestEventDialog = lazyDialog(
  async () => (await import('./test-event-dialog.js')).TestEventDialog,
);

export const TestEventButton = ({ onClick }: { readonly onClick: () => void }) => (
  <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={onClick}>
    Send test event
  </Button>
);
