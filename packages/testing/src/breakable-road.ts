import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP road to a server that others use too: broken, it is as if the server were killed. */
export interface BreakableRoad {
  /** Address with the host and port of the road instead of the original ones. */
  readonly url: string;
  /** Ends every connection and refuses new ones. */
  break(): Promise<void>;
  mend(): Promise<void>;
}

export async function breakableRoad(to: string): Promise<BreakableRoad> {
  const { hostname: host, port } = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  const listen = async (at: number): Promise<void> => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);

  const { port: own } = server.address() as AddressInfo;
  const url = new URL(to);
  url.host = `127.0.0.1:${own}`;
  return {
    url: url.href,
    async break() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    mend: () => listen(own),
  };
}
