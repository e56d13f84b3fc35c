import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { sessionQuery } from '../session/session.js';
import { Breakable } from '../ui/breakable.js';
import { FormProblem } from '../ui/form-problem.js';
import { lazyDialog } from '../ui/lazy-dialog.js';
import { StatusBadge } from '../ui/status-badge.js';
import classes from './account.module.css';
import { Section } from './section.js';
import { TroubleMails } from './trouble-mails.js';

const ChangeEmailDialog = lazyDialog(
  async () => (await import('./change-email-dialog.js')).ChangeEmailDialog,
);

export function ProfileSection() {
  const { data: user } = useQuery(sessionQuery);
  const [notice, setNotice] = useState<string>();
  const [changing, setChanging] = useState(false);
  const resend = useMutation({
    mutationFn: () => call('post', '/api/auth/verify-email/resend'),
    onSuccess: () => setNotice('We sent you a link that works for 24 hours.'),
  });
  const isVerified = user?.email_verified ?? false;

  return (
    <Section
      title="E-mail address"
      hint={
        user?.sends_mail === false
          ? 'You sign in with it. This installation sends no mail, so it can be neither verified nor changed.'
          : 'You sign in with it, and we write to it about your account.'
      }
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
    >
      <Group gap="sm">
        <Text fw={600} className={classes['name'] ?? ''}>
          <Breakable>{user?.email ?? ''}</Breakable>
        </Text>
        <StatusBadge tone={isVerified ? 'good' : 'waiting'}>
          {isVerified ? 'Verified' : 'Not verified'}
        </StatusBadge>
      </Group>
      <FormProblem error={resend.error} fields={[]} />
      {user?.sends_mail && (
        <>
          <Group gap="sm">
            <Button variant="default" onClick={() => setChanging(true)}>
              Change address
            </Button>
            {!isVerified && (
              <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
                Send the link again
              </Button>
            )}
          </Group>
          <TroubleMails user={user} />
        </>
      )}
      <ChangeEmailDialog
        opened={changing}
        onClose={() => setChanging(false)}
        onDone={(email) => {
          setChanging(false);
          setNotice(
            `Open the link we sent to ${email}. Until you do, your old address stays in use.`,
          );
        }}
      />
    </Section>
  );
}
