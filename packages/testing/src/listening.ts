import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server that listens on a port of its own. */
export interface Listening {
  readonly port: number;
  /** Address without a slash at the end. */
  readonly url: string;
  /** Ends connections too, and does nothing when it is closed already. */
  close(): Promise<void>;
}

/** Longer than a client keeps an idle connection, so that none is closed as its next request is on the way. */
const KEEP_ALIVE_MS = 600_000;

/** Has a server listen on 127.0.0.1. */
export async function listening(server: Server): Promise<Listening> {
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
      await closed;
    },
  };
}
