import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { BackLink } from '../ui/back-link.js';
import { DeliveryDetails } from './delivery-details.js';
import { useLiveQueries } from './live.js';

const route = getRouteApi('/inside/webhooks/$webhookId/deliveries/$deliveryId');

export function DeliveryPage() {
  const { webhookId, deliveryId } = route.useParams();
  useLiveQueries();
  return (
    <Stack gap="md">
      <BackLink to="/webhooks/$webhookId" params={{ webhookId }} search={{ tab: 'deliveries' }}>
        All deliveries of this webhook
      </BackLink>
      <DeliveryDetails webhookId={webhookId} deliveryId={deliveryId} />
    </Stack>
  );
}
