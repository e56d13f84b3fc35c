import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { chunk } from '../api/chunk.js';
import { isNotFound } from '../api/problem.js';
import type { DeliveryDetail, Webhook } from '../api/types.js';
import { labelOfKind } from '../model/event-kinds.js';
import { type Event, eventQuery } from '../model/event-queries.js';
import { webhookQuery } from '../model/webhook-queries.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { LinkAnchor } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { WebhookUrl } from '../ui/webhook-url.js';
import { AttemptTimeline } from './attempt-timeline.js';
import { DeliveryActions } from './delivery-actions.js';
import { deliveryQuery } from './delivery-queries.js';
import { deliveryWords, marksOf, STATUS_LABELS, STATUS_TONES } from './delivery-words.js';
import { madeAtMs } from './filter.js';
import { NextAttempt } from './next-attempt.js';
import { RequestBody } from './request-body.js';

const AttemptComparison = lazy(
  chunk(async () => ({ default: (await import('./attempt-comparison.js')).AttemptComparison })),
);

export interface DeliveryDetailsProps {
  readonly webhookId: string;
  readonly deliveryId: string;
  /** True beside a list, whose page has a title already. */
  readonly isBeside?: boolean;
}

/** A delivery with what was sent and what came back, and with what can be done now. */
export function DeliveryDetails({ webhookId, deliveryId, isBeside = false }: DeliveryDetailsProps) {
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(webhookId, deliveryId));
  const { data: webhook } = useQuery(webhookQuery(webhookId));
  const { data: event } = useQuery({
    ...eventQuery(delivery?.message_id ?? ''),
    enabled: delivery !== undefined,
  });
  if (error && (!delivery || isNotFound(error)))
    return <LoadProblem error={error} again={() => void refetch()} />;
  if (!delivery) return <LoadingPage />;

  return (
    <Stack gap="lg">
      {!isBeside && <Titled type={delivery.event_type} />}
      <Head delivery={delivery} isBeside={isBeside} />
      {webhook && <DeliveryActions key={deliveryId} delivery={delivery} webhook={webhook} />}
      <Facts facts={factsOf(delivery, webhook, event)} />
      <AttemptTimeline delivery={delivery} />
      {delivery.attempts.length > 1 && (
        <Suspense>
          <AttemptComparison attempts={delivery.attempts} />
        </Suspense>
      )}
      {delivery.attempts.length === 0 && <RequestBody body={delivery.request_body} />}
    </Stack>
  );
}

function Titled({ type }: { readonly type: string }) {
  useTitle(labelOfKind(type));
  return null;
}

interface HeadProps {
  readonly delivery: DeliveryDetail;
  readonly isBeside: boolean;
}

function Head({ delivery, isBeside }: HeadProps) {
  const { status, event_type: type } = delivery;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <PageTitle order={isBeside ? 2 : 1} size={isBeside ? 'h3' : 'h2'}>
          {labelOfKind(type)}
        </PageTitle>
        <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
        {marksOf(delivery).map((mark) => (
          <StatusBadge key={mark} tone="neutral">
            {mark}
          </StatusBadge>
        ))}
      </Group>
      <div role="status">
        <Text>{deliveryWords(delivery)}</Text>
      </div>
      <NextAttempt delivery={delivery} />
    </Stack>
  );
}

function factsOf(
  delivery: DeliveryDetail,
  webhook: Webhook | undefined,
  event: Event | undefined,
): readonly Fact[] {
  const { ended_at: ended, redelivery_of: originalId } = delivery;
  const repeats = event?.deliveries.filter(({ redelivery_of: of }) => of === delivery.delivery_id);
  return [
    { term: 'Kind of event', value: <code>{delivery.event_type}</code> },
    { term: 'Created', value: <RelativeTime at={delivery.created_at} /> },
    ...(ended ? [{ term: 'Ended', value: <RelativeTime at={ended} /> }] : []),
    ...(webhook ? [{ term: 'Webhook', value: <WebhookLink webhook={webhook} />, wide: true }] : []),
    {
      term: 'Event',
      value: (
        <LinkAnchor to="/events/$messageId" params={{ messageId: delivery.message_id }} size="sm">
          See the event
        </LinkAnchor>
      ),
    },
    ...(originalId
      ? [{ term: 'Resend of', value: <DeliveryLink {...delivery} delivery_id={originalId} /> }]
      : []),
    ...(repeats?.length
      ? [
          {
            term: 'Resent as',
            value: repeats.map((one) => <DeliveryLink key={one.delivery_id} {...one} />),
          },
        ]
      : []),
    ...(delivery.operation_id
      ? [
          {
            term: 'Sent by replay',
            wide: true,
            value: <CopyableId id={delivery.operation_id} label="Copy replay ID" />,
          },
        ]
      : []),
    {
      term: 'Delivery ID',
      wide: true,
      value: <CopyableId id={delivery.delivery_id} label="Copy delivery ID" />,
    },
    {
      term: 'Message ID (webhook-id)',
      wide: true,
      value: <CopyableId id={delivery.message_id} label="Copy message ID" />,
    },
  ];
}

const WebhookLink = ({
  webhook: { webhook_id: webhookId, url },
}: {
  readonly webhook: Webhook;
}) => (
  <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} size="sm">
    <WebhookUrl url={url} />
  </LinkAnchor>
);

/** The ids of deliveries say when they were made. */
const DeliveryLink = ({
  webhook_id: webhookId,
  delivery_id: deliveryId,
}: Pick<DeliveryDetail, 'webhook_id' | 'delivery_id'>) => (
  <div>
    <LinkAnchor
      to="/webhooks/$webhookId/deliveries/$deliveryId"
      params={{ webhookId, deliveryId }}
      size="sm"
    >
      Delivery created <RelativeTime at={new Date(madeAtMs(deliveryId)).toISOString()} />
    </LinkAnchor>
  </div>
);
