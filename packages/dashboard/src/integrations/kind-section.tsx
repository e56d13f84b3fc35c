import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { IdentityProvider, Integration } from '../api/types.js';
import { Disclosure } from '../ui/disclosure.js';
import { IconCalendar, IconMail } from '../ui/icons.js';
import { Panel } from '../ui/panel.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Quiet } from '../ui/text.js';
import { AccountCard } from './account-card.js';
import { accountsOf } from './accounts.js';
import { notSetUp } from './callback.js';
import { ConnectButton, ConnectChoice } from './connect-button.js';
import { identityProviderOf, serversOf } from './identity-providers.js';
import classes from './integrations.module.css';
import type { KindWords } from './kinds.js';
import { PermissionList } from './permission-list.js';
import { NOTHING_GRANTED, permissionsOf } from './permissions.js';

const ICONS = { mailbox: IconMail, calendar: IconCalendar };

export interface KindSectionProps {
  readonly words: KindWords;
  /** Integrations of all kinds, like the identity providers below. */
  readonly integrations: readonly Integration[];
  readonly identityProviders: readonly IdentityProvider[];
  /** Receives the notice of what was done, which the page shows. */
  readonly onDone: (notice: string) => void;
}

/** The section of one kind: its accounts, and the form that connects another one. */
export function KindSection({ words, integrations, identityProviders, onDone }: KindSectionProps) {
  const { current, ended } = accountsOf(integrations, words.provider);
  const servers = serversOf(identityProviders, words.provider);
  const heading = useRef<HTMLHeadingElement>(null);
  const [done, setDone] = useState(0);
  // The effect runs after the dialog has closed, which keeps the focus until then.
  useEffect(() => {
    if (done > 0) heading.current?.focus();
  }, [done]);
  const id = useId();
  const cardOf = (integration: Integration) => (
    <AccountCard
      key={integration.integration_id}
      words={words}
      integration={integration}
      identityProvider={identityProviderOf(identityProviders, integration.identity_provider)}
      hasOthers={current.length > 1}
      onDone={(notice) => {
        setDone(done + 1);
        onDone(notice);
      }}
    />
  );

  return (
    <section className={classes['kind']} aria-labelledby={id}>
      <KindHead words={words}>
        <Title order={2} size="h4" id={id} ref={heading} tabIndex={-1}>
          {words.label}
        </Title>
      </KindHead>
      {current.length > 0 ? current.map(cardOf) : <NotConnected words={words} servers={servers} />}
      {current.length > 1 && (
        <Quiet>The assistant uses the primary {words.name} unless told otherwise.</Quiet>
      )}
      {current.length > 0 && servers.length > 0 && <Another words={words} servers={servers} />}
      {ended.length > 0 && (
        <Disclosure summary={`Disconnected accounts (${ended.length})`}>
          <div className={classes['ended']}>{ended.map(cardOf)}</div>
        </Disclosure>
      )}
    </section>
  );
}

interface KindHeadProps {
  readonly words: KindWords;
  /** The heading. */
  readonly children: ReactNode;
}

export function KindHead({ words, children }: KindHeadProps) {
  const Icon = ICONS[words.provider];
  return (
    <div>
      <div className={classes['kindHead']}>
        <Icon size={22} stroke={1.7} aria-hidden />
        {children}
      </div>
      <Quiet>{words.purpose}</Quiet>
    </div>
  );
}

interface ConnectProps {
  readonly words: KindWords;
  readonly servers: readonly IdentityProvider[];
}

/** The card of a kind without accounts: lists the permissions that connecting asks for. */
const NotConnected = ({ words, servers }: ConnectProps) => (
  <Panel className={classes['card'] ?? ''}>
    <div>
      <StatusBadge tone="neutral">Not connected</StatusBadge>
    </div>
    <div>
      <Title order={3} size="h6" mb="xs">
        Permissions
      </Title>
      <PermissionList permissions={permissionsOf(words, NOTHING_GRANTED)} />
    </div>
    <Connect words={words} servers={servers} label={`Connect a ${words.name}`} />
  </Panel>
);

const Another = ({ words, servers }: ConnectProps) => (
  <div className={classes['another']}>
    <Connect words={words} servers={servers} label={`Connect another ${words.name}`} isQuiet />
  </div>
);

interface ConnectWordsProps extends ConnectProps {
  readonly label: string;
  readonly isQuiet?: boolean;
}

function Connect({ words, servers, label, isQuiet = false }: ConnectWordsProps) {
  const [only, second] = servers;
  if (!only) return <Text size="sm">{notSetUp(words.name)}</Text>;
  if (!second) {
    const client = { identityProvider: only.id, provider: words.provider };
    return (
      <ConnectButton words={words} client={client} quiet={isQuiet}>
        {label}
      </ConnectButton>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600} mb="xs">
        {label}
      </Text>
      <ConnectChoice words={words} servers={servers} />
    </div>
  );
}
