import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export interface McpHttpOptions {
  readonly port: number;
  /** 127.0.0.1 unless told otherwise. */
  readonly host: string;
  /** Pages of the web that may ask, besides those of this machine. */
  readonly origins: readonly string[];
  /** Tools for whoever this API key belongs to. */
  readonly serverFor: (apiKey: string) => McpServer;
}

const PATH = '/mcp';
const BODY_MAX = 1_048_576;
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Serves MCP's Streamable HTTP without sessions: the tools of each request act as the owner of the API key in it. A
 * page of the web is refused unless its origin is allowed, because its host name may point here (DNS rebinding).
 */
export async function listenMcp(options: McpHttpOptions): Promise<Server> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'It failed.');
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return server;
}

async function answer(
  { origins, serverFor }: McpHttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, authorization = '' } = request.headers;
  if (origin !== undefined && !(LOOPBACK.test(origin) || origins.includes(origin))) {
    return refuse(response, 403, `${origin} may not ask here.`);
  }
  if (request.url !== PATH) return refuse(response, 404, `MCP is at ${PATH}.`);
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return refuse(response, 405, 'There are no streams here: POST alone.');
  }
  const apiKey = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (apiKey === undefined) {
    response.setHeader('www-authenticate', 'Bearer realm="junction"');
    return refuse(response, 401, 'Bring an API key: Authorization: Bearer KEY');
  }
  const body = await bodyOf(request);
  if (body === undefined)
    return refuse(response, 400, `A body is JSON of at most ${BODY_MAX} bytes.`);
  const server = serverFor(apiKey);
  response.once('close', () => void server.close());
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_MAX) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { code: -32_000, message };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
