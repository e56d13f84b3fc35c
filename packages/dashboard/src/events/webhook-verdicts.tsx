import { Stack, Text } from '@mantine/core';
import type { Event } from '../model/event-queries.js';
import { useEachStatistics } from '../statistics/statistics-queries.js';
import { Strip } from '../statistics/strip.js';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { StatusBadge } from '../ui/status-badge.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { addressOf } from '../ui/url-parts.js';
import classes from './events.module.css';

export interface WebhookVerdictsProps {
  readonly event: Event;
  /** URL of each existing webhook; undefined while the webhooks are loading. */
  readonly urls: ReadonlyMap<string, string> | undefined;
}

/** The webhooks that existed when the event arrived, those that the event matched first. */
export function WebhookVerdicts({ event: { webhooks }, urls }: WebhookVerdictsProps) {
  const sorted = webhooks.toSorted((a, b) => Number(b.matched) - Number(a.matched));
  const existing = sorted.map(({ webhook_id: id }) => id).filter((id) => urls?.has(id));
  const numbers = useEachStatistics(existing);
  return (
    <Panel aria-labelledby="verdicts-title">
      <Stack gap="sm">
        <PanelTitle id="verdicts-title">Webhooks</PanelTitle>
        {sorted.length === 0 && <Text size="sm">You had no webhooks when this event arrived.</Text>}
        <ul className={classes['verdicts']}>
          {sorted.map(({ webhook_id: webhookId, matched, detail }) => {
            const url = urls?.get(webhookId);
            return (
              <li key={webhookId}>
                {urls === undefined || url !== undefined ? (
                  <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} size="sm">
                    {url === undefined ? webhookId : addressOf({ url })}
                  </LinkAnchor>
                ) : (
                  <Text size="sm">{webhookId} (deleted)</Text>
                )}
                <div className={classes['marks']}>
                  {url !== undefined && <Strip marks={numbers?.get(webhookId)?.marks} />}
                </div>
                <StatusBadge tone={matched ? 'good' : 'neutral'}>
                  {matched ? 'Matched' : 'No match'}
                </StatusBadge>
                <Quiet>{detail}</Quiet>
              </li>
            );
          })}
        </ul>
      </Stack>
    </Panel>
  );
}
