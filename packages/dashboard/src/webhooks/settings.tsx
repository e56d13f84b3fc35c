import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { eventTypesQuery } from '../model/event-queries.js';
import { wordsFor } from '../ui/form-problem.js';
import { DeleteWebhook } from './delete-webhook.js';
import { EditSection, type EditSectionProps } from './edit-section.js';
import { EnableSwitch } from './enable-switch.js';
import { VerifySnippet } from './verify-snippet.js';
import { WebhookFacts } from './webhook-facts.js';

const SECTIONS: readonly Pick<EditSectionProps, 'title' | 'parts'>[] = [
  { title: 'Address and description', parts: ['url', 'description'] },
  { title: 'Kinds of events', parts: ['events'] },
  { title: 'Filter', parts: ['filter'] },
  { title: 'Secret and signature', parts: ['signing'] },
  { title: 'Order, rate and retries', parts: ['sending'] },
  { title: 'Headers', parts: ['headers'] },
  { title: 'Metadata', parts: ['metadata'] },
];

/** The settings of a webhook, each group saved alone, and how its receiver verifies what it gets. */
export function Settings({ webhook }: { readonly webhook: Webhook }) {
  const { data, error } = useQuery(eventTypesQuery);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <EnableSwitch webhook={webhook} />
        <DeleteWebhook webhook={webhook} />
      </Group>
      <WebhookFacts webhook={webhook} />
      <div>
        {error && !data && <Text role="alert">{wordsFor(error)}</Text>}
        {!data && !error && <Skeleton h={320} />}
        {data &&
          SECTIONS.map((section) => (
            <EditSection
              key={`${webhook.webhook_id} ${section.title}`}
              {...section}
              webhook={webhook}
              catalogue={data.items}
            />
          ))}
        <VerifySnippet webhook={webhook} />
      </div>
    </Stack>
  );
}
