import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { labelOfKind } from '../model/event-kinds.js';
import { type Event, latestEventsQuery } from '../model/event-queries.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { RelativeTime } from '../ui/relative-time.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import classes from './home.module.css';

/** The events that came last, each with how many webhooks get it. */
export function LatestEvents() {
  const { data, error } = useQuery(latestEventsQuery);
  return (
    <Stack component="section" gap="xs" aria-labelledby="events-title">
      <PanelTitle id="events-title">Latest events</PanelTitle>
      {error && !data && <Text role="alert">{wordsFor(error)}</Text>}
      {data?.items.length === 0 && (
        <Quiet>
          None came in the last seven days. They come when the assistant organizes your inbox,
          drafts a reply or joins a meeting.
        </Quiet>
      )}
      {data && data.items.length > 0 && (
        <>
          <ul className={classes['events']}>
            {data.items.map(({ message_id: messageId, event_type: type, ...event }) => (
              <li key={messageId}>
                <LinkAnchor to="/events/$messageId" params={{ messageId }} size="sm" fw={600}>
                  {labelOfKind(type)}
                </LinkAnchor>
                <Quiet span>{matchedWords(event)}</Quiet>
                <Quiet span>
                  <RelativeTime at={event.received_at} />
                </Quiet>
              </li>
            ))}
          </ul>
          <LinkAnchor to="/deliveries" size="sm">
            All deliveries
          </LinkAnchor>
        </>
      )}
    </Stack>
  );
}

function matchedWords({ webhooks }: Pick<Event, 'webhooks'>): string {
  const count = webhooks.filter(({ matched }) => matched).length;
  if (count === 0) return 'To no webhook';
  return `To ${count} ${count === 1 ? 'webhook' : 'webhooks'}`;
}
