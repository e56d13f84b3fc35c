import { Stack, Text, Title } from '@mantine/core';
import type { DeliveryDetail } from '../api/types.js';
import { AttemptItem } from './attempt-item.js';
import classes from './attempts.module.css';

/** The attempts in their order; the latest is unfolded. */
export function AttemptTimeline({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { attempts } = delivery;
  return (
    <Stack component="section" gap="sm" aria-labelledby="attempts-title">
      <Title order={2} size="h4" id="attempts-title">
        Attempts
      </Title>
      {attempts.length === 0 ? (
        <Text size="sm" c="var(--text-quiet)">
          No attempt was made.
        </Text>
      ) : (
        <ol className={classes['timeline']}>
          {attempts.map((attempt, index) => (
            <AttemptItem
              key={attempt.attempt}
              attempt={attempt}
              body={delivery.request_body}
              isLatest={index === attempts.length - 1}
            />
          ))}
        </ol>
      )}
    </Stack>
  );
}
