import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe } from '@jest/globals';
import { gateway } from '@junction/local-stack';
import { holdToGatewayCases } from './gateway-cases.js';

describe('the gateway of npm start', () => {
  holdToGatewayCases(async ({ auth, integrations, webhooks }, siteDir, portalOrigins) => {
    const upstreams = {
      auth: `http://${auth}`,
      integrations: `http://${integrations}`,
      webhooks: `http://${webhooks}`,
    };
    let log = '';
    const server = gateway(upstreams, { folders: [siteDir], portalOrigins }, (answer) => {
      log += `${JSON.stringify(answer)}\n`;
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      accessLog: () => log,
      async stop() {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    };
  });
});
