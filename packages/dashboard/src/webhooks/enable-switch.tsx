import { Button, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookChanges } from '../api/types.js';
import { change } from '../model/webhook-queries.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { WebhookUrl } from '../ui/webhook-url.js';
import { HeldOffer } from './replay/held-offer.js';

/**
 * Turns sending on and off. Off asks first: what comes meanwhile is held, and enabling alone does not send it, which
 * resuming would. So enabling offers to.
 */
export function EnableSwitch({ webhook }: { readonly webhook: Webhook }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [enabledAt, setEnabledAt] = useState<Date>();
  const changing = useMutation({
    mutationFn: (changes: WebhookChanges) => change(queries, webhook.webhook_id, changes),
    onSuccess: (_, { enabled }) => {
      setAsking(false);
      setEnabledAt(enabled === true ? new Date() : undefined);
    },
  });
  const { mutate, isPending, error } = changing;

  return (
    <>
      <Switch
        label="Enabled"
        checked={webhook.enabled}
        disabled={isPending}
        onChange={() => (webhook.enabled ? setAsking(true) : mutate({ enabled: true }))}
      />
      {!asking && <FormProblem error={error} fields={[]} />}
      {enabledAt && webhook.enabled && (
        <HeldOffer key={enabledAt.getTime()} webhook={webhook} enabledAt={enabledAt} />
      )}
      <ConfirmDialog
        title="Disable this webhook?"
        action="Disable"
        opened={asking}
        mutation={changing}
        onConfirm={() => mutate({ enabled: false })}
        onClose={() => setAsking(false)}
        instead={
          webhook.status === 'active' && (
            <Button variant="default" disabled={isPending} onClick={() => mutate({ paused: true })}>
              Pause instead
            </Button>
          )
        }
      >
        <WebhookUrl url={webhook.url} />
        <Text size="sm" mt="sm">
          While it is disabled, nothing is sent there. New events, and those still waiting, are
          held: you see them in the list of deliveries, and when you enable the webhook again you
          choose whether to send them.
        </Text>
        {webhook.status === 'active' && (
          <Text size="sm" mt="sm">
            To have everything sent later, pause the webhook instead.
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}
