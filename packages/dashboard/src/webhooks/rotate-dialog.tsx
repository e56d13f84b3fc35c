import { List, Radio, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../api/problem.js';
import { rotateSecret } from '../model/webhook-queries.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { secretProblem } from './form/new-secret.js';
import { OwnSecret } from './form/own-secret.js';

export interface RotateDialogProps {
  readonly webhookId: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Receives the generated secret; undefined when the user entered a secret. */
  readonly onRotated: (secret: string | undefined) => void;
}

/** The dialog that replaces the secret, and explains how long the previous secret still signs. */
export function RotateDialog({ webhookId, opened, onClose, onRotated }: RotateDialogProps) {
  const queries = useQueryClient();
  const [isOwn, setOwn] = useState(false);
  const [own, setOwnSecret] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const { mutate, isPending, error, reset } = useMutation({
    gcTime: 0, // variables and answer hold a secret
    mutationFn: (secret: string | undefined) => rotateSecret(queries, webhookId, secret),
    onSuccess: (made) => {
      forget();
      onRotated(made);
    },
  });
  const forget = () => {
    setOwnSecret('');
    setProblem(null);
    reset();
  };
  const submit = () => {
    const wrong = isOwn ? secretProblem(own) : null;
    setProblem(wrong);
    if (wrong === null) mutate(isOwn ? own : undefined);
  };

  return (
    <FormDialog
      title="Rotate the secret"
      action="Rotate secret"
      opened={opened}
      pending={isPending}
      onSubmit={submit}
      onClose={() => {
        forget();
        onClose();
      }}
    >
      <List size="sm" spacing="xs">
        <List.Item>
          For 24 hours <code>webhook-signature</code> carries two signatures, made with the new
          secret and with the one before it. A receiver that knows either accepts the request.
        </List.Item>
        <List.Item>
          <code>X-Service-Signature</code> carries the new one alone, at once. A receiver that
          checks this header must know both before you rotate.
        </List.Item>
        <List.Item>Retries of earlier deliveries are signed the same way.</List.Item>
      </List>
      <Radio.Group
        label="New secret"
        value={isOwn ? 'own' : 'generate'}
        onChange={(choice) => setOwn(choice === 'own')}
      >
        <Stack gap="sm" mt="xs">
          <Radio
            value="generate"
            label="Generate one"
            description="It is shown once, afterwards."
          />
          <Radio value="own" label="Use my own" />
        </Stack>
      </Radio.Group>
      {isOwn && (
        <OwnSecret
          description="1 to 256 bytes. After whsec_ it must be base64."
          value={own}
          error={problem ?? fieldErrors(error)['secret']}
          onSecret={setOwnSecret}
        />
      )}
      <FormProblem error={error} fields={['secret']} />
    </FormDialog>
  );
}
