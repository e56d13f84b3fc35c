import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoadProblem } from '../ui/load-problem.js';
import classes from './account.module.css';

export interface ItemListProps<T> {
  readonly query: UseQueryResult<readonly T[]>;
  /** Text for an empty list. */
  readonly empty: string;
  readonly children: (item: T) => ReactNode;
}

/** A short list of what belongs to the account. */
export function ItemList<T>({ query, empty, children }: ItemListProps<T>) {
  const { data, error, refetch } = query;
  if (error && !data) return <LoadProblem error={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) return <Text size="sm">{empty}</Text>;
  return <ul className={classes['list']}>{data.map(children)}</ul>;
}

export interface ItemProps {
  readonly title: string;
  readonly mark?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export const Item = ({ title, mark, actions, children }: ItemProps) => (
  <li className={classes['item']}>
    <div className={classes['words']}>
      <Group gap="xs">
        <Text fw={600} className={classes['name'] ?? ''}>
          {title}
        </Text>
        {mark}
      </Group>
      <Text component="div" size="sm" c="var(--text-quiet)">
        {children}
      </Text>
    </div>
    <Group gap="xs">{actions}</Group>
  </li>
);

const Loading = () => (
  <Stack aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    <Skeleton h={44} />
    <Skeleton h={44} />
  </Stack>
);
