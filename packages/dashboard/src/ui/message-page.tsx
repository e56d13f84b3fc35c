import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from './text.js';

export interface MessagePageProps {
  readonly title: string;
  readonly icon?: ReactNode;
  /** Text that says what happened and what to do. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A page with one message and one action: an empty page, an error, or the last step of a flow. */
export function MessagePage({ title, icon, children, action }: MessagePageProps) {
  return (
    <Paper withBorder radius="lg" p="xl" maw={640} mx="auto" mt="xl">
      <Stack align="center" ta="center">
        {icon}
        <PageTitle size="h3">{title}</PageTitle>
        <Text component="div" c="var(--text-quiet)">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
