import { Code, Group, Stack } from '@mantine/core';
import type { Webhook } from '../api/types.js';
import { CodeBlock } from '../ui/code-block.js';
import { CopyableId } from '../ui/copyable-id.js';
import { type Fact, Facts } from '../ui/facts.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { filterText, SETTING_NAMES, SETTINGS } from './form/form-values.js';
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
        The previous secret still signs too, and stops{' '}
        <RelativeTime at={webhook.previous_secret_expires_at} />.
      </Quiet>
    )}
  </Stack>
);

/** Returns the options that are set. */
const optionsOf = (webhook: Webhook): readonly Fact[] =>
  SETTING_NAMES.flatMap((name) => {
    const [term = '', wordsOf, room] = SETTINGS[name].fact ?? [];
    const words = wordsOf?.(webhook);
    if (words === undefined || words === false) return [];
    const value = typeof words === 'string' ? words : names(words);
    return [{ term, value, wide: room === 'wide' }];
  });

const names = (all: readonly string[]) =>
  all.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <Code>{name}</Code>
    </span>
  ));
