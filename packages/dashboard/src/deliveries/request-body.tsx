import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';
import { JsonView } from '../ui/json-view.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle, Quiet } from '../ui/text.js';

const VIEWS = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'exact', label: 'Exact bytes' },
];

export interface RequestBodyProps {
  readonly title?: string;
  /** null: it is not here any more. */
  readonly body: string | null;
}

/** The content of an event, or of a delivery that was never attempted. */
export const RequestBody = ({ title = 'Request body', body }: RequestBodyProps) => (
  <Panel aria-labelledby="body-title">
    <Stack gap="sm">
      <PanelTitle id="body-title">{title}</PanelTitle>
      <Body title={title} body={body} />
    </Stack>
  </Panel>
);

/** The body, which is the same in every attempt. The signature covers the exact bytes. */
export function Body({ title = 'Request body', body }: RequestBodyProps) {
  const [view, setView] = useState('formatted');
  if (body === null) {
    return <Quiet>The body was deleted at the end of its retention period.</Quiet>;
  }
  const Text = view === 'exact' ? CodeBlock : JsonView;
  return (
    <Stack gap="xs">
      <Text label={title} wrap>
        {body}
      </Text>
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label="How the body is shown"
          data={VIEWS}
          value={view}
          onChange={setView}
        />
        <CopyButton text={body} label="Copy exact body" />
      </Group>
      <Quiet>Every attempt sends the same bytes, and they are what is signed.</Quiet>
    </Stack>
  );
}
