import type net from 'node:net';

/** Has the connection, once there is one, and the request as far as it cares to read it. */
export type RawReceiver = (socket: net.Socket) => void;

export const OK = 'HTTP/1.1 200 OK\r\n';

/** Writes this when a request begins to arrive. */
export const answering =
  (...parts: readonly (string | Buffer)[]): RawReceiver =>
  (socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });
  };

/** Answers with the head, then with one byte after the other for ever. */
export const dripping =
  (head: string, bytes: string): RawReceiver =>
  (socket) => {
    socket.once('data', () => {
      socket.write(head);
      let sent = 0;
      const timer = setInterval(() => socket.write(bytes[sent++ % bytes.length] ?? ''), 20);
      socket.once('close', () => clearInterval(timer));
    });
  };

/** Sends as much as the other side takes. */
export const flooding =
  (head: string, chunk: Buffer, bytesMax = Number.POSITIVE_INFINITY): RawReceiver =>
  (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.bytesWritten + socket.writableLength < bytesMax) {
        if (!socket.write(chunk)) return;
      }
    };
    socket.on('drain', more);
    socket.once('data', () => {
      socket.write(head);
      more();
    });
  };

/** Says its last words when the request begins to arrive. */
export const ending =
  (words?: string | Buffer): RawReceiver =>
  (socket) =>
    void socket.once('data', () => (words === undefined ? socket.end() : socket.end(words)));
