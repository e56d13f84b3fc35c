import { Checkbox, Code, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { useDialogForm } from '../ui/use-submit.js';
import { createApiKey, type NewApiKey } from './account-queries.js';
import { expiryOf, lifetimesOf, SCOPES } from './api-key-words.js';

const FIELDS = ['name', 'scopes', 'expires_at'];

interface Values {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly access: 'all' | 'limited';
  readonly scopes: NonNullable<NewApiKey['scopes']>;
  readonly expires_at: string;
}

const INITIAL: Values = { name: '', access: 'all', scopes: [], expires_at: '90' };

export interface NewKeyDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: string) => void;
}

export function NewKeyDialog({ opened, onClose, onCreated }: NewKeyDialogProps) {
  const queries = useQueryClient();
  const isElsewhere = useQuery(sessionQuery).data?.has_password === false;
  const form = useForm<Values>({
    initialValues: INITIAL,
    validate: {
      name: isNotEmpty('Give it a name, such as the program that will use it.'),
      scopes: (scopes, { access }) =>
        access === 'limited' && scopes.length === 0 ? 'Choose at least one.' : null,
    },
  });
  const { error, dialog } = useDialogForm(form, {
    send: (values) => createApiKey(queries, requestOf(values)),
    onSuccess: onCreated,
    onClose,
  });

  return (
    <FormDialog title="New API key" action="Create API key" opened={opened} {...dialog}>
      <FormProblem error={error} fields={FIELDS} />
      <TextInput
        label="Name"
        maxLength={100}
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Expires"
        data={lifetimesOf({ isElsewhere })}
        {...form.getInputProps('expires_at')}
      />
      <Radio.Group label="Access" {...form.getInputProps('access')}>
        <Group mt="xs">
          <Radio value="all" label="The whole API" />
          <Radio value="limited" label="Only parts of it" />
        </Group>
      </Radio.Group>
      {form.values.access === 'limited' && <ScopesField {...form.getInputProps('scopes')} />}
    </FormDialog>
  );
}

type ScopesFieldProps = Omit<React.ComponentProps<typeof Checkbox.Group>, 'children'> & {
  readonly 'data-path'?: string;
};

const ScopesField = ({ 'data-path': dataPath, ...field }: ScopesFieldProps) => (
  <Checkbox.Group label="Scopes" required {...field}>
    <Stack gap="xs" my="xs">
      {SCOPES.map(({ value, label }, index) => (
        <Checkbox
          key={value}
          {...(index === 0 && { 'data-path': dataPath })}
          value={value}
          label={
            <Group gap="xs">
              {label} <Code>{value}</Code>
            </Group>
          }
        />
      ))}
    </Stack>
  </Checkbox.Group>
);

function requestOf({ name, access, scopes, expires_at: days }: Values): NewApiKey {
  const expiresAt = expiryOf(days, new Date());
  return {
    name,
    ...(access === 'limited' && { scopes }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}
