import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Delivery } from '../api/types.js';
import { wordsFor } from '../ui/form-problem.js';
import { IconRefresh } from '../ui/icons.js';
import classes from './deliveries.module.css';
import { redeliverAll } from './delivery-queries.js';
import type { Choice } from './use-choice.js';

export interface ResendBarProps {
  readonly deliveries: readonly Delivery[];
  readonly choice: Choice;
}

/** Sends what is chosen again, and says what came of it. What was not sent stays chosen. */
export function ResendBar({ deliveries, choice }: ResendBarProps) {
  const queries = useQueryClient();
  const chosen = deliveries.filter(({ delivery_id: id }) => choice.has(id));
  const { mutate, isPending, data, reset } = useMutation({
    mutationFn: () => redeliverAll(queries, chosen),
    onSuccess: (refusals) => choice.set([...refusals.keys()]),
  });
  const refusals = [...new Set([...(data?.values() ?? [])].map(wordsFor))];
  if (chosen.length === 0 && !data) return null;
  return (
    <div className={classes['resend']} role="region" aria-label="Chosen deliveries">
      <Group gap="xs">
        {chosen.length > 0 && (
          <Button
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={isPending}
            onClick={() => mutate()}
          >
            Resend {chosen.length}
          </Button>
        )}
        <Button
          size="xs"
          variant="subtle"
          onClick={() => {
            choice.set([]);
            reset();
          }}
        >
          {chosen.length > 0 ? 'Choose none' : 'Close'}
        </Button>
      </Group>
      <Text size="sm" role="status">
        {data && (refusals.length === 0 ? 'All were sent again.' : notSent(data.size, refusals))}
      </Text>
    </div>
  );
}

const notSent = (count: number, refusals: readonly string[]): string =>
  `${count} ${count === 1 ? 'was' : 'were'} not sent again. ${refusals.join(' ')}`;
