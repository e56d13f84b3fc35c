import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { isEmail, useForm } from '@mantine/form';
import { useState } from 'react';
import { call } from '../api/client.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle } from '../ui/text.js';
import { useSubmit } from '../ui/use-submit.js';
import { findUser, type ListedUser, useOperation } from './operator-queries.js';

const FIELDS = ['email'];

/** Finds a user by the exact address, and lets in again who has lost the second factor. */
export function UsersPanel() {
  const [user, setUser] = useState<ListedUser | null>();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: isEmail('Enter an e-mail address, such as you@example.com.') },
  });
  const { submit, isPending, error } = useSubmit(form, {
    send: ({ email }) => findUser(email),
    onSuccess: setUser,
  });
  return (
    <Panel aria-labelledby="users">
      <Stack>
        <PanelTitle id="users">Users</PanelTitle>
        <form noValidate onSubmit={submit}>
          <Stack>
            <FormProblem error={error} fields={FIELDS} />
            <Group align="end">
              <TextInput
                label="E-mail of the user"
                flex="1 1 14rem"
                maw={352}
                type="email"
                autoComplete="off"
                required
                {...form.getInputProps('email')}
              />
              <Button type="submit" variant="default" loading={isPending}>
                Find
              </Button>
            </Group>
          </Stack>
        </form>
        <div role="status">{user === null && <Text size="sm">Nobody has this address.</Text>}</div>
        {user && <FoundUser key={user.id} user={user} />}
      </Stack>
    </Panel>
  );
}

function FoundUser({ user: { id, masked_email: email } }: { readonly user: ListedUser }) {
  const [asking, setAsking] = useState(false);
  const removal = useOperation('auth', 'users', () =>
    call('post', '/api/ops/auth/users/{id}/remove-factors', { params: { path: { id } } }),
  );
  const removed = removal.data;
  return (
    <>
      <Group justify="space-between">
        <div>
          <Text size="sm">{email}</Text>
          <code>{id}</code>
        </div>
        <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
          Remove second factors
        </Button>
      </Group>
      <div role="status">
        {removed && (
          <Alert color="blue">
            Second factors removed: {removed.factors}. Sessions ended: {removed.sessions}.
          </Alert>
        )}
      </div>
      <ConfirmDialog
        title="Remove every second factor of this user?"
        action="Remove"
        opened={asking}
        mutation={removal}
        onConfirm={() => removal.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        All sessions of this user end, and the password alone signs in afterwards. First make sure
        who asks for it, by another way than this account or its mail.
      </ConfirmDialog>
    </>
  );
}
