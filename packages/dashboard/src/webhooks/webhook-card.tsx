import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Webhook } from '../api/types.js';
import { Sparkline } from '../statistics/sparkline.js';
import { LinkAnchor } from '../ui/links.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Quiet } from '../ui/text.js';
import { EnableSwitch } from './enable-switch.js';
import { KindsInWords } from './kinds-in-words.js';
import { SignedMark } from './signed-mark.js';
import { StatusNotice } from './status-notice.js';
import { webhookStatus } from './status-words.js';
import { WebhookUrl } from './webhook-url.js';
import classes from './webhooks.module.css';

export interface WebhookCardProps {
  readonly webhook: Webhook;
  /** The webhooks of its page of the list. */
  readonly pageIds: readonly string[];
}

export function WebhookCard({ webhook, pageIds }: WebhookCardProps) {
  const { webhook_id: webhookId, url, events, description } = webhook;
  const { tone, label } = webhookStatus(webhook);

  return (
    <li className={classes['card']}>
      <Stack gap="xs">
        <div className={classes['cardHead']}>
          <Link to="/webhooks/$webhookId" params={{ webhookId }} className={classes['title'] ?? ''}>
            <WebhookUrl url={url} />
          </Link>
          <StatusBadge tone={tone}>{label}</StatusBadge>
        </div>
        {description && <Text size="sm">{description}</Text>}
        <Quiet>
          <KindsInWords events={events} />
        </Quiet>
        <StatusNotice webhook={webhook} />
        <Sparkline webhookId={webhookId} pageIds={pageIds} />
      </Stack>
      <div className={classes['cardFoot']}>
        <EnableSwitch webhook={webhook} />
        <Group gap="lg">
          <SignedMark webhook={webhook} />
          <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} hash="deliveries" size="sm">
            Deliveries
          </LinkAnchor>
        </Group>
      </div>
    </li>
  );
}
