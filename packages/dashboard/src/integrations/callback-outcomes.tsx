import { Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle, IconArrowsExchange, IconPlugOff } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkButton } from '../ui/links.js';
import { MessagePage } from '../ui/message-page.js';
import { AnswerValues } from './answer-values.js';
import type { ProviderAnswer, Refusal } from './callback.js';
import { ConnectButton } from './connect-button.js';
import { DisconnectDialog } from './disconnect-dialog.js';
import type { ProviderWords } from './providers.js';
import type { Redeemed } from './redeem.js';

interface OutcomeProps {
  readonly words: ProviderWords;
}

const ICON = { size: 40, stroke: 1.4, 'aria-hidden': true };

export const NothingCame = ({ words: { name } }: OutcomeProps) => (
  <MessagePage
    title="There is nothing to finish here"
    icon={<IconPlugOff {...ICON} />}
    action={<LinkButton to="/integrations">To Integrations</LinkButton>}
  >
    A provider sends you here with a code once you have agreed there; this time there is none. If
    you agreed a moment ago and loaded this page again, your {name} may be connected already.
  </MessagePage>
);

export interface RefusedProps extends OutcomeProps {
  readonly refusal: Refusal;
  /** What the provider said, where it helps to find out why. */
  readonly answer?: ProviderAnswer | undefined;
}

export const Refused = ({ words, refusal: { title, text }, answer }: RefusedProps) => (
  <MessagePage
    title={title}
    icon={<IconAlertTriangle {...ICON} />}
    action={
      <Group justify="center" align="start">
        <ConnectButton words={words}>Try again</ConnectButton>
        <LinkButton to="/integrations" variant="default">
          To Integrations
        </LinkButton>
      </Group>
    }
  >
    <Stack gap="md">
      {text}
      {answer && <AnswerValues answer={answer} />}
    </Stack>
  </MessagePage>
);

export interface OtherAccountProps extends OutcomeProps {
  readonly redeemed: Redeemed;
}

/** At the provider one is easily signed in as somebody else than one thinks. */
export function OtherAccount({ words, redeemed }: OtherAccountProps) {
  const router = useRouter();
  const [asking, setAsking] = useState(false);
  const goOn = (notice: string) =>
    void router.navigate({ to: '/integrations', replace: true, state: { notice } });
  const { account, replaced } = redeemed;
  return (
    <MessagePage
      title="Another account is connected now"
      icon={<IconArrowsExchange {...ICON} />}
      action={
        <Group justify="center">
          <Button onClick={() => goOn(`Your ${words.name} is connected as ${account}.`)}>
            Keep this account
          </Button>
          <Button variant="default" onClick={() => setAsking(true)}>
            Disconnect it
          </Button>
        </Group>
      }
    >
      Your {words.name} was connected as <strong>{replaced}</strong> before. At the provider you
      agreed as <strong>{account}</strong>, and that account has taken its place. If that was not
      meant, disconnect it, and connect again with the other account.
      <DisconnectDialog
        words={words}
        opened={asking}
        onClose={() => setAsking(false)}
        onDone={() => goOn(`Your ${words.name} is disconnected.`)}
      />
    </MessagePage>
  );
}
