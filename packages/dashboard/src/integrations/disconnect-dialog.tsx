import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IdentityProvider, Integration } from '../api/types.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { fullName } from './accounts.js';
import { disconnect } from './integration-queries.js';
import type { KindWords } from './kinds.js';

export interface DisconnectDialogProps {
  readonly words: KindWords;
  readonly integration: Integration;
  readonly identityProvider: IdentityProvider;
  /** Other accounts of the kind that stay. */
  readonly hasOthers: boolean;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that disconnects an account, and says before what stops. */
export function DisconnectDialog(props: DisconnectDialogProps) {
  const { integration, identityProvider, opened, onClose, onDone } = props;
  const queries = useQueryClient();
  const disconnection = useMutation({
    mutationFn: () => disconnect(queries, integration.integration_id),
    onSuccess: () => {
      onClose();
      onDone();
    },
  });
  return (
    <ConfirmDialog
      title={`Disconnect ${fullName(integration, identityProvider)}?`}
      action="Disconnect"
      opened={opened}
      mutation={disconnection}
      onConfirm={disconnection.mutate}
      onClose={onClose}
    >
      <Text size="sm">This takes effect at once:</Text>
      <List size="sm" my="sm" spacing="xs">
        {effectsOf(props).map((effect) => (
          <List.Item key={effect}>{effect}</List.Item>
        ))}
      </List>
      <Text size="sm">Its history and your webhooks stay. You can connect again at any time.</Text>
    </ConfirmDialog>
  );
}

function effectsOf({ words, integration, hasOthers }: DisconnectDialogProps): readonly string[] {
  const { name, stops } = words;
  const destroyed = 'Our access is deleted here, and revoked at the provider if it allows that.';
  if (!hasOthers) return [...stops, destroyed];
  return [
    `The assistant no longer works with this ${name}.`,
    integration.is_primary
      ? `Another of your ${words.label.toLowerCase()} becomes the primary one.`
      : `Your other accounts stay connected.`,
    destroyed,
  ];
}
