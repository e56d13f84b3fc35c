import { type JunctionClient, JunctionProblem } from '@junction/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import type { AssistantEvent } from '../api/answers.js';
import { deliveryOf } from '../commands/developers/find-deliveries.js';
import { isFailing, stateOf } from '../commands/developers/webhook-text.js';
import { webhooksOf } from '../commands/developers/webhooks.js';
import { VERSION } from '../version.js';
import { answer, type Product, READS, withoutContents } from './answer.js';
import { explanation } from './explain.js';
import { connections, explained, failingWebhooks, webhooks } from './output-schemas.js';
import { addWrites, READS_ONLY, refuseWrites } from './writing-tools.js';

const INSTRUCTIONS = `\
Junction connects the mailboxes and calendars of a user and delivers events of an assistant to webhooks of that user.
Each event is one message (msg_…), with one delivery (dlv_…) for each webhook (wh_…) that it matches, and one attempt
for each request. To find out why something did not arrive, begin with list_failing_webhooks; explain_delivery then
says in sentences what happened to a message or a delivery. Contents of events are not shown.`;

/** The product as tools of an assistant, as one user. Without `allowWrites` the tools that send say how to allow it. */
export function mcpServer(
  product: Product,
  { allowWrites }: { readonly allowWrites: boolean },
): McpServer {
  const server = new McpServer(
    { name: 'junction', title: 'Junction', version: VERSION },
    { instructions: allowWrites ? INSTRUCTIONS : `${INSTRUCTIONS} ${READS_ONLY}` },
  );
  addLists(server, product);
  addExplain(server, product);
  if (allowWrites) addWrites(server, product);
  else refuseWrites(server);
  return server;
}

function addLists(server: McpServer, product: Product): void {
  const { api } = product;
  server.registerTool(
    'list_webhooks',
    {
      title: 'List webhooks',
      description: 'Endpoints that get events: url, kinds, state.',
      outputSchema: webhooks,
      annotations: READS,
    },
    async () => answer<typeof webhooks>(product, async () => ({ webhooks: await webhooksOf(api) })),
  );
  server.registerTool(
    'list_failing_webhooks',
    {
      title: 'List failing webhooks',
      description: 'Webhooks that get nothing through, each with why and since when.',
      outputSchema: failingWebhooks,
      annotations: READS,
    },
    async () =>
      answer<typeof failingWebhooks>(product, async () => ({
        webhooks: (await webhooksOf(api)).filter(isFailing).map((webhook) => ({
          ...webhook,
          explanation: [stateOf(webhook), webhook.failing?.detail].filter(Boolean).join('. '),
        })),
      })),
  );
  server.registerTool(
    'list_connections',
    {
      title: 'List connections',
      description: 'Mailboxes and calendars that are connected, with state.',
      outputSchema: connections,
      annotations: READS,
    },
    async () => answer<typeof connections>(product, async () => api.get('/api/integrations')),
  );
}

function addExplain(server: McpServer, product: Product): void {
  const { api } = product;
  const id = z
    .string()
    .regex(/^(msg|dlv)_/)
    .describe('msg_… of an event or dlv_… of a delivery');
  server.registerTool(
    'explain_delivery',
    {
      title: 'Explain a delivery',
      description:
        'Why an event was delivered or not: which webhooks it matched, what was tried, what came back. Without contents.',
      inputSchema: { id },
      outputSchema: explained,
      annotations: READS,
    },
    async ({ id }) =>
      answer<typeof explained>(product, async () => {
        const one = id.startsWith('dlv_') ? await deliveryOf(api, id) : undefined;
        const event = await eventOf(api, one?.message_id ?? id, one !== undefined);
        const deliveries = one ? [one] : await detailsOf(api, event);
        return {
          explanation: explanation(one ? undefined : event, deliveries),
          event: event && { ...event, deliveries: undefined },
          deliveries: deliveries.map(withoutContents),
        };
      }),
  );
}

/**
 * Reads an event. `mayBeGone`: returns undefined for an event that is not found, because events are kept for seven
 * days and a delivery may outlive its event.
 */
async function eventOf(
  api: JunctionClient,
  messageId: string,
  mayBeGone: boolean,
): Promise<AssistantEvent | undefined> {
  try {
    return await api.get('/api/events/{messageId}', { params: { path: { messageId } } });
  } catch (error) {
    if (mayBeGone && error instanceof JunctionProblem && error.status === 404) return undefined;
    throw error;
  }
}

const detailsOf = async (api: JunctionClient, event: AssistantEvent | undefined) =>
  Promise.all(
    (event?.deliveries ?? []).map(async ({ delivery_id: deliveryId }) =>
      api.get('/api/deliveries/{deliveryId}', { params: { path: { deliveryId } } }),
    ),
  );
