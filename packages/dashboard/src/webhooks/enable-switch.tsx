import { Button, type ButtonProps, Switch, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookChanges } from '../api/types.js';
import { change } from '../model/webhook-queries.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { IconPlayerPlay } from '../ui/icons.js';
import { WebhookUrl } from '../ui/webhook-url.js';
import { HeldOffer } from './replay/held-offer.js';

/** Changes whether a webhook is enabled, and offers to send what was held once it is. */
function useEnabling(webhook: Webhook, onDone?: () => void) {
  const queries = useQueryClient();
  const [enabledAt, setEnabledAt] = useState<Date>();
  const changing = useMutation({
    mutationFn: (changes: WebhookChanges) => change(queries, webhook.webhook_id, changes),
    onSuccess: (_, { enabled }) => {
      onDone?.();
      setEnabledAt(enabled === true ? new Date() : undefined);
    },
  });
  const offer = enabledAt && webhook.enabled && (
    <HeldOffer key={enabledAt.getTime()} webhook={webhook} enabledAt={enabledAt} />
  );
  return { changing, offer };
}

export interface EnableButtonProps extends ButtonProps {
  readonly webhook: Webhook;
  /** Deliveries that are held; undefined while that is not known. */
  readonly held?: number | undefined;
}

/** Enables a disabled webhook, and says how many deliveries it holds. */
export function EnableButton({ webhook, held = 0, ...button }: EnableButtonProps) {
  const { changing, offer } = useEnabling(webhook);
  return (
    <>
      {!webhook.enabled && webhook.disabled_reason !== 'operator' && (
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={changing.isPending}
          onClick={() => changing.mutate({ enabled: true })}
          {...button}
        >
          Enable{held > 0 && ` (${held.toLocaleString('en')} held)`}
        </Button>
      )}
      <FormProblem error={changing.error} fields={[]} />
      {offer}
    </>
  );
}

/**
 * Turns sending on and off. Off asks first: what comes meanwhile is held, and enabling alone does not send it, which
 * resuming would. So enabling offers to.
 */
export function EnableSwitch({ webhook }: { readonly webhook: Webhook }) {
  const [asking, setAsking] = useState(false);
  const { changing, offer } = useEnabling(webhook, () => setAsking(false));
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
      {offer}
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
