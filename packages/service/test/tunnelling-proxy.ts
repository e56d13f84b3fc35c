import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { portOf } from '../src/process/listen.js';
import { closeLater } from './loopback.js';

/** Starts a proxy that opens tunnels, and takes every host for the server at `url`. */
export async function tunnellingProxy(url: string, status = 200) {
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  const sockets: Socket[] = [];
  const server = createServer((_, res) => res.writeHead(405).end());
  server.on('connect', ({ url: target = '', headers }: IncomingMessage, client: Socket) => {
    asked.push({ target, authorization: headers['proxy-authorization'] });
    client.write(`HTTP/1.1 ${status} Tunnel\r\n\r\n`);
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(client.on('error', () => far.destroy()));
    sockets.push(far.on('error', () => client.destroy()));
    client.pipe(far).pipe(client);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  closeLater(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, asked };
}
