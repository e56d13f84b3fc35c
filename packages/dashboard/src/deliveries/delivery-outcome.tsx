import { Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Attempt, DeliveryDetail } from '../api/types.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { CodeBlock } from '../ui/code-block.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { durationWords } from '../ui/relative-words.js';
import { StatusBadge } from '../ui/status-badge.js';
import classes from './delivery-outcome.module.css';
import { deliveryQuery } from './delivery-queries.js';
import { deliveryWords, STATUS_LABELS, STATUS_TONES } from './delivery-words.js';
import { NextAttempt } from './next-attempt.js';

const UNTIL_ANSWERED_MS = 500;

export interface DeliveryOutcomeProps {
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Number of the attempt that was requested; absent: the first. */
  readonly attempt?: number;
}

/** The progress of an attempt that was just requested: shows the receiver's answer as soon as it is known. */
export function DeliveryOutcome({ webhookId, deliveryId, attempt = 1 }: DeliveryOutcomeProps) {
  const query = deliveryQuery(webhookId, deliveryId);
  const { data: delivery, error } = useQuery({
    ...query,
    refetchInterval: ({ state: { data } }) => (isMade(attempt, data) ? false : UNTIL_ANSWERED_MS),
  });
  return (
    <div className={classes['outcome']} role="status">
      {error && !delivery && <Text size="sm">{wordsFor(error)}</Text>}
      {!delivery && !error && <Waiting>On its way …</Waiting>}
      {delivery && <Told delivery={delivery} isAwaited={!isMade(attempt, delivery)} />}
    </div>
  );
}

const isMade = (attempt: number, delivery: DeliveryDetail | undefined): boolean =>
  delivery?.attempts.some((made) => made.attempt >= attempt) === true;

interface ToldProps {
  readonly delivery: DeliveryDetail;
  readonly isAwaited: boolean;
}

function Told({ delivery, isAwaited }: ToldProps) {
  const { webhook_id: webhookId, delivery_id: deliveryId, status } = delivery;
  const attempt = isAwaited ? undefined : delivery.attempts.at(-1);
  const isWaiting = status === 'pending' || status === 'retrying';
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
        {attempt && <Text size="sm">{answerWords(attempt)}</Text>}
      </Group>
      {isAwaited && isWaiting && delivery.next_attempt_at !== null ? (
        <Waiting>Waiting for the receiver to answer …</Waiting>
      ) : (
        <Text size="sm">{deliveryWords(delivery)}</Text>
      )}
      <NextAttempt delivery={delivery} />
      {attempt?.response_sample && (
        <CodeBlock wrap label="What the receiver answered">
          {attempt.response_sample}
        </CodeBlock>
      )}
      <LinkAnchor
        to="/webhooks/$webhookId/deliveries/$deliveryId"
        params={{ webhookId, deliveryId }}
        size="sm"
      >
        See the delivery
      </LinkAnchor>
    </Stack>
  );
}

/** `200 OK in 35 ms`. */
function answerWords({ response_status: status, result, timing }: Attempt): string {
  const answer = status === null ? resultWords(result).short : httpStatus(status);
  return `${answer} ${status === null ? 'after' : 'in'} ${durationWords(timing.total_ms)}`;
}

const Waiting = ({ children }: { readonly children: string }) => (
  <Group gap="sm">
    <Loader size="xs" aria-hidden />
    <Text size="sm">{children}</Text>
  </Group>
);
