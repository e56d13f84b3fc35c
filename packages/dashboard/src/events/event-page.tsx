import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../api/problem.js';
import { deliveryQuery } from '../deliveries/delivery-queries.js';
import { DeliveryTable } from '../deliveries/delivery-table.js';
import { byUrgency } from '../deliveries/event-groups.js';
import { useLiveQueries } from '../deliveries/live.js';
import { RequestBody } from '../deliveries/request-body.js';
import { useWebhookUrls } from '../model/all-webhooks.js';
import { labelOfKind } from '../model/event-kinds.js';
import { type Event, eventQuery, isTest } from '../model/event-queries.js';
import { BackLink } from '../ui/back-link.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { IconClockOff } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { MessagePage } from '../ui/message-page.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PageTitle, PanelTitle, Quiet } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { SendEvent } from './send-event.js';
import { WebhookVerdicts } from './webhook-verdicts.js';

const route = getRouteApi('/inside/events/$messageId');

/** The page of one event: which webhooks it matched, why the others didn't, and the deliveries that came of it. */
export function EventPage() {
  const { messageId } = route.useParams();
  useLiveQueries();
  const { data: event, error, refetch } = useQuery(eventQuery(messageId));
  const urls = useWebhookUrls();
  useTitle(event ? labelOfKind(event.event_type) : 'Event');
  if (isNotFound(error)) return <Unknown messageId={messageId} />;
  if (error && !event) return <LoadProblem error={error} again={() => void refetch()} />;
  if (!event) return <LoadingPage />;

  return (
    <Stack gap="lg">
      <BackLink to="/deliveries">Deliveries</BackLink>
      <Group justify="space-between">
        <Group gap="sm">
          <PageTitle>{labelOfKind(event.event_type)}</PageTitle>
          {isTest(event) && <StatusBadge tone="neutral">Test event</StatusBadge>}
        </Group>
        {event.deliveries.length > 0 && <SendEvent event={event} urls={urls} />}
      </Group>
      <Facts facts={factsOf(event)} />
      <Panel aria-labelledby="webhooks-title">
        <PanelTitle id="webhooks-title">Webhooks</PanelTitle>
        {event.deliveries.length === 0 ? (
          <Quiet>This event was not sent to any webhook.</Quiet>
        ) : (
          <DeliveryTable
            deliveries={event.deliveries.toSorted(byUrgency)}
            urls={urls ?? NO_URLS}
            isOfEvent
          />
        )}
        <WebhookVerdicts event={event} urls={urls} />
      </Panel>
      <Payload event={event} />
    </Stack>
  );
}

const NO_URLS: ReadonlyMap<string, string> = new Map();

/** An event is not kept by itself, but in what its deliveries send: all alike but for the id of the webhook. */
function Payload({ event: { deliveries } }: { readonly event: Event }) {
  const delivery = deliveries.find(({ payload_expunged_at: at }) => at === null) ?? deliveries[0];
  const { data } = useQuery({
    ...deliveryQuery(delivery?.webhook_id ?? '', delivery?.delivery_id ?? ''),
    enabled: delivery !== undefined,
  });
  if (delivery === undefined) return <NotKept />;
  return data ? <RequestBody title="Payload" body={data.request_body} /> : null;
}

const NotKept = () => (
  <Panel aria-labelledby="body-title">
    <PanelTitle id="body-title">Payload</PanelTitle>
    <Quiet>
      Not kept: the data of an event is kept only with what was sent to webhooks, and there is none
      of this event. So it can’t be shown, or sent to a webhook from here.
    </Quiet>
  </Panel>
);

const Unknown = ({ messageId }: { readonly messageId: string }) => (
  <MessagePage
    title="This event is no longer available"
    icon={<IconClockOff size={40} stroke={1.4} aria-hidden />}
    action={
      <LinkButton to="/deliveries" search={{ message_id: messageId }}>
        Find its deliveries
      </LinkButton>
    }
  >
    Events are kept for seven days, their deliveries for longer.
  </MessagePage>
);

function factsOf(event: Event): readonly Fact[] {
  const { repeats, last_repeat_at: lastRepeat } = event;
  return [
    { term: 'Kind of event', value: <code>{event.event_type}</code> },
    { term: 'Received', value: <RelativeTime at={event.received_at} /> },
    {
      term: 'Duplicates dropped',
      value: lastRepeat ? (
        <>
          {repeats}, the last <RelativeTime at={lastRepeat} />
        </>
      ) : (
        'None'
      ),
    },
    { term: 'Source', value: <code>{event.source}</code>, wide: true },
    {
      term: 'Message ID (webhook-id)',
      wide: true,
      value: <CopyableId id={event.message_id} label="Copy message ID" />,
    },
    {
      term: 'ID at the source',
      wide: true,
      value: <CopyableId id={event.id} label="Copy ID at the source" />,
    },
  ];
}
