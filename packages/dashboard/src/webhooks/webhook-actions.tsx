import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../model/webhook-queries.js';
import { FormProblem } from '../ui/form-problem.js';
import { IconPlayerPause, IconPlayerPlay } from '../ui/icons.js';
import { EnableButton, type EnableButtonProps } from './enable-switch.js';
import { ReplayButton } from './replay/replay-button.js';
import { TestEventButton, TestEventDialog } from './test-event-button.js';
import classes from './webhooks.module.css';

export function WebhookActions({ webhook, held }: EnableButtonProps) {
  const queries = useQueryClient();
  const { webhook_id: webhookId, status, paused_by: pausedBy } = webhook;
  const pause = useMutation({
    mutationFn: (paused: boolean) => change(queries, webhookId, { paused }),
  });
  const [testing, setTesting] = useState(false);
  const isPaused = status === 'paused';
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;

  return (
    <>
      <div className={classes['actions']}>
        <EnableButton webhook={webhook} held={held} />
        {webhook.enabled && (
          <>
            <TestEventButton onClick={() => setTesting(true)} />
            <ReplayButton webhook={webhook} />
          </>
        )}
        {status !== 'disabled' && pausedBy !== 'operator' && (
          <Button
            variant="default"
            leftSection={<Icon size={16} aria-hidden />}
            loading={pause.isPending}
            onClick={() => pause.mutate(!isPaused)}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
        )}
      </div>
      <FormProblem error={pause.error} fields={[]} />
      <TestEventDialog webhook={webhook} opened={testing} onClose={() => setTesting(false)} />
    </>
  );
}
