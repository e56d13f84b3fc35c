import { Box, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { resultWords } from '../model/result-words.js';
import { STATE_TONES, STATES } from '../model/webhook-state.js';
import { Strip } from '../statistics/strip.js';
import { Facts } from '../ui/facts.js';
import { FormProblem } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { failingWebhooksQuery } from './operator-queries.js';

const StopSending = lazy(async () => ({
  default: (await import('./stop-sending.js')).StopSending,
}));

/** Webhooks of all users that get nothing through, as ids, numbers and hosts, without what was sent. */
export function FailingWebhooksPanel() {
  const { data, error } = useQuery(failingWebhooksQuery);
  return (
    <Panel aria-labelledby="failing-webhooks">
      <Stack>
        <Group justify="space-between">
          <PanelTitle id="failing-webhooks">Failing webhooks</PanelTitle>
        </Group>
        <FormProblem error={error} fields={[]} />
        <Facts
          facts={[
            { term: 'Last attempt failed', value: data?.totals.failing ?? '…' },
            { term: 'Resting', value: data?.totals.resting ?? '…' },
            { term: 'Waiting for a first attempt', value: data?.totals.pending ?? '…' },
            { term: 'Waiting for a retry', value: data?.totals.retrying ?? '…' },
            { term: 'Overdue', value: data?.totals.due ?? '…' },
          ]}
        />
        {data?.items.length === 0 && <Quiet>No webhooks are failing.</Quiet>}
        {data && data.items.length > 0 && (
          <WideTable
            label="Failing webhooks"
            columns={[
              'Webhook',
              'User',
              'Last 90 attempts',
              'Failing since',
              'Reason',
              'State',
              'Waiting',
            ]}
          >
            {data.items.map((item) => (
              <tr key={item.webhook_id}>
                <th scope="row">
                  <div data-wraps>{item.host}</div>
                  <code>{item.webhook_id}</code>
                </th>
                <td>
                  <code>{item.user_id}</code>
                </td>
                <td>
                  <Box w="12rem">
                    <Strip marks={item.marks} />
                  </Box>
                </td>
                <td>
                  <RelativeTime at={item.failing_since} />
                </td>
                <td data-wraps>{resultWords(item.reason).short}</td>
                <td>
                  <StatusBadge tone={STATE_TONES[item.state]}>{STATES[item.state]}</StatusBadge>
                  {item.probe_at !== null && (
                    <Quiet size="xs">
                      Next try <RelativeTime at={item.probe_at} />
                    </Quiet>
                  )}
                </td>
                <td>{item.waiting}</td>
              </tr>
            ))}
          </WideTable>
        )}
        {data && data.items.length < data.totals.failing && (
          <Quiet>
            The first {data.items.length} of {data.totals.failing}.
          </Quiet>
        )}
        <Suspense>
          <StopSending />
        </Suspense>
      </Stack>
    </Panel>
  );
}
