import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { isNotFound } from '../api/problem.js';
import type { Webhook } from '../api/types.js';
import { webhookQuery } from '../model/webhook-queries.js';
import { stateWords } from '../model/webhook-state.js';
import { useEachStatistics } from '../statistics/statistics-queries.js';
import { Strip } from '../statistics/strip.js';
import { BackLink } from '../ui/back-link.js';
import { CopyButton } from '../ui/copy-button.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { Notice } from '../ui/notice.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { WebhookUrl } from '../ui/webhook-url.js';
import { takeSecret } from './made-secret.js';
import { Overview } from './overview.js';
import { Probe } from './probe.js';
import { ReplayPanel } from './replay/replay-panel.js';
import { StatusNotice } from './status-notice.js';
import { WebhookActions } from './webhook-actions.js';
import { WebhookTabs } from './webhook-tabs.js';
import classes from './webhooks.module.css';

// The tabs that are not seen at first are loaded when they are opened.
const DeliveriesSection = lazy(async () => ({
  default: (await import('../deliveries/deliveries-section.js')).DeliveriesSection,
}));
const Settings = lazy(async () => ({ default: (await import('./settings.js')).Settings }));

const route = getRouteApi('/inside/webhooks/$webhookId');

export function WebhookPage() {
  useTitle('Webhook');
  const { webhookId } = route.useParams();
  const { tab } = route.useSearch();
  const [made] = useState(takeSecret);
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  if (error && (!webhook || isNotFound(error)))
    return <LoadProblem error={error} again={() => void refetch()} />;
  if (!webhook) return <LoadingPage />;

  return (
    <Stack gap="md">
      <div>
        <BackLink to="/webhooks">Webhooks</BackLink>
        <NoticeOfArrival />
      </div>
      <Head webhook={webhook} />
      <ReplayPanel key={webhookId} webhookId={webhookId} />
      <WebhookTabs webhookId={webhookId} />
      <Suspense fallback={<LoadingPage />}>
        {tab === undefined && (
          <Overview
            key={webhookId}
            webhook={webhook}
            secret={made?.webhookId === webhookId ? made.secret : undefined}
          />
        )}
        {tab === 'deliveries' && <DeliveriesSection key={webhookId} webhook={webhook} />}
        {tab === 'settings' && <Settings webhook={webhook} />}
      </Suspense>
    </Stack>
  );
}

function Head({ webhook }: { readonly webhook: Webhook }) {
  const { webhook_id: webhookId, url, description } = webhook;
  const { tone, label } = stateWords(webhook);
  const numbers = useEachStatistics([webhookId]);
  return (
    <Stack gap="xs">
      <div className={classes['head']}>
        <div>
          <Group gap="xs" wrap="nowrap" align="start">
            <PageTitle size="h3" lineClamp={3} title={url}>
              <WebhookUrl url={url} />
            </PageTitle>
            <CopyButton text={url} label="Copy URL" />
          </Group>
          {description && (
            <Text size="sm" className={classes['description']}>
              <bdi>{description}</bdi>
            </Text>
          )}
        </div>
        <WebhookActions webhook={webhook} held={numbers?.get(webhookId)?.held} />
      </div>
      <Group gap="md" wrap="nowrap">
        <div role="status">
          <StatusBadge tone={tone}>{label}</StatusBadge>
        </div>
        <Strip marks={numbers?.get(webhookId)?.marks} webhookId={webhookId} />
      </Group>
      <StatusNotice webhook={webhook} />
      <Probe webhook={webhook} />
    </Stack>
  );
}

/** The notice of the action on the previous page. */
function NoticeOfArrival() {
  const { notice } = useLocation().state;
  const navigate = useNavigate();
  const close = () => void navigate({ to: '.', search: true, replace: true, state: {} });
  return <Notice onClose={close}>{notice}</Notice>;
}
