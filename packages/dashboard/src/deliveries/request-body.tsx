import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { CopyButton } from '../ui/copy-button.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { indentJson } from './indent-json.js';

const VIEWS = [
  { value: 'formatted', label: 'Formatted' },
  { value: 'exact', label: 'Exact bytes' },
];

export interface RequestBodyProps {
  readonly title?: string;
  /** null: it is not here any more. */
  readonly body: string | null;
}

/** The body, which is the same in every attempt. The signature covers the exact bytes. */
export function RequestBody({ title = 'Request body', body }: RequestBodyProps) {
  const [view, setView] = useState('formatted');
  return (
    <Panel aria-labelledby="body-title">
      <Stack gap="sm">
        <Group justify="space-between">
          <PanelTitle id="body-title">{title}</PanelTitle>
          {body !== null && (
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
          )}
        </Group>
        <Quiet>
          {body === null
            ? 'The body was deleted at the end of its retention period.'
            : 'Every attempt sends the same bytes, and they are what is signed.'}
        </Quiet>
        {body !== null && (
          <CodeBlock label={title} wrap={view === 'exact'}>
            {view === 'exact' ? body : indentJson(body)}
          </CodeBlock>
        )}
      </Stack>
    </Panel>
  );
}
