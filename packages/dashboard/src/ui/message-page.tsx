import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface MessagePageProps {
  readonly title: string;
  readonly icon?: ReactNode;
  /** What happened, and what to do. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** One thing to say, and one thing to do: empty pages, errors, the end of a way. */
export function MessagePage({ title, icon, children, action }: MessagePageProps) {
  return (
    <Paper withBorder radius="lg" p="xl" maw={640} mx="auto" mt="xl">
      <Stack align="center" ta="center">
        {icon}
        <Title order={1} size="h3">
          {title}
        </Title>
        <Text component="div" c="var(--text-quiet)">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
