import path from 'node:path';
import { nginxConfig } from './nginx-config.js';
import { nginxUpstreams } from './nginx-upstreams.js';
import { readPageRules } from './page-rules.js';
import { readRoutingTable } from './routing-table.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../../infra/gateway');

export const ROUTES_FILE = path.join(FOLDER, 'routes.json');
export const PAGES_FILE = path.join(FOLDER, 'pages.json');

/** Docker's own name server, in every network that compose makes. */
const DOCKER_DNS = '127.0.0.11';

/** The files that are made from routes.json and pages.json: absolute path → text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const config = nginxConfig(readRoutingTable(ROUTES_FILE), readPageRules(PAGES_FILE));
  return new Map([
    [path.join(FOLDER, 'nginx.conf'), config],
    [
      path.join(FOLDER, 'upstreams.conf'),
      nginxUpstreams(at('127.0.0.1', '127.0.0.1', '127.0.0.1')),
    ],
    [
      path.join(FOLDER, 'upstreams.compose.conf'),
      nginxUpstreams(at('auth', 'integrations', 'webhook-dispatcher'), { resolver: DOCKER_DNS }),
    ],
  ]);
}

const at = (auth: string, integrations: string, webhooks: string) => ({
  auth: [`${auth}:7001`],
  integrations: [`${integrations}:7002`],
  webhooks: [`${webhooks}:7003`],
});
