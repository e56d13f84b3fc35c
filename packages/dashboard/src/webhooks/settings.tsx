import { Group, Stack } from '@mantine/core';
import type { Webhook } from '../api/types.js';
import { DeleteWebhook } from './delete-webhook.js';
import { EnableSwitch } from './enable-switch.js';
import { VerifySnippet } from './verify-snippet.js';
import { WebhookFacts } from './webhook-facts.js';

/** The settings of a webhook, and how its receiver verifies what it gets. */
export const Settings = ({ webhook }: { readonly webhook: Webhook }) => (
  <Stack gap="lg">
    <Group justify="space-between">
      <EnableSwitch webhook={webhook} />
      <DeleteWebhook webhook={webhook} />
    </Group>
    <WebhookFacts webhook={webhook} />
    <VerifySnippet webhook={webhook} />
  </Stack>
);
