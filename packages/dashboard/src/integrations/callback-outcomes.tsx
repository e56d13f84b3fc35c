import { Group, Stack } from '@mantine/core';
import type { Client } from '../api/types.js';
import { IconAlertTriangle, IconPlugOff } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';
import { AnswerValues } from './answer-values.js';
import type { ProviderAnswer } from './callback.js';
import { ConnectButton } from './connect-button.js';
import type { KindWords } from './kinds.js';

interface OutcomeProps {
  readonly words: KindWords;
}

const ICON = { size: 40, stroke: 1.4, 'aria-hidden': true };

export const NothingCame = ({ words: { name } }: OutcomeProps) => (
  <MessagePage
    title="There is nothing to finish here"
    icon={<IconPlugOff {...ICON} />}
    action={<LinkButton to="/integrations">Go to Integrations</LinkButton>}
  >
    Providers send you here with a code after you agree, and this time there was none. If you agreed
    a moment ago and reloaded this page, your {name} may already be connected.
  </MessagePage>
);

export interface RefusedProps extends OutcomeProps {
  readonly client: Client;
  /** Why it is not connected, and what to do. */
  readonly refusal: string;
  /** The provider's answer, given when it helps to find the cause. */
  readonly answer?: ProviderAnswer | undefined;
}

export const Refused = ({ words, client, refusal, answer }: RefusedProps) => (
  <MessagePage
    title={`Your ${words.name} is not connected`}
    icon={<IconAlertTriangle {...ICON} />}
    action={
      <Group justify="center" align="start">
        <ConnectButton words={words} client={client}>
          Try again
        </ConnectButton>
        <LinkButton to="/integrations" variant="default">
          Go to Integrations
        </LinkButton>
      </Group>
    }
  >
    <Stack gap="md">
      {refusal}
      {answer && <AnswerValues answer={answer} />}
    </Stack>
  </MessagePage>
);
