import { Button, Group, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconCalendar, IconChevronDown, IconMail } from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import type { Integration } from '../api/types.js';
import { Facts } from '../ui/facts.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { ConnectButton } from './connect-button.js';
import { DisconnectDialog } from './disconnect-dialog.js';
import { History } from './history.js';
import classes from './integrations.module.css';
import { PermissionList } from './permission-list.js';
import type { ProviderWords } from './providers.js';
import { integrationStatus } from './status-words.js';

const ICONS = { mailbox: IconMail, calendar: IconCalendar };

export interface IntegrationCardProps {
  readonly words: ProviderWords;
  readonly integration: Integration;
  /** Tells the reader of the page what was done. */
  readonly onDone: (notice: string) => void;
}

export function IntegrationCard({ words, integration, onDone }: IntegrationCardProps) {
  const { label, name, provider } = words;
  const [asking, setAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const { action } = integrationStatus(integration);
  const isStanding = integration.connected || integration.status === 'reconnect_required';

  return (
    <Panel className={classes['card'] ?? ''} aria-labelledby={id}>
      <Head words={words} integration={integration}>
        <Title order={2} size="h4" id={id} ref={heading} tabIndex={-1}>
          {label}
        </Title>
      </Head>
      <Account integration={integration} />
      <PermissionList words={words} integration={integration} />
      <Group gap="sm" align="start">
        <ConnectButton words={words} quiet={integration.connected}>
          {action} {name}
        </ConnectButton>
        {isStanding && (
          <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
            Disconnect
          </Button>
        )}
      </Group>
      {integration.status !== 'not_connected' && <Past words={words} />}
      <DisconnectDialog
        words={words}
        opened={asking}
        onClose={() => setAsking(false)}
        onDone={() => {
          // The button that opened the dialog is gone.
          heading.current?.focus();
          onDone(`Your ${provider} is disconnected.`);
        }}
      />
    </Panel>
  );
}

interface HeadProps extends Pick<IntegrationCardProps, 'words' | 'integration'> {
  readonly children: ReactNode;
}

function Head({ words: { provider, purpose }, integration, children }: HeadProps) {
  const { tone, label, explanation } = integrationStatus(integration);
  const Icon = ICONS[provider];
  return (
    <div>
      <div className={classes['head']}>
        <div className={classes['icon']}>
          <Icon size={24} stroke={1.6} aria-hidden />
        </div>
        {children}
        <div role="status">
          <StatusBadge tone={tone}>{label}</StatusBadge>
        </div>
      </div>
      <Text c="var(--text-quiet)" mt="xs">
        {purpose}
      </Text>
      {explanation && (
        <div className={classes['explanation']} data-tone={tone}>
          {explanation}
        </div>
      )}
    </div>
  );
}

function Account({ integration }: Pick<IntegrationCardProps, 'integration'>) {
  const { account, connected_at: at, last_refreshed_at: refreshed, connected } = integration;
  if (account === undefined || at === undefined) return null;
  return (
    <div className={classes['account']}>
      <Facts
        facts={[
          { term: connected ? 'Account' : 'Last account', value: account },
          { term: 'Connected', value: <RelativeTime at={at} /> },
          {
            term: 'Access last renewed',
            value: refreshed ? <RelativeTime at={refreshed} /> : 'Not yet needed',
          },
        ]}
      />
    </div>
  );
}

function Past({ words: { provider, label } }: Pick<IntegrationCardProps, 'words'>) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  return (
    <div className={classes['past']}>
      <button
        type="button"
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        <IconChevronDown size={18} aria-hidden />
        History
        <VisuallyHidden>of {label}</VisuallyHidden>
      </button>
      <div id={id} hidden={!opened}>
        {opened && <History provider={provider} />}
      </div>
    </div>
  );
}
