import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';
import { PanelTitle } from './text.js';

export interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** Text that says what will stand here, and how to get it. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** The message in place of an empty list. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <Stack align="center" ta="center" gap="sm" maw={520} mx="auto">
        <div className={classes['icon']}>{icon}</div>
        <PanelTitle>{title}</PanelTitle>
        <Text component="div" c="var(--text-quiet)">
          {children}
        </Text>
        {action}
      </Stack>
    </div>
  );
}
