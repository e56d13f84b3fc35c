import type { JunctionClient } from '@junction/client';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { checkKinds } from '../commands/developers/kinds.js';
import { attempted, resend, type Sent } from '../commands/developers/outcome.js';
import { answer, type Product, READS, withoutContents } from './answer.js';
import { explanation } from './explain.js';
import { outcome } from './output-schemas.js';

/** The tools send something to a receiver, and never take anything away. */
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };

const SEND = {
  title: 'Send a test event',
  description: 'Send a webhook the example of a kind of event, and tell what it answered.',
};
const RESEND = {
  title: 'Send a delivery again',
  description:
    'Send a delivery again, at once if it still waits, and tell what the receiver answered.',
};

export const READS_ONLY =
  'This server was started to read only. Start it with --allow-writes to send: junction mcp --allow-writes';

/** Lists the tools that send, so that an assistant can say how its user gets them. */
export function refuseWrites(server: McpServer): void {
  const tools = { send_test_event: SEND, resend_delivery: RESEND };
  for (const [name, { title, description }] of Object.entries(tools)) {
    const refused = { title, description: `${description} ${READS_ONLY}`, annotations: READS };
    server.registerTool(name, refused, () => ({
      content: [{ type: 'text', text: READS_ONLY }],
      isError: true,
    }));
  }
}

export function addWrites(server: McpServer, product: Product): void {
  const { api } = product;
  server.registerTool(
    'send_test_event',
    {
      ...SEND,
      inputSchema: {
        webhook_id: z.string().describe('wh_…'),
        event_type: z.string().describe('for instance draft.created'),
      },
      outputSchema: outcome,
      annotations: WRITES,
    },
    async ({ webhook_id: webhookId, event_type: kind }) =>
      answer<typeof outcome>(product, async () => {
        await checkKinds(api, [kind]);
        const params = { path: { id: webhookId } };
        const sent = await api.post('/api/webhooks/{id}/test', {
          params,
          body: { event_type: kind },
        });
        return outcomeOf(api, { webhookId, deliveryId: sent.delivery_id, before: 0 });
      }),
  );
  server.registerTool(
    'resend_delivery',
    {
      ...RESEND,
      inputSchema: { delivery_id: z.string().describe('dlv_…') },
      outputSchema: outcome,
      annotations: WRITES,
    },
    async ({ delivery_id: id }) =>
      answer<typeof outcome>(product, async () => outcomeOf(api, await resend(api, id))),
  );
}

async function outcomeOf(api: JunctionClient, sent: Sent): Promise<z.input<typeof outcome>> {
  const delivery = await attempted(api, sent);
  return { explanation: explanation(undefined, [delivery]), delivery: withoutContents(delivery) };
}
