import { Code, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';
import { AnswerValues } from './answer-values.js';
import type { Returned } from './callback.js';
import type { KindWords } from './kinds.js';

export interface BegunElsewhereProps {
  readonly words: KindWords;
  readonly returned: Returned;
}

const ICON = { size: 40, stroke: 1.4, 'aria-hidden': true };

/**
 * An answer that this tab did not ask for: an API client's, another tab's, or a stranger's. So nothing is
 * connected with it here, signed in or not: the client that started it finishes it.
 */
export const BegunElsewhere = ({ words, returned }: BegunElsewhereProps) =>
  returned.answer.kind === 'code' ? (
    <CodeOfClient words={words} returned={returned} />
  ) : (
    <ErrorOfClient words={words} returned={returned} />
  );

/** The expected end of a consent that an API client began. */
const CodeOfClient = ({ words: { name, provider }, returned }: BegunElsewhereProps) => (
  <MessagePage
    title="You agreed. One step is left"
    icon={<IconCircleCheck {...ICON} color="var(--mantine-color-teal-6)" />}
    action={
      <LinkButton to="/integrations" variant="default">
        Go to Integrations
      </LinkButton>
    }
  >
    <Stack>
      <div>
        The application that sent you to the provider can connect your {name} with these values,
        once and within ten minutes:
        <Code block my="xs">
          POST /api/integrations/{provider}/connect
        </Code>
      </div>
      <AnswerValues answer={returned.answer} client={returned.client} />
      <List spacing="sm" ta="start">
        <List.Item>
          Check that <Code>state</Code> is the one your authorize call returned. If it isn’t,
          somebody else started this: don’t use the values.
        </List.Item>
        <List.Item>
          Did you start this in another tab or browser? Go back to Integrations and connect again
          from there.
        </List.Item>
        <List.Item>
          Didn’t start anything? Close this page, and don’t give these values to anyone.
        </List.Item>
      </List>
    </Stack>
  </MessagePage>
);

const ErrorOfClient = ({ words: { name }, returned }: BegunElsewhereProps) => (
  <MessagePage
    title="The provider answered with an error"
    icon={<IconAlertTriangle {...ICON} />}
    action={
      <LinkButton to="/integrations" variant="default">
        Go to Integrations
      </LinkButton>
    }
  >
    <Stack>
      <div>
        Your {name} was not connected. The application that sent you to the provider can try again.
        If it keeps failing, show these values to the operator of this installation.
      </div>
      <AnswerValues answer={returned.answer} />
    </Stack>
  </MessagePage>
);
