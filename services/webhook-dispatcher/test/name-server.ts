import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** The addresses of a name; or how the question fails. */
export type Answer = readonly string[] | 'SERVFAIL' | 'NXDOMAIN' | 'silence';

/** A DNS server (RFC 1035) that says what a test wants it to. */
export interface NameServer {
  /** Address for `dns.Resolver.setServers`. */
  readonly address: string;
  /** The names that were asked for, one entry for each pair of A and AAAA. */
  readonly asked: readonly string[];
  answer(answer: Answer): void;
  close(): void;
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;
/** Nothing is to be remembered. */
const TTL_0 = [0, 0, 0, 0];

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  let answer: Answer = 'NXDOMAIN';
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, type, question } = questionOf(query);
    if (type === TYPE_A) asked.push(name);
    if (answer !== 'silence') socket.send(response(query, question, type, answer), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    answer: (next) => void (answer = next),
    close: () => void socket.close(),
  };
}

function questionOf(query: Buffer) {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.'), type, question: query.subarray(HEADER_BYTES, at + 5) };
}

function response(
  query: Buffer,
  question: Buffer,
  type: number,
  answer: Exclude<Answer, 'silence'>,
): Buffer {
  const found = typeof answer === 'string' ? [] : answer.filter((one) => typeOf(one) === type);
  const rcode = typeof answer === 'string' ? RCODES[answer] : 0;
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, question, ...found.map((one) => record(type, bytesOf(one)))]);
}

/** A resource record for the name of the question, which a pointer (0xc00c) stands for. */
const record = (type: number, address: readonly number[]): Buffer =>
  Buffer.from([0xc0, 0x0c, 0, type, 0, 1, ...TTL_0, 0, address.length, ...address]);

const typeOf = (address: string): number => (isIPv4(address) ? TYPE_A : TYPE_AAAA);

function bytesOf(address: string): readonly number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  const [head = '', tail = ''] = address.split('::').map((half) => half || undefined);
  const groups = (half: string) => (half === '' ? [] : half.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return all.flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ]);
}
