import {
  Button,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { useLiveQueries } from '../deliveries/live.js';
import { webhooksQuery } from '../model/webhook-queries.js';
import { STATES } from '../model/webhook-state.js';
import { EmptyState } from '../ui/empty-state.js';
import { FilterRow } from '../ui/filter-row.js';
import { IconFilterOff, IconPlus, IconSearch, IconWebhook } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { LoadProblem } from '../ui/load-problem.js';
import { PageTitle, Quiet } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { listed, SORTS, webhookListSearch } from './webhook-list.js';
import { WebhookTable } from './webhook-table.js';

const route = getRouteApi('/inside/webhooks');

export function WebhooksPage() {
  useTitle('Webhooks');
  useLiveQueries();
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  if (error && !webhooks) return <LoadProblem error={error} again={() => void refetch()} />;

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <PageTitle>Webhooks</PageTitle>
        {webhooks && webhooks.length > 0 && <AddButton />}
      </Group>
      {!webhooks && <LoadingRows />}
      {webhooks?.length === 0 && <NoWebhooks />}
      {webhooks && webhooks.length > 0 && <List webhooks={webhooks} />}
    </Stack>
  );
}

function List({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // A choice is a step of history, typing is not.
  const choose = (changes: object, isTyped = false) =>
    void navigate({ search: webhookListSearch({ ...search, ...changes }), replace: isTyped });
  // The address follows what is typed a moment later, and must not take a letter back.
  const [text, setText] = useState(search.text ?? '');
  const shown = listed(webhooks, { ...search, text });
  return (
    <>
      <FilterRow
        count={search.state === undefined ? 0 : 1}
        search={
          <TextInput
            type="search"
            aria-label="Search webhooks"
            placeholder="Description, address or kind"
            leftSection={<IconSearch size={16} aria-hidden />}
            value={text}
            onChange={({ currentTarget: { value } }) => {
              setText(value);
              choose({ text: value || undefined }, true);
            }}
          />
        }
      >
        <NativeSelect
          aria-label="State"
          data={statesOf(webhooks)}
          value={search.state ?? ''}
          onChange={({ currentTarget: { value } }) => choose({ state: value })}
        />
        <NativeSelect
          aria-label="Order"
          data={Object.entries(SORTS).map(([value, label]) => ({ value, label }))}
          value={search.sort ?? 'failing'}
          onChange={({ currentTarget: { value } }) => choose({ sort: value })}
        />
      </FilterRow>
      <Quiet role="status">
        {shown.length === webhooks.length
          ? `${shown.length} ${shown.length === 1 ? 'webhook' : 'webhooks'}.`
          : `${shown.length} of ${webhooks.length} webhooks.`}
      </Quiet>
      {shown.length > 0 ? (
        <WebhookTable all={webhooks} shown={shown} />
      ) : (
        <EmptyState
          icon={<IconFilterOff size={28} stroke={1.6} aria-hidden />}
          title="No matches"
          action={
            <Button
              variant="default"
              onClick={() => {
                setText('');
                choose({ text: undefined, state: undefined });
              }}
            >
              Clear filter
            </Button>
          }
        >
          No webhook matches this filter.
        </EmptyState>
      )}
    </>
  );
}

/** The states with the number of webhooks in each. */
const statesOf = (webhooks: readonly Webhook[]) => [
  { value: '', label: 'Any state' },
  ...Object.entries(STATES).map(([value, label]) => {
    const count = webhooks.filter(({ state }) => state === value).length;
    return { value, label: `${label} (${count})` };
  }),
];

const AddButton = () => (
  <LinkButton to="/webhooks/new" leftSection={<IconPlus size={18} aria-hidden />}>
    Add webhook
  </LinkButton>
);

const NoWebhooks = () => (
  <EmptyState
    icon={<IconWebhook size={28} stroke={1.6} aria-hidden />}
    title="No webhooks yet"
    action={<AddButton />}
  >
    A webhook is an HTTPS address of yours that we call when something happens: your inbox was
    organized, a draft is ready, a meeting was joined. Choose the kinds of events, verify our
    signature with your secret, and see every delivery here. Failures are retried for about three
    days.
  </EmptyState>
);

const LoadingRows = () => (
  <Stack aria-busy="true" gap="xs">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    {[1, 2, 3, 4, 5].map((key) => (
      <Skeleton key={key} h={32} />
    ))}
  </Stack>
);
