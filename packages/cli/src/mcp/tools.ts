import { type JunctionClient, JunctionProblem } from '@junction/client';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AssistantEvent, DeliveryDetail } from '../api/answers.js';
import { apiFailure } from '../api/api-failure.js';
import type { AskingApi } from '../asking-api.js';
import { deliveryOf } from '../commands/developers/find-deliveries.js';
import { attempted, resend, type Sent } from '../commands/developers/outcome.js';
import { isFailing, stateOf } from '../commands/developers/webhook-text.js';
import { webhooksOf } from '../commands/developers/webhooks.js';
import { VERSION } from '../version.js';
import { explanation } from './explain.js';

const READS = { readOnlyHint: true, openWorldHint: false };
/** Tools that send something to a receiver, and never take anything away. */
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

type Product = Pick<AskingApi, 'api' | 'url'>;

/** The product as tools of an assistant, as one user. What would change something is there with `allowWrites` alone. */
export function mcpServer(
  product: Product,
  { allowWrites }: { readonly allowWrites: boolean },
): McpServer {
  const server = new McpServer({ name: 'junction', version: VERSION });
  addLists(server, product);
  addExplain(server, product);
  if (allowWrites) addWrites(server, product);
  return server;
}

function addLists(server: McpServer, product: Product): void {
  const { api } = product;
  server.registerTool(
    'list_webhooks',
    { description: 'Endpoints that get events: url, kinds, state.', annotations: READS },
    async () => answer(product, async () => ({ webhooks: await webhooksOf(api) })),
  );
  server.registerTool(
    'list_failing_webhooks',
    {
      description: 'Webhooks that get nothing through, each with why and since when.',
      annotations: READS,
    },
    async () =>
      answer(product, async () => ({
        webhooks: (await webhooksOf(api)).filter(isFailing).map((webhook) => ({
          ...webhook,
          explanation: [stateOf(webhook), webhook.failing?.detail].filter(Boolean).join('. '),
        })),
      })),
  );
  server.registerTool(
    'list_connections',
    { description: 'Mailboxes and calendars that are connected, with state.', annotations: READS },
    async () => answer(product, async () => api.get('/api/integrations')),
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
      description:
        'Why an event was delivered or not: which webhooks it matched, what was tried, what came back. Without contents.',
      inputSchema: { id },
      annotations: READS,
    },
    async ({ id }) =>
      answer(product, async () => {
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
    (event?.deliveries ?? []).map(async ({ webhook_id: id, delivery_id: deliveryId }) =>
      api.get('/api/webhooks/{id}/deliveries/{deliveryId}', {
        params: { path: { id, deliveryId } },
      }),
    ),
  );

function addWrites(server: McpServer, product: Product): void {
  const { api } = product;
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
    async ({ webhook_id: webhookId, kind }) =>
      answer(product, async () => {
        const params = { path: { id: webhookId } };
        const sent = await api.post('/api/webhooks/{id}/test', { params, body: { kind } });
        return outcome(api, { webhookId, deliveryId: sent.delivery_id, before: 0 });
      }),
  );
  server.registerTool(
    'resend_delivery',
    {
      description:
        'Send a delivery again, at once if it still waits, and tell what the receiver answered.',
      inputSchema: { delivery_id: z.string().describe('dlv_…') },
      annotations: WRITES,
    },
    async ({ delivery_id: id }) => answer(product, async () => outcome(api, await resend(api, id))),
  );
}

async function outcome(api: JunctionClient, sent: Sent): Promise<object> {
  const delivery = await attempted(api, sent);
  return { explanation: explanation(undefined, [delivery]), delivery: withoutContents(delivery) };
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

/** Answers with a value as JSON. @throws Failure whose words say what to do */
async function answer({ url }: Product, read: () => Promise<object>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await read(), null, 2) }] };
  } catch (error) {
    throw apiFailure(url, error);
  }
}
