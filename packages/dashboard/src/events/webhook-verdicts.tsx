import { Stack, Text } from '@mantine/core';
import type { Event } from '../model/event-queries.js';
import { groupedBy } from '../model/grouped-by.js';
import { Breakable } from '../ui/breakable.js';
import { Disclosure } from '../ui/disclosure.js';
import { LinkAnchor } from '../ui/links.js';
import { addressOf } from '../ui/url-parts.js';
import classes from './events.module.css';

export interface WebhookVerdictsProps {
  readonly event: Event;
  /** URL of each existing webhook; undefined while the webhooks are loading. */
  readonly urls: ReadonlyMap<string, string> | undefined;
}

/** The webhooks that got nothing of the event, by the reason why, folded away. */
export function WebhookVerdicts({ event: { webhooks, deliveries }, urls }: WebhookVerdictsProps) {
  const sent = new Set(deliveries.map(({ webhook_id: id }) => id));
  const rest = groupedBy(
    webhooks.filter(({ webhook_id: id }) => !sent.has(id)),
    ({ detail }) => detail,
  );
  if (webhooks.length === 0) {
    return <Text size="sm">You had no webhooks when this event arrived.</Text>;
  }
  return (
    <Stack gap={0}>
      {[...rest].map(([detail, unsent]) => (
        <Disclosure
          key={detail}
          summary={`${unsent.length} ${unsent.length === 1 ? 'webhook' : 'webhooks'}: ${detail}`}
        >
          <ul className={classes['unsent']}>
            {unsent.map(({ webhook_id: webhookId }) => {
              const url = urls?.get(webhookId);
              return (
                <li key={webhookId}>
                  {urls === undefined || url !== undefined ? (
                    <LinkAnchor to="/webhooks/$webhookId" params={{ webhookId }} size="sm">
                      <Breakable>{url === undefined ? webhookId : addressOf({ url })}</Breakable>
                    </LinkAnchor>
                  ) : (
                    <Text size="sm">{webhookId} (deleted)</Text>
                  )}
                </li>
              );
            })}
          </ul>
        </Disclosure>
      ))}
    </Stack>
  );
}
