import { Button, Checkbox, Code, List, Stack, Text } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { ResetPreview } from '../api/types.js';
import { sessionQuery } from '../session/session.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { RelativeTime } from '../ui/relative-time.js';
import { useSubmit } from '../ui/use-submit.js';
import classes from './mailed.module.css';

const FIELDS = ['new_password'];

export interface NewPasswordFormProps {
  readonly token: string;
  readonly preview: ResetPreview;
  readonly onDone: () => void;
}

/** Says what ends with the old password before it is replaced. */
export function NewPasswordForm({ token, preview, onDone }: NewPasswordFormProps) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { new_password: '', keep_api_keys: false },
    validate: { new_password: isNotEmpty('Enter a new password.') },
  });
  const { submit, isPending, error } = useSubmit(form, {
    send: (values) => call('POST', '/api/auth/reset-password', { body: { token, ...values } }),
    onSuccess: () => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      onDone();
    },
  });

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <FormProblem error={error} fields={FIELDS} />
        {preview.begins_anew && <Text>{BEGINS_ANEW}</Text>}
        <PasswordField
          label="New password"
          description={`${PASSWORD_HINT} You will be signed out everywhere.`}
          autoComplete="new-password"
          autoFocus
          {...form.getInputProps('new_password')}
        />
        {preview.api_keys.length > 0 && (
          <>
            <EndingKeys apiKeys={preview.api_keys} />
            <Checkbox
              label="Keep them: I know each of these keys"
              {...form.getInputProps('keep_api_keys', { type: 'checkbox' })}
            />
          </>
        )}
        <Button type="submit" loading={isPending}>
          Change password
        </Button>
      </Stack>
    </form>
  );
}

const BEGINS_ANEW =
  'This address was never confirmed, so the account begins anew: everything in it ends, with its sessions, API keys, webhooks and connected accounts.';

const EndingKeys = ({ apiKeys }: { readonly apiKeys: ResetPreview['api_keys'] }) => (
  <div>
    <Text size="sm">These API keys stop working:</Text>
    <List size="sm" mt="xs">
      {apiKeys.map(({ id, name, prefix, last_used_at: used }) => (
        <List.Item key={id}>
          {name},{' '}
          {used ? (
            <>
              last used <RelativeTime at={used} />
            </>
          ) : (
            'never used'
          )}
          <br />
          <Code className={classes['prefix'] ?? ''}>{prefix}</Code>
        </List.Item>
      ))}
    </List>
  </div>
);
