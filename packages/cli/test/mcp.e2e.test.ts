import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { type Call, eventually, type Receiver, startReceiver } from '@junction/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { newDeveloper } from './developer.js';
import { type Running, startJunction } from './junction.js';

const JUNCTION = path.resolve(import.meta.dirname, '../bin/junction.mjs');
const READS = ['explain_delivery', 'list_connections', 'list_failing_webhooks', 'list_webhooks'];
const WRITES = ['resend_delivery', 'send_test_event'];

const product = useProduct();
let receiver: Receiver;
let call: Call;
let apiKey: string;
let webhookId: string;
const clients: Client[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  ({ call, apiKey } = await newDeveloper(product()));
  const webhook = { url: `${receiver.url}/hook`, events: ['draft.created'], enabled: true };
  const configured = await call('POST', '/api/webhooks', { json: webhook });
  ({ webhook_id: webhookId } = configured.body as { webhook_id: string });
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await receiver?.close();
});

describe('junction mcp', () => {
  it('only reads unless it is told otherwise', async () => {
    const client = await stdio('mcp');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...READS, ...WRITES].sort());
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(client.getInstructions()).toContain('--allow-writes');
    const test = { webhook_id: webhookId, event_type: 'draft.created' };
    const sent = await client.callTool({ name: 'send_test_event', arguments: test });
    expect(sent.isError).toBe(true);
    expect(JSON.stringify(sent.content)).toContain('Start it with --allow-writes');
    expect(receiver.requests).toEqual([]);
    expect(await ask(client, 'list_connections')).toEqual({ integrations: [] });
    expect(await ask(client, 'list_webhooks')).toEqual({
      webhooks: [expect.objectContaining({ webhook_id: webhookId })],
    });
  });

  it('sends, resends, and explains why something was not delivered', async () => {
    const client = await stdio('mcp', '--allow-writes');
    const { tools } = await client.listTools();
    const writes = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(writes.map(({ name }) => name).sort()).toEqual(WRITES);
    expect(tools.filter(({ title, outputSchema }) => !title || !outputSchema)).toEqual([]);
    expect(client.getInstructions()).not.toContain('--allow-writes');

    receiver.answer({ status: 500 });
    const test = { webhook_id: webhookId, event_type: 'draft.created' };
    const mistyped = { ...test, event_type: 'draft.creatd' };
    const refused = await client.callTool({ name: 'send_test_event', arguments: mistyped });
    expect(JSON.stringify(refused.content)).toContain('Did you mean draft.created?');
    const { delivery, explanation } = (await ask(client, 'send_test_event', test)) as Told;
    expect(explanation[0]).toContain('HTTP 500');

    const id = delivery.delivery_id;
    const explained = (await ask(client, 'explain_delivery', { id })) as Told;
    expect(explained.explanation).toEqual([expect.stringContaining('it is tried again at')]);
    expect(JSON.stringify(explained)).not.toContain('request_body');
    await eventually(async () => {
      const { webhooks } = (await ask(client, 'list_failing_webhooks')) as { webhooks: object[] };
      expect(webhooks).toEqual([
        expect.objectContaining({ explanation: expect.stringContaining('failing since') }),
      ]);
    });

    receiver.answer({ status: 200 });
    const again = (await ask(client, 'resend_delivery', { delivery_id: id })) as Told;
    expect(again.explanation[0]).toContain('succeeded');
  });

  it('says what is wrong with a question', async () => {
    const client = await stdio('mcp');
    const unknown = { id: `msg_${randomUUID()}` };
    const answer = await client.callTool({ name: 'explain_delivery', arguments: unknown });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer.content)).toContain('event_not_found');
  });
});

describe('junction mcp --http', () => {
  let server: Running;
  let url: URL;

  beforeAll(async () => {
    server = startJunction(product(), ['mcp', '--http', '0']);
    await eventually(() => expect(server.err()).toContain('/mcp. Ctrl-C'));
    url = new URL(/http:\S+\/mcp/.exec(server.err())?.[0] ?? '');
  });

  afterAll(async () => {
    server.interrupt();
    expect((await server.ended).code).toBe(0);
  });

  const overHttp = async (key: string) => {
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    return connected(new StreamableHTTPClientTransport(url, { requestInit }));
  };

  it('asks as the owner of the API key of each request', async () => {
    const client = await overHttp(apiKey);
    expect(await ask(client, 'list_webhooks')).toEqual({
      webhooks: [expect.objectContaining({ webhook_id: webhookId })],
    });
  });

  it.each([
    ['no key', {}, 401],
    ['a page of the web', { origin: 'https://evil.example', authorization: 'Bearer x' }, 403],
  ])('refuses %s', async (_, headers, status) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
  });

  it('lets a wrong key see nothing', async () => {
    const client = await overHttp('wrong');
    const answer = await client.callTool({ name: 'list_webhooks', arguments: {} });
    expect(answer.isError).toBe(true);
  });
});

interface Told {
  readonly explanation: readonly string[];
  readonly delivery: { readonly delivery_id: string };
}

const stdio = async (...args: readonly string[]): Promise<Client> =>
  connected(
    new StdioClientTransport({
      command: process.execPath,
      args: [JUNCTION, ...args],
      env: { JUNCTION_API_KEY: apiKey, JUNCTION_URL: product().endpoints.gateway },
    }),
  );

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  clients.push(client);
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  expect(structuredContent).toEqual(JSON.parse(text));
  return structuredContent;
}
