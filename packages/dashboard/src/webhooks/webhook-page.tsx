import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../api/problem.js';
import type { Webhook } from '../api/types.js';
import { DeliveriesSection } from '../deliveries/deliveries-section.js';
import { NumbersPanel } from '../statistics/numbers-panel.js';
import { BackLink } from '../ui/back-link.js';
import { CopyButton } from '../ui/copy-button.js';
import { LoadProblem } from '../ui/load-problem.js';
import { LoadingPage } from '../ui/loading-page.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/panel.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { Probe } from './probe.js';
import { HeldOffer } from './replay/held-offer.js';
import { ReplayPanel } from './replay/replay-panel.js';
import { StatusNotice } from './status-notice.js';
import { webhookStatus } from './status-words.js';
import { VerifySnippet } from './verify-snippet.js';
import { WebhookActions } from './webhook-actions.js';
import { WebhookFacts } from './webhook-facts.js';
import { webhookQuery } from './webhook-queries.js';
import { WebhookUrl } from './webhook-url.js';

const route = getRouteApi('/inside/webhooks/$webhookId');

export function WebhookPage() {
  useTitle('Webhook');
  const { webhookId } = route.useParams();
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  if (error && (!webhook || isNotFound(error)))
    return <LoadProblem error={error} again={() => void refetch()} />;
  if (!webhook) return <LoadingPage />;

  return (
    <Stack gap="lg">
      <div>
        <BackLink to="/webhooks">Webhooks</BackLink>
        <NoticeOfArrival webhook={webhook} />
      </div>
      <Head webhook={webhook} />
      <ReplayPanel key={webhookId} webhookId={webhookId} />
      <NumbersPanel webhook={webhook} />
      <VerifySnippet webhook={webhook} />
      <DeliveriesSection webhook={webhook} />
    </Stack>
  );
}

function Head({ webhook }: { readonly webhook: Webhook }) {
  const { tone, label } = webhookStatus(webhook);
  return (
    <Panel>
      <Stack gap="lg">
        <Group gap="xs" wrap="nowrap" align="start">
          <PageTitle size="h3">
            <WebhookUrl url={webhook.url} />
          </PageTitle>
          <CopyButton text={webhook.url} label="Copy URL" />
        </Group>
        <Stack gap={6}>
          <div role="status">
            <StatusBadge tone={tone}>{label}</StatusBadge>
          </div>
          <StatusNotice webhook={webhook} />
          <Probe webhook={webhook} />
        </Stack>
        <WebhookFacts webhook={webhook} />
        <WebhookActions webhook={webhook} />
      </Stack>
    </Panel>
  );
}

/** The notice of the action on the previous page. */
function NoticeOfArrival({ webhook }: { readonly webhook: Webhook }) {
  const { notice, wasEnabled = false } = useLocation().state;
  const [arrivedAt] = useState(() => new Date());
  const navigate = useNavigate();
  const close = () => void navigate({ to: '.', search: true, replace: true, state: {} });
  return (
    <>
      <Notice onClose={close}>{notice}</Notice>
      {wasEnabled && <HeldOffer webhook={webhook} enabledAt={arrivedAt} />}
    </>
  );
}
