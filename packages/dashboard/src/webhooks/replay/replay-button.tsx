import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/types.js';
import { IconPlayerTrackNext } from '../../ui/icons.js';
import { lazyDialog } from '../../ui/lazy-dialog.js';

const ReplayDialog = lazyDialog(async () => (await import('./replay-dialog.js')).ReplayDialog);

/** Sends again what a webhook did not get. */
export function ReplayButton({ webhook }: { readonly webhook: Webhook }) {
  const [opened, setOpened] = useState(false);
  const [openedAt, setOpenedAt] = useState(() => new Date());
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerTrackNext size={16} aria-hidden />}
        onClick={() => {
          setOpenedAt(new Date());
          setOpened(true);
        }}
      >
        Replay
      </Button>
      <ReplayDialog
        webhook={webhook}
        opened={opened}
        openedAt={openedAt}
        onClose={() => setOpened(false)}
      />
    </>
  );
}
