import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { labelOfKind } from '../model/event-kinds.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { Breakable } from '../ui/breakable.js';
import { IconPlayerPause, IconPlayerPlay } from '../ui/icons.js';
import { LinkAnchor } from '../ui/links.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import { addressOf } from '../ui/url-parts.js';
import { type LiveAttempt, useTail } from './live.js';
import classes from './live-tail.module.css';

export interface LiveTailProps {
  /** The webhook whose attempts are shown; absent: those of all webhooks. */
  readonly webhookId?: string;
  /** URL of each webhook; given when the tail covers all webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
}

/** Attempts as they are made. Screen readers don't announce each attempt: a busy tail would never be silent. */
export function LiveTail({ webhookId, urls }: LiveTailProps) {
  const [isPaused, setPaused] = useState(false);
  const { attempts, missed } = useTail(isPaused, webhookId);
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Quiet role="status">{stateInWords(isPaused, missed, attempts.length)}</Quiet>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {isPaused ? 'Resume live view' : 'Pause live view'}
        </Button>
      </Group>
      {attempts.length > 0 && (
        <div
          className={classes['tail']}
          role="log"
          aria-live="off"
          aria-label="Latest attempts"
          tabIndex={0}
        >
          <ol>
            {attempts.map((attempt) => (
              <Line
                key={`${attempt.delivery_id}/${attempt.attempt}`}
                attempt={attempt}
                url={urls?.get(attempt.webhook_id)}
              />
            ))}
          </ol>
        </div>
      )}
    </Stack>
  );
}

function stateInWords(isPaused: boolean, missed: number, shown: number): string {
  if (isPaused) return missed === 0 ? 'Paused.' : `Paused. ${missed} more since then.`;
  return shown === 0 ? 'New attempts appear here as they happen.' : 'Newest attempts first.';
}

interface LineProps {
  readonly attempt: LiveAttempt;
  readonly url: string | undefined;
}

function Line({ attempt, url }: LineProps) {
  const { webhook_id: webhookId, delivery_id: deliveryId, result } = attempt;
  const status = attempt.response_status;
  const isGood = result === 'succeeded';
  return (
    <li data-outcome={isGood ? 'good' : 'bad'}>
      <LinkAnchor
        to="/webhooks/$webhookId/deliveries/$deliveryId"
        params={{ webhookId, deliveryId }}
        size="sm"
      >
        {labelOfKind(attempt.event_type)}
      </LinkAnchor>
      <span className={classes['outcome']}>
        {isGood && status !== null ? httpStatus(status) : resultWords(result).short}
      </span>
      <span className={classes['quiet']}>
        {url && <Breakable>{`${addressOf({ url })} · `}</Breakable>}
        attempt {attempt.attempt} · {durationWords(attempt.total_ms)} ·{' '}
        <RelativeTime at={attempt.at} />
      </span>
    </li>
  );
}
