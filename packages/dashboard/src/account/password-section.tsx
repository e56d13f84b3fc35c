import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { sessionsQuery } from './account-queries.js';
import { Section } from './section.js';

const ChangePasswordDialog = lazyDialog(
  async () => (await import('./change-password-dialog.js')).ChangePasswordDialog,
);

export function PasswordSection() {
  const queries = useQueryClient();
  const [notice, setNotice] = useState<string>();
  const [changing, setChanging] = useState(false);
  return (
    <Section
      title="Password"
      hint="Changing it signs you out everywhere else."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
      action={
        <Button variant="default" onClick={() => setChanging(true)}>
          Change password
        </Button>
      }
    >
      <ChangePasswordDialog
        opened={changing}
        onClose={() => setChanging(false)}
        onDone={() => {
          setChanging(false);
          setNotice('Your password was changed, and your other sessions were signed out.');
          void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        }}
      />
    </Section>
  );
}
