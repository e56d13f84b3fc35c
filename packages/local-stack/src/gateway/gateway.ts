import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import httpProxy from 'http-proxy-3';
import { DOOR_PROBLEMS, type DoorProblem, problemBody, RETRY_AFTER_S } from './door-problems.js';
import {
  headersKeptOut,
  isAmbiguous,
  type RoutingTable,
  type Upstream,
  upstreamOf,
} from './routing-table.js';
import type { Site } from './site.js';

const UPSTREAM_TIMEOUT_MS = 60_000;
const UPSTREAM_SOCKETS_MAX = 256;
/** As nginx does. With Node's 5 s a client that paused meets connections that are just being closed. */
const KEEP_ALIVE_MS = 65_000;

/** Where each service listens, as http://host:port. */
export type Upstreams = Readonly<Record<Upstream, string>>;

/**
 * The front door of `npm start`: one address for the three services and the dashboard.
 * It decides nothing about callers; each service verifies the token itself.
 */
export function gateway(table: RoutingTable, upstreams: Upstreams, site: Site): Server {
  const agent = new Agent({ keepAlive: true, maxSockets: UPSTREAM_SOCKETS_MAX });
  const proxy = httpProxy.createProxyServer({
    agent,
    xfwd: false,
    proxyTimeout: UPSTREAM_TIMEOUT_MS,
  });
  proxy.on('error', (_error, _req, res) => {
    if (res instanceof ServerResponse && !res.headersSent) return unavailable(res);
    res.destroy();
  });

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => {
    const target = req.url ?? '/';
    if (!URL.canParse(target, 'http://gateway') || isAmbiguous(target)) {
      return problem(res, DOOR_PROBLEMS.invalidRequest);
    }

    const url = new URL(target, 'http://gateway');
    const upstream = upstreamOf(table, url.pathname);
    if (upstream !== undefined) {
      introduce(table, req);
      req.url = url.pathname + url.search; // what was routed is what is asked: no dot segments left
      return proxy.web(req, res, { target: upstreams[upstream] });
    }
    answer(url, req, res, site);
  });
  server.on('close', () => agent.destroy());
  return server;
}

/** Whatever an outsider said about where the request came from is replaced by what we saw. */
function introduce(table: RoutingTable, req: IncomingMessage): void {
  for (const name of headersKeptOut(table, Object.keys(req.headers))) delete req.headers[name];
  req.headers['x-forwarded-for'] = req.socket.remoteAddress ?? '';
  req.headers['x-forwarded-proto'] = 'http';
  req.headers['x-forwarded-host'] = req.headers.host ?? '';
}

function answer(url: URL, req: IncomingMessage, res: ServerResponse, site: Site): void {
  site(url.pathname, req, res, () => problem(res, DOOR_PROBLEMS.noSuchRoute));
}

function unavailable(res: ServerResponse): void {
  res.setHeader('retry-after', String(RETRY_AFTER_S));
  problem(res, DOOR_PROBLEMS.unavailable);
}

function problem(res: ServerResponse, kind: DoorProblem): void {
  res.writeHead(kind.status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  });
  res.end(problemBody(kind, randomUUID()));
}
