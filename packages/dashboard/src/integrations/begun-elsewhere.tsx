import { Code, List, Stack } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';
import { AnswerValues } from './answer-values.js';
import type { ProviderAnswer } from './callback.js';
import type { ProviderWords } from './providers.js';

export interface BegunElsewhereProps {
  readonly words: ProviderWords;
  readonly answer: ProviderAnswer;
}

/**
 * An answer that this tab did not ask for: an API client's, another tab's, or a stranger's. So nothing is
 * connected with it here, signed in or not: the client that started it finishes it.
 */
export const BegunElsewhere = ({ words: { name, provider }, answer }: BegunElsewhereProps) => (
  <MessagePage
    title="This was not started here"
    icon={<IconPlugConnectedX size={40} stroke={1.4} aria-hidden />}
    action={
      <LinkButton to="/integrations" variant="default">
        To Integrations
      </LinkButton>
    }
  >
    <Stack>
      <div>
        {answer.kind === 'code'
          ? `You agreed at the provider, but this tab did not ask for it. So your ${name} was not connected from here.`
          : `The provider answered with an error, to a request that this tab did not make. Your ${name} was not connected.`}
      </div>
      <List spacing="sm" ta="start">
        <List.Item>
          <strong>Did an API client start this?</strong>{' '}
          {answer.kind === 'code' ? (
            <>
              One step is left: send these values within ten minutes to
              <Code block my="xs">
                POST /api/integrations/{provider}/connect
              </Code>
              The code works once. Check that <Code>state</Code> is the one your authorize call
              returned; if it is not, somebody else started this.
            </>
          ) : (
            'It can start again. If the error returns, show these values to the operator of this installation.'
          )}
        </List.Item>
        <List.Item>
          <strong>Did you start this in another tab or browser?</strong> Go back to Integrations and
          connect again from there.
        </List.Item>
        <List.Item>
          <strong>Did you not start anything?</strong> Close this page, and do not give these values
          to anybody.
        </List.Item>
      </List>
      <AnswerValues answer={answer} />
    </Stack>
  </MessagePage>
);
