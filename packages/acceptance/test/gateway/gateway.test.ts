import { describe } from '@jest/globals';
import { gateway } from '@junction/local-stack';
import { listening } from '@junction/testing';
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
    });
    const { url, close } = await listening(server);
    return { url, accessLog: () => log, stop: close };
  });
});
