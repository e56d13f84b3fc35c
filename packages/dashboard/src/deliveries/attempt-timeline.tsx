import { Stack } from '@mantine/core';
import type { DeliveryDetail } from '../api/types.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { AttemptItem } from './attempt-item.js';
import classes from './attempts.module.css';

/** The attempts in their order; the latest is unfolded. */
export function AttemptTimeline({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { attempts } = delivery;
  return (
    <Stack component="section" gap="sm" aria-labelledby="attempts-title">
      <PanelTitle id="attempts-title">Attempts</PanelTitle>
      {attempts.length === 0 ? (
        <Quiet>No attempt was made.</Quiet>
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
