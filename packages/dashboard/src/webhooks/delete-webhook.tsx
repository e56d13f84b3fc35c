import { Button, List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { remove } from '../model/webhook-queries.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { IconTrash } from '../ui/icons.js';
import { WebhookUrl } from '../ui/webhook-url.js';
import { KindsInWords } from './kinds-in-words.js';

export function DeleteWebhook({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: webhookId, url, events } = webhook;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const removal = useMutation({
    mutationFn: () => remove(queries, webhookId),
    onSuccess: () => navigate({ to: '/webhooks', replace: true }),
  });

  return (
    <>
      <Button
        variant="subtle"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        title="Delete this webhook?"
        action="Delete webhook"
        opened={asking}
        mutation={removal}
        onConfirm={removal.mutate}
        onClose={() => setAsking(false)}
      >
        <WebhookUrl url={url} />
        <List size="sm" mt="sm" spacing="xs">
          <List.Item>
            <KindsInWords events={events} />: are no longer sent there.
          </List.Item>
          <List.Item>Deliveries that wait for an attempt are cancelled.</List.Item>
          <List.Item>Its past deliveries can no longer be seen.</List.Item>
        </List>
        <Text size="sm" mt="sm">
          This cannot be undone. To stop for a while, disable or pause it.
        </Text>
      </ConfirmDialog>
    </>
  );
}
