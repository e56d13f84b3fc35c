import { Code, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Webhook } from '../api/types.js';
import { CodeBlock } from '../ui/code-block.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { durationsInWords } from './form/durations.js';
import { filterText } from './form/form-values.js';
import { KindsInWords } from './kinds-in-words.js';
import { RotateSecret } from './rotate-secret.js';
import { SignedMark } from './signed-mark.js';

/** The settings of a webhook: those that each webhook has, and the options that were set. */
export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  const { events, created_at: created, updated_at: updated } = webhook;
  const facts: readonly Fact[] = [
    { term: 'Events', value: <KindsInWords events={events} />, wide: true },
    {
      term: 'Webhook ID',
      wide: true,
      value: <CopyableId id={webhook.webhook_id} label="Copy webhook ID" />,
    },
    { term: 'Signature', value: <Signature webhook={webhook} />, wide: true },
    { term: 'Created', value: <RelativeTime at={created} /> },
    { term: 'Changed', value: <RelativeTime at={updated} /> },
    ...optionsOf(webhook),
  ];
  return (
    <>
      <Facts facts={facts} />
      {webhook.filter && (
        <Stack gap={4}>
          <Quiet size="xs">Filter: only events whose data matches are sent</Quiet>
          <CodeBlock label="Filter">{filterText(webhook.filter)}</CodeBlock>
        </Stack>
      )}
    </>
  );
}

const Signature = ({ webhook }: { readonly webhook: Webhook }) => (
  <Stack gap={6} align="start">
    <Group gap="sm">
      <SignedMark webhook={webhook} />
      {webhook.has_secret && <RotateSecret webhook={webhook} />}
    </Group>
    {webhook.previous_secret_expires_at && (
      <Quiet size="xs">
        The previous secret still signs too, until{' '}
        <RelativeTime at={webhook.previous_secret_expires_at} />.
      </Quiet>
    )}
  </Stack>
);

/** Returns the options that are set. */
function optionsOf(webhook: Webhook): readonly Fact[] {
  const { ordered, rate_limit: rate, retry_schedule: schedule } = webhook;
  return [
    ...fact('Order', ordered && 'One at a time, in order'),
    ...fact('Rate limit', rate && `${rate.toLocaleString('en')} per second`),
    ...fact('Retries', schedule && scheduleWords(schedule), true),
    ...fact('Headers', names(webhook.headers), true),
    ...fact('Trace', webhook.trace_context && 'Sends traceparent'),
    ...fact('Metadata', pairs(webhook.metadata), true),
  ];
}

const fact = (term: string, value: ReactNode, wide = false): readonly Fact[] =>
  value === undefined || value === false ? [] : [{ term, value, wide }];

const scheduleWords = (schedule: readonly number[]): string =>
  schedule.length === 0 ? 'None' : `After ${durationsInWords(schedule)}`;

const names = (headers: Webhook['headers']) =>
  headers &&
  Object.keys(headers).map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <Code>{name}</Code>
    </span>
  ));

const pairs = (metadata: Webhook['metadata']) =>
  metadata &&
  Object.entries(metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
