import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../api/client.js';
import type { DeletionReceipt } from '../api/types.js';
import { EntryPage } from '../session/entry-page.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { RelativeTime } from '../ui/relative-time.js';
import { exactWords } from '../ui/relative-words.js';
import { PageTitle, Quiet } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';

const REFETCH_MS = 2_000;

const route = getRouteApi('/deletion-receipts/$receiptId');

/**
 * The receipt of a deleted account. It names nobody, so anyone with its address may see it. The receipt fills while
 * the services report what they have deleted.
 */
export function ReceiptPage() {
  useTitle('Account deleted');
  const { receiptId } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['deletion-receipts', receiptId],
    queryFn: ({ signal }) =>
      call('get', '/api/auth/deletion-receipts/{id}', {
        params: { path: { id: receiptId } },
        signal,
      }),
    refetchInterval: ({ state: { data, error } }) =>
      error || (data && isSettled(data)) ? false : REFETCH_MS,
  });
  if (error && !data) {
    return (
      <main className="frame-main">
        <LoadProblem error={error} again={() => void refetch()} />
      </main>
    );
  }
  if (!data) return <LoadingPage />;

  const { open_until: openUntil } = data;
  return (
    <EntryPage footer={openUntil === undefined && <a href="/sign-up">Sign up again</a>}>
      <Stack>
        <PageTitle size="h3">The account was deleted</PageTitle>
        <Text role="status">
          {openUntil === undefined && (data.complete ? COMPLETE : UNDER_WAY)}
          {openUntil !== undefined &&
            `Everything else is deleted on ${exactWords(new Date(openUntil))}. ${UNTIL_THEN}`}
        </Text>
        <Facts facts={factsOf(receiptId, data)} />
        <Quiet>Anyone with this page’s address can read it for 90 days.</Quiet>
      </Stack>
    </EntryPage>
  );
}

const COMPLETE = 'Everything that belonged to it is gone.';
const UNTIL_THEN =
  'Until then, the link that we sent you brings the account back, or deletes it at once.';
const UNDER_WAY = 'Everything that belonged to it is being deleted. This page keeps up.';

/** Returns what each service has ended while the account can come back, and afterwards what it has deleted. */
const shownOf = ({ ended, services }: DeletionReceipt) => ended ?? services;

const isSettled = (receipt: DeletionReceipt): boolean =>
  Object.values(shownOf(receipt)).every((counts) => counts !== null);

const factsOf = (receiptId: string, receipt: DeletionReceipt): readonly Fact[] => [
  { term: 'Receipt', value: <CopyableId id={receiptId} label="Copy receipt ID" />, wide: true },
  { term: 'Deleted', value: <RelativeTime at={receipt.deleted_at} />, wide: true },
  ...Object.entries(shownOf(receipt)).map(([service, counts]) => ({
    term: service,
    value: counts ? countWords(counts) : 'in progress …',
    wide: true,
  })),
];

/** `2 sessions, 0 api keys`. */
const countWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(
      ([what, count]) =>
        `${count} ${(count === 1 ? what.replace(/s$/, '') : what).replaceAll('_', ' ')}`,
    )
    .join(', ');
