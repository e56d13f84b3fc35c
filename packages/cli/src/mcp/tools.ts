import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AssistantEvent, DeliveryDetail, Integration } from '../api/answers.js';
import type { Api } from '../api/api.js';
import { Refusal } from '../api/refusal.js';
import { deliveryOf, deliveryPath } from '../commands/developers/find-deliveries.js';
import { attempted, resend, type Sent } from '../commands/developers/outcome.js';
import { isFailing, stateOf } from '../commands/developers/webhook-text.js';
import { webhookPath, webhooksOf } from '../commands/developers/webhooks.js';
import { VERSION } from '../version.js';
import { explanation } from './explain.js';

const READS = { readOnlyHint: true, openWorldHint: false };
/** Tools that send something to a receiver, and never take anything away. */
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

/** The product as tools of an assistant, as one user. What would change something is there with `allowWrites` alone. */
export function mcpServer(api: Api, { allowWrites }: { readonly allowWrites: boolean }): McpServer {
  const server = new McpServer({ name: 'junction', version: VERSION });
  addLists(server, api);
  addExplain(server, api);
  if (allowWrites) addWrites(server, api);
  return server;
}

function addLists(server: McpServer, api: Api): void {
  server.registerTool(
    'list_webhooks',
    { description: 'Endpoints that get events: url, kinds, state.', annotations: READS },
    async () => json({ webhooks: await webhooksOf(api) }),
  );
  server.registerTool(
    'list_failing_webhooks',
    {
      description: 'Webhooks that get nothing through, each with why and since when.',
      annotations: READS,
    },
    async () => {
      const failing = (await webhooksOf(api)).filter(isFailing);
      return json({
        webhooks: failing.map((webhook) => ({
          ...webhook,
          explanation: [stateOf(webhook), webhook.failing?.detail].filter(Boolean).join('. '),
        })),
      });
    },
  );
  server.registerTool(
    'list_connections',
    { description: 'Mailboxes and calendars that are connected, with state.', annotations: READS },
    async () =>
      json(await api.call<{ integrations: readonly Integration[] }>('GET', '/api/integrations')),
  );
}

function addExplain(server: McpServer, api: Api): void {
  const id = z
    .string()
    .regex(/^(msg|dlv)_/)
    .describe('msg_… of an event or dlv_… of a delivery');
  server.registerTool(
    'explain_delivery',
    {
      description:
        'Why an event was delivered or not: which webhooks it matched, what was tried, what came back. Without contents.',
      inputSchema: { id },
      annotations: READS,
    },
    async ({ id }) => {
      const one = id.startsWith('dlv_') ? await deliveryOf(api, id) : undefined;
      const event = await eventOf(api, one?.message_id ?? id, one !== undefined);
      const deliveries = one ? [one] : await detailsOf(api, event);
      return json({
        explanation: explanation(one ? undefined : event, deliveries),
        event: event && { ...event, deliveries: undefined },
        deliveries: deliveries.map(withoutContents),
      });
    },
  );
}

/**
 * Reads an event. `mayBeGone`: returns undefined for an event that is not found, because events are kept for seven
 * days and a delivery may outlive its event.
 */
async function eventOf(
  api: Api,
  messageId: string,
  mayBeGone: boolean,
): Promise<AssistantEvent | undefined> {
  try {
    return await api.call<AssistantEvent>('GET', `/api/events/${encodeURIComponent(messageId)}`);
  } catch (error) {
    if (mayBeGone && error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

const detailsOf = async (api: Api, event: AssistantEvent | undefined) =>
  Promise.all(
    (event?.deliveries ?? []).map(async ({ webhook_id, delivery_id }) =>
      api.call<DeliveryDetail>('GET', deliveryPath(webhook_id, delivery_id)),
    ),
  );

function addWrites(server: McpServer, api: Api): void {
  server.registerTool(
    'send_test_event',
    {
      description: 'Send a webhook the example of a kind of event, and tell what it answered.',
      inputSchema: {
        webhook_id: z.string().describe('wh_…'),
        kind: z.string().describe('for instance draft.created'),
      },
      annotations: WRITES,
    },
    async ({ webhook_id: webhookId, kind }) => {
      const path = `${webhookPath(webhookId)}/test`;
      const sent = await api.call<{ delivery_id: string }>('POST', path, { body: { kind } });
      return outcome(api, { webhookId, deliveryId: sent.delivery_id, before: 0 });
    },
  );
  server.registerTool(
    'resend_delivery',
    {
      description:
        'Send a delivery again, at once if it still waits, and tell what the receiver answered.',
      inputSchema: { delivery_id: z.string().describe('dlv_…') },
      annotations: WRITES,
    },
    async ({ delivery_id: id }) => outcome(api, await resend(api, id)),
  );
}

async function outcome(api: Api, sent: Sent): Promise<CallToolResult> {
  const delivery = await attempted(api, sent);
  return json({
    explanation: explanation(undefined, [delivery]),
    delivery: withoutContents(delivery),
  });
}

/** Removes the bodies of requests and answers: they are personal, and an explanation does not need them. */
const withoutContents = ({ attempts, ...delivery }: DeliveryDetail) => ({
  ...delivery,
  request_body: undefined,
  attempts: attempts.map(({ at, attempt, result, detail, response_status, timing }) => ({
    attempt,
    at,
    result,
    detail,
    response_status,
    total_ms: timing.total_ms,
  })),
});

const json = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value, null, 2) }],
});
