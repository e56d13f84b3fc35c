import { Code, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';
import { AnswerValues } from './answer-values.js';
import type { ProviderAnswer } from './callback.js';
import type { ProviderWords } from './providers.js';

export interface BegunElsewhereProps {
  readonly words: ProviderWords;
  readonly answer: ProviderAnswer;
}

const ICON = { size: 40, stroke: 1.4, 'aria-hidden': true };

/**
 * An answer that this tab did not ask for: an API client's, another tab's, or a stranger's. So nothing is
 * connected with it here, signed in or not: the client that started it finishes it.
 */
export const BegunElsewhere = ({ words, answer }: BegunElsewhereProps) =>
  answer.kind === 'code' ? (
    <CodeOfClient words={words} answer={answer} />
  ) : (
    <ErrorOfClient words={words} answer={answer} />
  );

/** The expected end of a consent that an API client began. */
const CodeOfClient = ({ words: { name, provider }, answer }: BegunElsewhereProps) => (
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
      <AnswerValues answer={answer} />
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

const ErrorOfClient = ({ words: { name }, answer }: BegunElsewhereProps) => (
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
      <AnswerValues answer={answer} />
    </Stack>
  </MessagePage>
);
