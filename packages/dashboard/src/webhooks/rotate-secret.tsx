import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { IconRotate } from '../ui/icons.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { WebhookSecretDialog } from './secret-dialog.js';

const RotateDialog = lazyDialog(async () => (await import('./rotate-dialog.js')).RotateDialog);

/** Gives a webhook a new secret without a gap: the previous one signs too for a day. */
export function RotateSecret({ webhook }: { readonly webhook: Webhook }) {
  const [opened, setOpened] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const [made, setMade] = useState<string>();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRotate size={14} aria-hidden />}
        onClick={() => {
          setOpened(true);
          setWasOpened(true);
        }}
      >
        Rotate secret
      </Button>
      <RotateDialog
        webhookId={webhook.webhook_id}
        opened={opened}
        onClose={() => setOpened(false)}
        onRotated={(secret) => {
          setOpened(false);
          setMade(secret);
        }}
      />
      {wasOpened && <WebhookSecretDialog secret={made} onDone={() => setMade(undefined)} />}
    </>
  );
}
