import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deliveriesQuery } from '../deliveries/delivery-queries.js';
import { DeliveryTable } from '../deliveries/delivery-table.js';
import { useLiveQueries } from '../deliveries/live.js';
import { NoDeliveries } from '../deliveries/no-deliveries.js';
import { ChartPanel } from '../statistics/chart-panel.js';
import { NumbersPanel } from '../statistics/numbers-panel.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { LoadingPage } from '../ui/loading-page.js';
import { PanelTitle } from '../ui/text.js';
import { ConnectReceiver, type ConnectReceiverProps } from './connect-receiver.js';

const LATEST_MAX = 10;

/** How a webhook is doing: its numbers, attempts over time, and the latest deliveries. */
export function Overview({ webhook, secret }: Omit<ConnectReceiverProps, 'latest'>) {
  useLiveQueries();
  const [wasEmpty, setEmpty] = useState<boolean>();
  const { webhook_id: webhookId } = webhook;
  const { data, error } = useInfiniteQuery(deliveriesQuery({ webhook_id: webhookId }));
  const latest = data?.pages[0]?.items;
  if (error && !latest) return <Text role="alert">{wordsFor(error)}</Text>;
  if (!latest) return <LoadingPage />;
  if (wasEmpty === undefined) setEmpty(latest.length === 0);
  const isConnecting = webhook.enabled && (wasEmpty === true || secret !== undefined);
  const isEmpty = latest.length === 0;
  return (
    <Stack gap="lg">
      {isConnecting && <ConnectReceiver webhook={webhook} secret={secret} latest={latest} />}
      {isEmpty && !isConnecting && <NoDeliveries webhook={webhook} />}
      {!isEmpty && (
        <>
          <NumbersPanel webhook={webhook} />
          <ChartPanel webhookId={webhookId} />
          <Stack component="section" gap="xs" aria-labelledby="latest-title">
            <PanelTitle id="latest-title">Latest deliveries</PanelTitle>
            <DeliveryTable deliveries={latest.slice(0, LATEST_MAX)} />
            {latest.length > LATEST_MAX && (
              <LinkAnchor
                to="/webhooks/$webhookId"
                params={{ webhookId }}
                search={{ tab: 'deliveries' }}
                size="sm"
              >
                All deliveries
              </LinkAnchor>
            )}
          </Stack>
        </>
      )}
    </Stack>
  );
}
