import http from 'node:http';
import net from 'node:net';
import { listening } from '@junction/testing';

/** A proxy as a network has it towards the outside: CONNECT only. */
export interface ConnectProxy {
  readonly port: number;
  /** The authorities it was asked for, with what it was told about who asks. */
  readonly asked: readonly {
    readonly target: string;
    readonly authorization: string | undefined;
  }[];
  /** Sets the status of its answers, for this target alone if one is given; 200 at first. */
  answer(status: number, target?: string): void;
  close(): Promise<void>;
}

/** Whatever it is asked for, it connects to this port of this machine. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<net.Socket>();
  const answers = new Map<string | undefined, number>();
  const server = http.createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    const { url: target = '', headers } = request;
    asked.push({ target, authorization: headers['proxy-authorization'] });
    sockets.add(client.on('error', () => client.destroy()));
    const status = answers.get(target) ?? answers.get(undefined) ?? 200;
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const receiver = net.connect(port, '127.0.0.1');
    sockets.add(receiver.on('error', () => client.destroy()));
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(receiver).pipe(client);
  });
  const { port: own, close } = await listening(server);
  return {
    port: own,
    asked,
    answer: (status, target) => void answers.set(target, status),
    async close() {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}
