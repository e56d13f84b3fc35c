import { Button } from '@mantine/core';
import { IconSend } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

/** Apart from its button, which goes away when the first delivery fills an empty list. */
export const TestEventDialog = lazyDialog(
  async () => (await import('./test-event-dialog.js')).TestEventDialog,
);

export interface TestEventButtonProps {
  readonly variant: 'default' | 'filled';
  readonly onClick: () => void;
}

export const TestEventButton = ({ variant, onClick }: TestEventButtonProps) => (
  <Button variant={variant} leftSection={<IconSend size={16} aria-hidden />} onClick={onClick}>
    Send test event
  </Button>
);
