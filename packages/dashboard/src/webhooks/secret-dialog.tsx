import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';

export interface SecretDialogProps {
  /** undefined: closed. */
  readonly secret: string | undefined;
  readonly onDone: () => void;
}

/** The one time that a generated secret is seen. Only its button closes it, not a slip of the hand. */
export function SecretDialog({ secret, onDone }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onDone}
      title="Saved. Copy the secret now"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text>Give it to the receiver, which checks our signatures with it.</Text>
        <CodeBlock wrap label="Secret">
          {secret ?? ''}
        </CodeBlock>
        <Alert color="orange" icon={<IconEyeOff />}>
          It cannot be shown again. If it is lost, replace it with a new one.
        </Alert>
        <Group justify="flex-end">
          <CopyButton wide text={secret ?? ''} label="Copy secret" />
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
