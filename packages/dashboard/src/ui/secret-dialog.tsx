import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { CodeBlock } from './code-block.js';
import { CopyButton } from './copy-button.js';
import { Dialog, loadDialog } from './dialog.js';

export interface SecretDialogProps {
  readonly title: string;
  /** What it is: `API key`. */
  readonly name: string;
  /** `Copy API key`. */
  readonly copy: string;
  /** undefined: closed. */
  readonly secret: string | undefined;
  /** What to do with it. */
  readonly children: ReactNode;
  readonly onDone: () => void;
}

/** The one time that a generated secret is seen. Only its button closes it, not a slip of the hand. */
export function SecretDialog(props: SecretDialogProps) {
  const { title, name, copy, secret, children, onDone } = props;
  useEffect(loadDialog, []);
  return (
    <Dialog
      opened={secret !== undefined}
      onClose={onDone}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text>{children}</Text>
        <CodeBlock wrap label={name}>
          {secret ?? ''}
        </CodeBlock>
        <Alert color="orange" icon={<IconEyeOff />}>
          It can’t be shown again. If you lose it, replace it with a new one.
        </Alert>
        <Group justify="flex-end">
          <CopyButton wide text={secret ?? ''} label={copy} />
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
