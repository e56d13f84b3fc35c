import { Alert, Group, Loader, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Delivery, Webhook } from '../api/types.js';
import { resultWords } from '../model/result-words.js';
import { FilterDrops } from '../statistics/filter-drops.js';
import { CopyButton } from '../ui/copy-button.js';
import { IconCircleCheckFilled, IconEyeOff } from '../ui/icons.js';
import { LinkAnchor } from '../ui/links.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { TestEventButton, TestEventDialog } from './test-event-button.js';
import { LazyReceivers } from './verify-snippet.js';
import classes from './webhooks.module.css';

export interface ConnectReceiverProps {
  readonly webhook: Webhook;
  /** The secret that was just made, which is shown here alone; undefined: it is known, or there is none. */
  readonly secret: string | undefined;
  /** The latest deliveries, the newest first. */
  readonly latest: readonly Delivery[];
}

/** Leads a new webhook to its first accepted delivery: code of a receiver, a test event, and what came of it. */
export function ConnectReceiver({ webhook, secret, latest }: ConnectReceiverProps) {
  const [testing, setTesting] = useState(false);
  return (
    <Stack component="section" gap="md" aria-labelledby="connect-title">
      <Group justify="space-between">
        <PanelTitle id="connect-title">Connect your receiver</PanelTitle>
        <TestEventButton onClick={() => setTesting(true)} />
      </Group>
      <Progress latest={latest} why={<FilterDrops webhook={webhook} />} />
      {secret === undefined ? (
        webhook.has_secret && (
          <Quiet>
            Its secret was shown once, when it was made. On{' '}
            <LinkAnchor
              to="/webhooks/$webhookId"
              params={{ webhookId: webhook.webhook_id }}
              search={{ tab: 'settings' }}
              inherit
            >
              Settings
            </LinkAnchor>{' '}
            you get a new one.
          </Quiet>
        )
      ) : (
        <Alert color="orange" icon={<IconEyeOff />}>
          <Group justify="space-between" gap="xs">
            The secret in this example is shown once. Keep it where your receiver finds it.
            <CopyButton wide text={secret} label="Copy secret" />
          </Group>
        </Alert>
      )}
      <LazyReceivers secret={secret} />
      <TestEventDialog webhook={webhook} opened={testing} onClose={() => setTesting(false)} />
    </Stack>
  );
}

interface ProgressProps extends Pick<ConnectReceiverProps, 'latest'> {
  /** Explanation why nothing is sent, if there is one. */
  readonly why: ReactNode;
}

function Progress({ latest, why }: ProgressProps) {
  const isAccepted = latest.some(({ status }) => status === 'succeeded');
  const refused = latest.find(({ reason }) => reason !== null)?.reason;
  return (
    <div role="status" className={classes['progress']} data-done={isAccepted || undefined}>
      {isAccepted ? (
        <IconCircleCheckFilled size={22} aria-hidden />
      ) : (
        <Loader size="xs" aria-hidden />
      )}
      <Text size="sm">
        {isAccepted
          ? 'Your receiver answered 2xx: it is connected.'
          : `Waiting for the first 2xx… ${refused ? resultWords(refused).long : ''}`}{' '}
        {latest.length === 0 && why}
      </Text>
    </div>
  );
}
