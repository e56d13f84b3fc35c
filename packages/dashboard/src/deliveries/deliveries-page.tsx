import { Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { NumbersPanel } from '../statistics/numbers-panel.js';
import { Panel } from '../ui/panel.js';
import { useTitle } from '../ui/use-title.js';
import { useWebhookUrls } from './all-webhooks.js';
import { DeliveryList } from './delivery-list.js';
import { LiveTail } from './live-tail.js';
import { NoDeliveries } from './no-deliveries.js';

const route = getRouteApi('/inside/deliveries');

/** The page of deliveries to all webhooks. */
export function DeliveriesPage() {
  useTitle('Deliveries');
  const filter = route.useSearch();
  const urls = useWebhookUrls();
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          Deliveries
        </Title>
        <Text c="var(--text-quiet)">Everything sent to your webhooks.</Text>
      </div>
      <NumbersPanel />
      <Panel aria-labelledby="tail-title">
        <Stack gap="xs">
          <Title order={2} size="h4" id="tail-title">
            Live
          </Title>
          <LiveTail urls={urls} />
        </Stack>
      </Panel>
      <Stack component="section" gap="md" aria-label="Deliveries">
        <DeliveryList filter={filter} urls={urls} empty={<NoDeliveries isEnabled />} />
      </Stack>
    </Stack>
  );
}
