import { TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { useDialogForm } from '../ui/use-submit.js';
import { addPasskey } from './factor-queries.js';

export interface AddPasskeyDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: (recoveryCodes: readonly string[] | undefined) => void;
}

export function AddPasskeyDialog({ opened, onClose, onDone }: AddPasskeyDialogProps) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: isNotEmpty('Give it a name, such as the device it is on.') },
  });
  const { error, dialog } = useDialogForm(form, {
    send: ({ name }) => addPasskey(queries, name),
    onSuccess: onDone,
    onClose,
  });
  return (
    <FormDialog title="Add a passkey" action="Continue" opened={opened} {...dialog}>
      <FormProblem error={error} fields={['name']} />
      <TextInput
        label="Name"
        maxLength={100}
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}
