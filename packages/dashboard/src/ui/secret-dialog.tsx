import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';
import { IconEyeOff } from './icons.js';

export interface SecretDialogProps {
  readonly title: string;
  /** Name of the secret: `API key`. */
  readonly name: string;
  /** Label of the button that copies the secret: `Copy API key`. */
  readonly copy: string;
  /** The secret to show; undefined: the dialog is closed. */
  readonly secret: string | undefined;
  /** Text that says what to do with the secret. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

/**
 * Shows a generated secret, which is never shown again. Only the button closes the dialog, so that no slip of the
 * hand does.
 */
export function SecretDialog(props: SecretDialogProps) {
  const { title, name, copy, secret, children, onDone } = props;
  return (
    <Dialog opened={secret !== undefined} onClose={onDone} title={title} isFirm>
      <Stack>
        <Text size="sm">{children}</Text>
        <CodeBlock wrap label={name}>
          {secret ?? ''}
        </CodeBlock>
        <Alert color="orange" icon={<IconEyeOff />}>
          This is shown once. Keep it now; if you lose it, replace it with a new one.
        </Alert>
        <Group justify="flex-end">
          <CopyButton wide text={secret ?? ''} label={copy} />
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
