import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { disconnect } from './integration-queries.js';
import type { ProviderWords } from './providers.js';

export interface DisconnectDialogProps {
  readonly words: ProviderWords;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Says what stops, before it does. */
export function DisconnectDialog({ words, opened, onClose, onDone }: DisconnectDialogProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => disconnect(queries, words.provider),
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  return (
    <ConfirmDialog
      title={`Disconnect your ${words.name}?`}
      action="Disconnect"
      opened={opened}
      pending={isPending}
      error={error}
      onConfirm={mutate}
      onClose={() => {
        onClose();
        reset();
      }}
    >
      <Text size="sm">This takes effect at once:</Text>
      <List size="sm" my="sm" spacing="xs">
        {words.stops.map((stop) => (
          <List.Item key={stop}>{stop}</List.Item>
        ))}
        <List.Item>
          Our tokens are destroyed here, and revoked at the provider where it allows that.
        </List.Item>
      </List>
      <Text size="sm">
        Its history stays, and so do your webhooks. You can connect again at any time.
      </Text>
    </ConfirmDialog>
  );
}
