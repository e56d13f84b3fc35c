import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { sessionQuery } from '../session/session.js';
import { FormProblem } from '../ui/form-problem.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import classes from './account.module.css';
import { Section } from './section.js';

const ChangeEmailDialog = lazyDialog(
  async () => (await import('./change-email-dialog.js')).ChangeEmailDialog,
);

export function ProfileSection() {
  const { data: user } = useQuery(sessionQuery);
  const [notice, setNotice] = useState<string>();
  const [changing, setChanging] = useState(false);
  const resend = useMutation({
    mutationFn: () => call('POST', '/api/auth/verify-email/resend', { body: {} }),
    onSuccess: () => setNotice('A mail with a link is on its way. The link holds for 24 hours.'),
  });
  const isVerified = user?.email_verified ?? false;

  return (
    <Section
      title="E-mail address"
      hint="You sign in with it, and mail about your account goes to it."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
    >
      <Group gap="sm">
        <Text fw={600} className={classes['name'] ?? ''}>
          {user?.email}
        </Text>
        <StatusBadge tone={isVerified ? 'good' : 'waiting'}>
          {isVerified ? 'Verified' : 'Not verified'}
        </StatusBadge>
      </Group>
      <FormProblem error={resend.error} fields={[]} />
      <Group gap="sm">
        <Button variant="default" onClick={() => setChanging(true)}>
          Change address
        </Button>
        {!isVerified && (
          <Button variant="subtle" loading={resend.isPending} onClick={() => resend.mutate()}>
            Send the mail again
          </Button>
        )}
      </Group>
      <ChangeEmailDialog
        opened={changing}
        onClose={() => setChanging(false)}
        onDone={(email) => {
          setChanging(false);
          setNotice(`Open the mail that was sent to ${email}. Until then the old address stays.`);
        }}
      />
    </Section>
  );
}
