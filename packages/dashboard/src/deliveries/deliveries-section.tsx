import { Stack, Title, VisuallyHidden } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { FilterDrops } from '../statistics/filter-drops.js';
import { Toggle } from '../ui/toggle.js';
import { DeliveryList } from './delivery-list.js';
import { LiveTail } from './lazy-live-tail.js';
import { NoDeliveries } from './no-deliveries.js';

const route = getRouteApi('/inside/webhooks/$webhookId');

/** The deliveries of one webhook, on its page. */
export function DeliveriesSection({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: _, open, tab: __, by: ___, ...filter } = route.useSearch();
  const [isLive, setLive] = useState(false);
  return (
    <Stack component="section" gap="xs" id="deliveries" aria-labelledby="deliveries-title">
      <VisuallyHidden>
        <Title order={2} id="deliveries-title">
          Deliveries
        </Title>
      </VisuallyHidden>
      {isLive && <LiveTail key={webhook.webhook_id} webhookId={webhook.webhook_id} />}
      <DeliveryList
        filter={filter}
        webhookId={webhook.webhook_id}
        open={open}
        tools={
          <Toggle isOn={isLive} onToggle={setLive}>
            Live
          </Toggle>
        }
        empty={<NoDeliveries webhook={webhook} why={<FilterDrops webhook={webhook} />} />}
      />
    </Stack>
  );
}
