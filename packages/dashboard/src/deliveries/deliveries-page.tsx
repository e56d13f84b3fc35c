import { Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { NumbersPanel } from '../statistics/numbers-panel.js';
import { Panel } from '../ui/panel.js';
import { PageTitle, PanelTitle } from '../ui/text.js';
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
        <PageTitle>Deliveries</PageTitle>
        <Text c="var(--text-quiet)">Everything sent to your webhooks.</Text>
      </div>
      <NumbersPanel />
      <Panel aria-labelledby="tail-title">
        <Stack gap="xs">
          <PanelTitle id="tail-title">Live</PanelTitle>
          <LiveTail urls={urls} />
        </Stack>
      </Panel>
      <Stack component="section" gap="md" id="deliveries" aria-label="Deliveries">
        <DeliveryList filter={filter} urls={urls} empty={<NoDeliveries isEnabled />} />
      </Stack>
    </Stack>
  );
}
