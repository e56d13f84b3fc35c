import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Integration, Webhook } from '../api/types.js';
import { Reconnect } from '../integrations/account-actions.js';
import { fullName } from '../integrations/accounts.js';
import { identityProviderOf } from '../integrations/identity-providers.js';
import { identityProvidersQuery } from '../integrations/integration-queries.js';
import { KINDS } from '../integrations/kinds.js';
import { integrationStatus, reconnecting } from '../integrations/status-words.js';
import { nameOf } from '../model/all-webhooks.js';
import { needsOwner, stateWords } from '../model/webhook-state.js';
import { sessionQuery } from '../session/session.js';
import { Breakable } from '../ui/breakable.js';
import { IconCircleCheck } from '../ui/icons.js';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PanelTitle } from '../ui/text.js';
import type { Tone } from '../ui/tone.js';
import { Remedy } from '../webhooks/remedy.js';
import { StatusNotice } from '../webhooks/status-notice.js';
import classes from './home.module.css';

/** Webhooks that are shown; the list has the others. */
const SHOWN_MAX = 5;

interface NeedsYouProps {
  readonly webhooks: readonly Webhook[];
  readonly integrations: readonly Integration[];
}

/**
 * Everything that fails until the user does something, each with its reason and the button for it. That all is well it
 * says once the first steps are done: before that nothing may have arrived.
 */
export function NeedsYou({ webhooks, integrations }: NeedsYouProps) {
  const { data: user } = useQuery(sessionQuery);
  const broken = webhooks.filter(needsOwner);
  const lost = integrations.filter(needsReconnecting);
  const total = broken.length + lost.length;
  if (total === 0) return webhooks.length > 0 && user?.first_steps_closed ? <Well /> : null;
  const shown = broken
    .toSorted((one, other) => sinceOf(other).localeCompare(sinceOf(one)))
    .slice(0, SHOWN_MAX);
  return (
    <Panel aria-labelledby="needs-title">
      <Stack gap="sm">
        <PanelTitle id="needs-title">
          {total === 1 ? 'One thing needs you' : `${total} things need you`}
        </PanelTitle>
        <ul className={classes['needs']}>
          {lost.map((integration) => (
            <LostConnection key={integration.integration_id} integration={integration} />
          ))}
          {shown.map((webhook) => (
            <BrokenWebhook key={webhook.webhook_id} webhook={webhook} />
          ))}
        </ul>
        {broken.length > shown.length && (
          <LinkAnchor to="/webhooks" size="sm">
            {webhooksInWords(broken.length - shown.length)}
          </LinkAnchor>
        )}
      </Stack>
    </Panel>
  );
}

const Well = () => (
  <div className={classes['well']}>
    <IconCircleCheck size={22} aria-hidden />
    <Text>Nothing needs you: no webhook fails, and no connection is lost.</Text>
  </div>
);

const webhooksInWords = (more: number): string =>
  `${more} more ${more === 1 ? 'webhook' : 'webhooks'}`;

const sinceOf = (webhook: Webhook): string => stateWords(webhook).since ?? '';

/** Access is lost, or ends soon unless its user does something; a connection that was ended here needs nobody. */
const needsReconnecting = (integration: Integration): boolean =>
  integration.status !== 'disconnected' && reconnecting(integration) === 'needed';

interface NeedProps {
  readonly tone: Tone;
  readonly label: string;
  readonly name: ReactNode;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

const Need = ({ tone, label, name, children, action }: NeedProps) => (
  <li>
    <div>
      <div className={classes['name']}>
        <StatusBadge tone={tone}>{label}</StatusBadge> {name}
      </div>
      {children}
    </div>
    <div className={classes['action']}>{action}</div>
  </li>
);

function BrokenWebhook({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: webhookId } = webhook;
  return (
    <Need
      {...stateWords(webhook)}
      name={
        <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} fw={600}>
          <bdi>
            <Breakable>{nameOf(webhook)}</Breakable>
          </bdi>
        </LinkAnchor>
      }
      action={<Remedy webhook={webhook} />}
    >
      <StatusNotice webhook={webhook} />
    </Need>
  );
}

function LostConnection({ integration }: { readonly integration: Integration }) {
  const { data: identityProviders } = useQuery(identityProvidersQuery);
  const words = KINDS.find(({ provider }) => provider === integration.provider);
  if (!identityProviders || !words) return null;
  const identityProvider = identityProviderOf(identityProviders, integration.identity_provider);
  const { tone, label, explanation } = integrationStatus(integration);
  return (
    <Need
      tone={tone}
      label={label}
      name={
        <Text span fw={600}>
          {`Your ${words.name} ${fullName(integration, identityProvider)}`}
        </Text>
      }
      action={
        <Reconnect
          words={words}
          integration={integration}
          identityProvider={identityProvider}
          size="xs"
        />
      }
    >
      <Text size="sm">{explanation}</Text>
    </Need>
  );
}
