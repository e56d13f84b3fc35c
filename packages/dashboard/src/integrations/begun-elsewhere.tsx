import { Code, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
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
    title="You have agreed. One step is left"
    icon={<IconCircleCheck {...ICON} color="var(--mantine-color-teal-6)" />}
    action={
      <LinkButton to="/integrations" variant="default">
        To Integrations
      </LinkButton>
    }
  >
    <Stack>
      <div>
        The application that sent you to the provider connects your {name} with these values, within
        ten minutes and once:
        <Code block my="xs">
          POST /api/integrations/{provider}/connect
        </Code>
      </div>
      <AnswerValues answer={returned.answer} client={returned.client} />
      <List spacing="sm" ta="start">
        <List.Item>
          Check that <Code>state</Code> is the one that your authorize call returned. If it is not,
          somebody else started this: do not send the values.
        </List.Item>
        <List.Item>
          Did you start this in another tab or browser of yours? Go back to Integrations and connect
          again from there.
        </List.Item>
        <List.Item>
          Did you not start anything? Close this page, and do not give these values to anybody.
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
        To Integrations
      </LinkButton>
    }
  >
    <Stack>
      <div>
        Your {name} was not connected. The application that sent you to the provider can start
        again. If the error returns, show these values to the operator of this installation.
      </div>
      <AnswerValues answer={returned.answer} />
    </Stack>
  </MessagePage>
);
