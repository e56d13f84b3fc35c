import { Anchor, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '../app/logo.js';
import { Quiet } from '../ui/text.js';
import classes from './entry-page.module.css';

export interface EntryPageProps {
  readonly children: ReactNode;
  /** Link to another way, below the form. */
  readonly footer?: ReactNode;
}

/** The frame around a page that needs no session: sign-in, sign-up, and the pages that mails link to. */
export const EntryPage = ({ children, footer }: EntryPageProps) => (
  <main className={classes['page']}>
    <div>
      <Logo />
      <Quiet mt={6}>
        Your mailbox and calendar connected, your webhooks signed.{' '}
        <Anchor href="/docs">Read the docs</Anchor>
      </Quiet>
    </div>
    <Paper withBorder p="xl" radius="lg" shadow="xs">
      {children}
    </Paper>
    {footer && (
      <Text component="div" size="sm" ta="center">
        {footer}
      </Text>
    )}
  </main>
);
