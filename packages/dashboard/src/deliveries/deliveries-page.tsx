import { Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useWebhookUrls } from '../model/all-webhooks.js';
import { ChartPanel } from '../statistics/chart-panel.js';
import { NumbersPanel } from '../statistics/numbers-panel.js';
import { PageTitle } from '../ui/text.js';
import { Toggle } from '../ui/toggle.js';
import { useTitle } from '../ui/use-title.js';
import { DeliveryList } from './delivery-list.js';
import { LiveTail } from './lazy-live-tail.js';
import { NoDeliveries } from './no-deliveries.js';

const route = getRouteApi('/inside/deliveries');

/** The page of deliveries to all webhooks. */
export function DeliveriesPage() {
  useTitle('Deliveries');
  const { open, by, ...filter } = route.useSearch();
  const urls = useWebhookUrls();
  const [hasChart, setChart] = useState(false);
  const [isLive, setLive] = useState(false);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <PageTitle>Deliveries</PageTitle>
        <Group gap="xs">
          <Toggle isOn={hasChart} onToggle={setChart}>
            Chart
          </Toggle>
          <Toggle isOn={isLive} onToggle={setLive}>
            Live
          </Toggle>
        </Group>
      </Group>
      <NumbersPanel />
      {hasChart && <ChartPanel />}
      {isLive && <LiveTail urls={urls} />}
      <Stack component="section" gap="xs" id="deliveries" aria-label="Deliveries">
        <DeliveryList filter={filter} urls={urls} open={open} by={by} empty={<NoDeliveries />} />
      </Stack>
    </Stack>
  );
}
