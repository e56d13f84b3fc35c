import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readEndpoints, readPids } from './endpoints.js';
import { type Product, startProduct } from './product.js';

/** Variable with the address at which a run of the tests lends its product to its test files. */
const PRODUCT = 'JUNCTION_TEST_PRODUCT';

/** A second attempt soon, a third one never; a circuit that probes often enough to be seen closing; somebody who may
 * frame the portal. */
const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE_S: '1,3600',
  WEBHOOK_BREAKER_RESET_S: '2',
  PORTAL_ORIGINS: 'https://app.example.com',
};

/** A product that others use at the same time: nothing may be done to it that they would notice. */
export type SharedProduct = Pick<Product, 'endpoints' | 'dataDir' | 'pids' | 'stop'>;

/**
 * The product that this run of the tests lends to whoever asks; outside of a run one of its own. To stop
 * a lent one does nothing: the run does it.
 */
export async function sharedProduct(env: NodeJS.ProcessEnv): Promise<SharedProduct> {
  const server = env[PRODUCT];
  if (!server) return startProduct(env, SETTINGS);
  const answer = await fetch(server);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return {
    endpoints: readEndpoints(text),
    dataDir: text,
    pids: () => readPids(text),
    stop: async () => 0,
  };
}

export interface ProductLender {
  /** Variables to be added to the environment of the test files. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the product, if anybody asked for one. Resolves to whether it ended in good order. */
  end(): Promise<boolean>;
}

/** Lends one product to all who ask, started when the first one does: a start costs more than most tests. */
export async function lendProduct(env: NodeJS.ProcessEnv): Promise<ProductLender> {
  let product: Promise<Product> | undefined;
  const ending = new AbortController();
  const server = createServer((_, response) => {
    // Each process asks once. Otherwise its next test file could reuse the connection at the moment when it is
    // closed.
    response.setHeader('connection', 'close');
    product ??= startProduct(env, SETTINGS, ending.signal);
    product.then(
      ({ dataDir }) => response.end(dataDir),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: { [PRODUCT]: `http://127.0.0.1:${port}/` },
    async end() {
      server.close();
      server.closeAllConnections();
      ending.abort();
      if (product === undefined) return true;
      return product.then(
        async ({ stop }) => (await stop()) === 0,
        () => false, // the test file that asked got the reason
      );
    },
  };
}
