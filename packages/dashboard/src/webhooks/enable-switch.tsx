import { Button, List, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { type Changes, change } from './webhook-queries.js';

/**
 * Turns sending on and off. Off asks first: what comes meanwhile is held, and enabling does not send
 * it, which pausing would.
 */
export function EnableSwitch({ webhook }: { readonly webhook: Webhook }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (changes: Changes) => change(queries, webhook.webhook_id, changes),
    onSuccess: () => setAsking(false),
  });
  const close = () => {
    setAsking(false);
    reset();
  };

  return (
    <>
      <Switch
        label="Enabled"
        checked={webhook.enabled}
        disabled={isPending}
        onChange={() => (webhook.enabled ? setAsking(true) : mutate({ enabled: true }))}
      />
      {!asking && <FormProblem error={error} fields={[]} />}
      <ConfirmDialog
        title="Disable this webhook?"
        action="Disable"
        opened={asking}
        pending={isPending}
        error={error}
        onConfirm={() => mutate({ enabled: false })}
        onClose={close}
        instead={
          webhook.status === 'active' && (
            <Button variant="default" disabled={isPending} onClick={() => mutate({ paused: true })}>
              Pause instead
            </Button>
          )
        }
      >
        <Text>Nothing is sent to {webhook.url} any more.</Text>
        <List size="sm" mt="sm" spacing="xs">
          <List.Item>
            <b>Disabled</b>: events are held. You see them here, but enabling does not send them.
          </List.Item>
          {webhook.status === 'active' && (
            <List.Item>
              <b>Paused</b>: events wait, and are sent when you resume.
            </List.Item>
          )}
        </List>
      </ConfirmDialog>
    </>
  );
}
