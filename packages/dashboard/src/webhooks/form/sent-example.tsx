import { Stack } from '@mantine/core';
import type { Schemas } from '../../api/types.js';
import { labelOfKind, tickedBy } from '../../model/event-kinds.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Panel } from '../../ui/panel.js';
import { PanelTitle, Quiet } from '../../ui/text.js';

export interface SentExampleProps {
  readonly catalogue: readonly Schemas['EventType'][];
  readonly url: string;
  readonly events: readonly string[];
}

/** The request that a webhook gets for the first kind that is chosen. */
export function SentExample({ catalogue, url, events }: SentExampleProps) {
  const ticked = tickedBy(events, catalogue);
  const kind = catalogue.find(({ event_type: type }) => ticked.includes(type));
  return (
    <Panel aria-labelledby="sent-title">
      <Stack gap="xs">
        <PanelTitle id="sent-title">What is sent</PanelTitle>
        {kind ? (
          <>
            <Quiet>
              {labelOfKind(kind.event_type)}, for example. The secret that signs it is shown next.
            </Quiet>
            <CodeBlock wrap label="Example of a request">
              {requestOf(url, kind)}
            </CodeBlock>
          </>
        ) : (
          <Quiet>Choose a kind of event to see what is sent.</Quiet>
        )}
        <Quiet>
          Answer 2xx to accept it. Everything else, such as a filter, order or headers, is set
          afterwards, on its Settings.
        </Quiet>
      </Stack>
    </Panel>
  );
}

function requestOf(url: string, { event_type: type, example }: Schemas['EventType']): string {
  const body = {
    event_type: type,
    user_id: '…',
    data: example,
    timestamp: '2026-01-02T03:04:05.678Z',
    webhook_id: 'wh_…',
  };
  return [
    `POST ${url || 'https://…'}`,
    'webhook-id: msg_…',
    'webhook-timestamp: …',
    'webhook-signature: v1,…',
    '',
    JSON.stringify(body, null, 2),
  ].join('\n');
}
