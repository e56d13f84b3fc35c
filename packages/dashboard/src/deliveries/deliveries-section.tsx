import { Stack, Title } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Webhook } from '../api/types.js';
import { FilterDrops } from '../statistics/filter-drops.js';
import { Disclosure } from '../ui/disclosure.js';
import { TestEventButton, TestEventDialog } from '../webhooks/test-event-button.js';
import classes from './deliveries.module.css';
import { DeliveryList } from './delivery-list.js';
import { LiveTail } from './live-tail.js';
import { NoDeliveries } from './no-deliveries.js';

const route = getRouteApi('/inside/webhooks/$webhookId');

/** The deliveries of one webhook, on its page. */
export function DeliveriesSection({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: _, ...filter } = route.useSearch();
  const section = useScrollOnArrival();
  const [testing, setTesting] = useState(false);
  return (
    <Stack
      component="section"
      gap="md"
      className={classes['section'] ?? ''}
      ref={section}
      id="deliveries"
      aria-labelledby="deliveries-title"
    >
      <Title order={2} size="h3" id="deliveries-title">
        Deliveries
      </Title>
      <Disclosure summary="Live attempts">
        <LiveTail key={webhook.webhook_id} webhookId={webhook.webhook_id} />
      </Disclosure>
      <DeliveryList
        filter={filter}
        webhookId={webhook.webhook_id}
        empty={
          <NoDeliveries
            isEnabled={webhook.enabled}
            why={<FilterDrops webhook={webhook} hours={24} />}
            action={
              webhook.enabled && (
                <TestEventButton variant="filled" onClick={() => setTesting(true)} />
              )
            }
          />
        }
      />
      <TestEventDialog webhook={webhook} opened={testing} onClose={() => setTesting(false)} />
    </Stack>
  );
}

/** The page's own scrolling comes too early: what the address names is not there before it is loaded. */
function useScrollOnArrival() {
  const section = useRef<HTMLDivElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === 'deliveries') section.current?.scrollIntoView();
  }, [hash]);
  return section;
}
