import { Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.js';
import { fieldErrors } from '../../api/problem.js';
import type { Answer } from '../../api/types.js';
import { labelOfKind } from '../../model/event-kinds.js';
import { wordsFor } from '../../ui/form-problem.js';
import { LinkAnchor } from '../../ui/links.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { Quiet } from '../../ui/text.js';
import type { Filter } from './filter-rows.js';
import classes from './form.module.css';
import { formProblems } from './form-problems.js';

const TYPING_MS = 400;
/** A condition whose field is still to be named. */
const BEGUN = /"path":\s*""/;

type Tried = Answer<'/api/webhooks/filter-preview', 'post'>['items'];

const previewQuery = (filter: string, events: readonly string[]) =>
  queryOptions({
    queryKey: ['filter-preview', filter, events],
    gcTime: 0, // events come meanwhile
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Tried> => {
      const body = { filter: JSON.parse(filter) as Filter, events };
      const { items } = await call('post', '/api/webhooks/filter-preview', { body, signal });
      return items;
    },
  });

export interface FilterPreviewProps {
  readonly filter: string;
  readonly events: readonly string[];
}

/** The latest events, with whether the typed filter lets each of them through. */
export function FilterPreview(props: FilterPreviewProps) {
  const [{ filter, events }] = useDebouncedValue(props, TYPING_MS);
  const isAsked =
    filter.trim() !== '' &&
    !BEGUN.test(filter) &&
    formProblems.filter(filter) === null &&
    events.length > 0;
  const { data, error } = useQuery({ ...previewQuery(filter, events), enabled: isAsked });
  if (!isAsked) return null;
  return (
    <Stack gap="xs" role="status">
      {error && <Quiet>Not checked yet: {fieldErrors(error)['filter'] ?? wordsFor(error)}</Quiet>}
      {!error && data && <Told tried={data} />}
    </Stack>
  );
}

function Told({ tried }: { readonly tried: Tried }) {
  const passing = tried.filter(({ passes }) => passes).length;
  return (
    <>
      <Text size="sm" fw={500}>
        {passing} of {tried.length} would be sent:
      </Text>
      <ul className={classes['tried']}>
        {tried.map(({ message_id: messageId, event_type: type, received_at: at, passes }) => (
          <li key={messageId ?? type}>
            <StatusBadge tone={passes ? 'good' : 'neutral'}>
              {passes ? 'Sent' : 'Not sent'}
            </StatusBadge>
            <Group gap="xs">
              <Text size="sm">{labelOfKind(type)}</Text>
              {messageId !== null && at !== null ? (
                <LinkAnchor
                  to="/events/$messageId"
                  params={{ messageId }}
                  target="_blank"
                  size="sm"
                >
                  <RelativeTime at={at} />
                  <VisuallyHidden> (in a new tab)</VisuallyHidden>
                </LinkAnchor>
              ) : (
                <Quiet>example (none received recently)</Quiet>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </>
  );
}
