import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { connectTo } from '../../api/connect.js';
import { type ApiContext, apiCommand } from '../../api-command.js';
import { commaSeparated, whole } from '../../arguments.js';
import { listenMcp } from '../../mcp/http.js';
import { mcpServer } from '../../mcp/tools.js';
import type { World } from '../../world.js';

interface McpOptions {
  readonly allowWrites?: boolean;
  readonly http?: number;
  readonly host: string;
  readonly origins?: readonly string[];
}

/** `junction mcp` */
export const command = (world: World) =>
  apiCommand<McpOptions>(world, {
    name: 'mcp',
    about: 'the product as tools for assistants (Model Context Protocol), on standard input',
    options: [
      ['--allow-writes', 'offer tools that send too: send_test_event, resend_delivery'],
      ['--http <port>', 'by HTTP at /mcp; each request brings an API key', whole(0, 65_535)],
      ['--host <address>', 'address to listen on with --http', undefined, '127.0.0.1'],
      ['--origins <origins>', 'web pages that may call it, with --http', commaSeparated],
    ],
    examples: ['mcp', 'mcp --allow-writes', 'mcp --http 8787'],
    async run(context, _, options) {
      if (options.http === undefined) await serveStdio(context, options);
      else await serveHttp(context, { ...options, http: options.http });
    },
  });

/** Serves until the process at the other end closes the pipe. */
async function serveStdio(context: ApiContext, options: McpOptions): Promise<void> {
  const { world, signal } = context;
  const server = mcpServer(context, { allowWrites: options.allowWrites === true });
  const ended = once(world.input, 'end', { signal }).catch(() => undefined);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

async function serveHttp(
  { url, output, signal }: ApiContext,
  { http: port, host, origins = [], allowWrites = false }: McpOptions & { readonly http: number },
): Promise<void> {
  const serverFor = (apiKey: string) =>
    mcpServer({ url, api: connectTo(url, { token: apiKey }) }, { allowWrites });
  const server = await listenMcp({ port, host, origins, serverFor });
  const { port: bound } = server.address() as AddressInfo;
  output.note(`MCP at http://${host}:${bound}/mcp. Ctrl-C ends it.`);
  if (!signal.aborted) await once(signal, 'abort');
  server.close();
  server.closeAllConnections();
}
