import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import httpProxy from 'http-proxy-3';
import {
  GATEWAY_PROBLEMS,
  type GatewayProblem,
  problemBody,
  RETRY_AFTER_S,
} from './gateway-problems.js';
import { isAmbiguous, isPassed, type Upstream, upstreamOf } from './routes.js';
import { acceptsHtml, site } from './site.js';

const UPSTREAM_TIMEOUT_MS = 60_000;
const UPSTREAM_SOCKETS_MAX = 256;
/** Above the services' own limits (256 KB), which answer with what they allow. */
const BODY_MAX_BYTES = 1_048_576;
/** As nginx takes a head: in two buffers, of which each line fits into one. */
const LINE_MAX_BYTES = 32_768;
const HEAD_MAX_BYTES = 2 * LINE_MAX_BYTES;
/** Node answers beyond this, in no words. */
const HEAD_READ_MAX_BYTES = 1_048_576;
/**
 * Keep-alive as nginx has it. With Node's 5 s, a client that paused would meet connections that are just being
 * closed.
 */
const KEEP_ALIVE_MS = 65_000;

/** Addresses of the services, as http://host:port. */
export type Upstreams = Readonly<Record<Upstream, string>>;

export interface Pages {
  /** Folders with the files of the dashboard and of the documentation. */
  readonly folders: readonly string[];
  /** Origins that may frame the portal, from PORTAL_ORIGINS. */
  readonly portalOrigins: readonly string[];
}

/** The log entry for an answer of the gateway's own. A query may hold an authorization code, so the entry has none. */
export interface OwnAnswer {
  readonly time: string;
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * The gateway of `npm start`: one address for the three services and the pages.
 * It answers as infra/gateway/nginx.conf does and decides nothing about callers, because each
 * service verifies the token itself. Each problem it answers by itself is handed to `log`.
 */
export function gateway(
  upstreams: Upstreams,
  { folders, portalOrigins }: Pages,
  log: (answer: OwnAnswer) => void,
): Server {
  const files = site(folders, portalOrigins);
  const agent = new Agent({ keepAlive: true, maxSockets: UPSTREAM_SOCKETS_MAX });
  const proxy = httpProxy.createProxyServer({
    agent,
    xfwd: false,
    proxyTimeout: UPSTREAM_TIMEOUT_MS,
  });
  const problem = (req: IncomingMessage, res: ServerResponse, kind: GatewayProblem) =>
    log(answerProblem(req, res, kind));
  proxy.on('error', (_error, req, res) => {
    if (!(res instanceof ServerResponse) || res.headersSent) {
      res.destroy();
      return;
    }
    res.setHeader('retry-after', String(RETRY_AFTER_S));
    problem(req, res, GATEWAY_PROBLEMS.unavailable);
  });
  // Or a caller waits for the rest of an answer, of a stream for ever, that nobody sends any more.
  proxy.on('proxyRes', (answer, _req, res) => {
    answer.on('close', () => answer.complete || res.destroy());
  });

  const limits = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEAD_READ_MAX_BYTES };
  const server = createServer(limits, (req, res) => {
    const tooLong = tooLongIn(req);
    if (tooLong !== undefined) return problem(req, res, tooLong);
    const target = absolute(req.url ?? '/');
    if (!URL.canParse(target) || isAmbiguous(target) || hasTwoCredentials(req)) {
      return problem(req, res, GATEWAY_PROBLEMS.invalidRequest);
    }
    if (Number(req.headers['content-length'] ?? 0) > BODY_MAX_BYTES) {
      return problem(req, res, GATEWAY_PROBLEMS.bodyTooLarge);
    }

    const url = new URL(target);
    const upstream = upstreamOf(url.pathname);
    if (upstream !== undefined) {
      introduce(req);
      req.url = url.pathname + url.search; // the path that was routed, with no dot segments left
      return proxy.web(req, res, { target: upstreams[upstream] });
    }
    files(url.pathname, req, res, () => problem(req, res, GATEWAY_PROBLEMS.noSuchRoute));
  });
  server.on('close', () => agent.destroy());
  return server;
}

function tooLongIn({ url = '', rawHeaders }: IncomingMessage): GatewayProblem | undefined {
  if (url.length > LINE_MAX_BYTES) return GATEWAY_PROBLEMS.addressTooLong;
  const isTooLong = rawHeaders.some((text) => text.length > LINE_MAX_BYTES);
  const isTooMuch = url.length + rawHeaders.join('').length > HEAD_MAX_BYTES;
  return isTooLong || isTooMuch ? GATEWAY_PROBLEMS.headersTooLarge : undefined;
}

/** Tells whether a request has several fields Authorization. Node would pass the first on without a word. */
const hasTwoCredentials = ({ headersDistinct: { authorization = [] } }: IncomingMessage): boolean =>
  authorization.length > 1;

/** Returns the URL of a request's target. In a path that begins with two slashes, the first segment is no host. */
const absolute = (target: string): string =>
  target.startsWith('/') ? `http://gateway${target}` : target;

/** Replaces what a caller says about where the request came from by what the gateway sees. */
function introduce(req: IncomingMessage): void {
  for (const name of Object.keys(req.headers)) if (!isPassed(name)) delete req.headers[name];
  req.headers['x-forwarded-for'] = req.socket.remoteAddress ?? '';
  req.headers['x-forwarded-proto'] = 'http';
  req.headers['x-forwarded-host'] = req.headers.host ?? '';
}

function answerProblem(req: IncomingMessage, res: ServerResponse, kind: GatewayProblem): OwnAnswer {
  const { method = '', url = '' } = req;
  const requestId = randomUUID();
  const { status, detail } = kind;
  // A person who opens a page reads it as plain words.
  const isForReader = kind === GATEWAY_PROBLEMS.headersTooLarge && acceptsHtml(req);
  res.writeHead(status, {
    'content-type': isForReader ? 'text/plain; charset=utf-8' : 'application/problem+json',
    'cache-control': 'no-store',
  });
  res.end(isForReader ? detail : problemBody(kind, requestId));
  const [path = ''] = url.split('?');
  return { time: new Date().toISOString(), request_id: requestId, method, path, status };
}
