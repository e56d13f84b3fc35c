import path from 'node:path';
import { z } from 'zod';
import { gateway } from './gateway.js';

const PACKAGES = path.resolve(import.meta.dirname, '../../..');
/** Milliseconds that requests under way have for their answer once the gateway is to stop. */
const ANSWERED_WITHIN_MS = 5_000;
const SITES = ['dashboard', 'docs'].map((name) => path.join(PACKAGES, name, 'dist/site'));

const { GATEWAY_PORT, GATEWAY_HOST, PORTAL_ORIGINS, ...urls } = z
  .object({
    GATEWAY_PORT: z.coerce.number().int().min(1).max(65_535),
    GATEWAY_HOST: z.string().optional(),
    /** Auth judges them before this starts. */
    PORTAL_ORIGINS: z.string().default(''),
    AUTH_HTTP_URL: z.url(),
    INTEGRATIONS_HTTP_URL: z.url(),
    WEBHOOKS_HTTP_URL: z.url(),
  })
  .parse(process.env);

const upstreams = {
  auth: urls.AUTH_HTTP_URL,
  integrations: urls.INTEGRATIONS_HTTP_URL,
  webhooks: urls.WEBHOOKS_HTTP_URL,
};
const portalOrigins = PORTAL_ORIGINS.split(',')
  .map((origin) => origin.trim())
  .filter((origin) => origin !== '');
const server = gateway(upstreams, { folders: SITES, portalOrigins }, (answer) =>
  console.log(JSON.stringify(answer)),
);

// When no host is given, Node listens on every address of both families, so `localhost` works either way.
server.listen({
  port: GATEWAY_PORT,
  ...(GATEWAY_HOST === undefined ? {} : { host: GATEWAY_HOST }),
});
server.on('listening', () => console.log(`gateway on port ${GATEWAY_PORT}`));

const stop = () => {
  server.close();
  server.closeIdleConnections();
  // Browsers and fetch open connections ahead, on which Node would wait a minute for a request.
  setTimeout(() => server.closeAllConnections(), ANSWERED_WITHIN_MS).unref();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
