import net from 'node:net';

const API_VERSIONS = 18;
const METADATA = 3;
const CREATE_TOPICS = 19;
const DELETE_TOPICS = 20;

const ANSWER_MS = 10_000;
const PROBE_MS = 1_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Whether a broker accepts requests. ApiVersions v0 is answered only once it is registered and
 * unfenced, so this needs no client library and is never too early.
 */
export async function kafkaAnswers(broker: string): Promise<boolean> {
  try {
    await ask(broker, API_VERSIONS, 0, Buffer.alloc(0), PROBE_MS);
    return true;
  } catch {
    return false;
  }
}

/** Makes a topic with one partition. Throws when the broker refuses. */
export async function createTopic(broker: string, name: string): Promise<void> {
  const oneReplica = Buffer.from([0, 1]);
  const doIt = Buffer.from([0]);
  const topic = [text(name), int32(1), oneReplica, int32(0), int32(0)]; // no assignments, no configs
  const body = Buffer.concat([int32(1), ...topic, int32(ANSWER_MS), doIt]);
  refuseErrors(await ask(broker, CREATE_TOPICS, 2, body, ANSWER_MS), true);
}

/** The names of all topics. */
export async function topicsOf(broker: string): Promise<readonly string[]> {
  const everything = int32(-1);
  return topicNames(await ask(broker, METADATA, 1, everything, ANSWER_MS));
}

/** Deletes the topics whose names begin so. Throws when the broker refuses. */
export async function deleteTopics(broker: string, prefix: string): Promise<void> {
  const doomed = (await topicsOf(broker)).filter((name) => name.startsWith(prefix));
  if (doomed.length === 0) return;
  const body = [int32(doomed.length), ...doomed.map(text), int32(ANSWER_MS)];
  refuseErrors(await ask(broker, DELETE_TOPICS, 1, Buffer.concat(body), ANSWER_MS), false);
}

/** Metadata v1: brokers, the controller, then topics with their partitions. */
function topicNames(answer: Buffer): string[] {
  const { skip, string, each } = reader(answer);
  const names: string[] = [];
  each(() => {
    skip(4); // node id
    string(); // host
    skip(4); // port
    string(); // rack
  });
  skip(4); // controller
  each(() => {
    skip(2); // error
    names.push(string());
    skip(1); // internal?
    each(() => {
      skip(2 + 4 + 4); // error, partition, leader
      each(() => skip(4)); // replicas
      each(() => skip(4)); // in sync
    });
  });
  return names;
}

/** CreateTopics v2 and DeleteTopics v1: throttle time, then an error code for each topic. */
function refuseErrors(answer: Buffer, hasMessages: boolean): void {
  const { skip, short, string, each } = reader(answer);
  skip(4);
  each(() => {
    const name = string();
    const code = short();
    if (hasMessages) string();
    if (code !== 0) throw new Error(`Kafka refuses it for topic ${name}: error code ${code}.`);
  });
}

function reader(bytes: Buffer) {
  let at = 0;
  const short = () => bytes.readInt16BE((at += 2) - 2);
  const int = () => bytes.readInt32BE((at += 4) - 4);
  const string = () => {
    const length = Math.max(0, short()); // -1 is null
    return bytes.toString('utf8', at, (at += length));
  };
  const each = (read: () => void) => {
    for (let left = int(); left > 0; left--) read();
  };
  return { short, string, each, skip: (count: number) => void (at += count) };
}

/** One request on one connection: the answer's body. */
function ask(
  broker: string,
  api: number,
  version: number,
  body: Buffer,
  timeoutMs: number,
): Promise<Buffer> {
  const [host, port] = split(broker);
  const head = Buffer.alloc(8);
  head.writeInt16BE(api, 0);
  head.writeInt16BE(version, 2);
  head.writeInt32BE(1, 4);
  const request = Buffer.concat([head, text('junction'), body]);

  return new Promise((resolve, reject) => {
    const socket = net.connect(port, host);
    const chunks: Buffer[] = [];
    const end = (settle: () => void) => {
      clearTimeout(overdue);
      socket.destroy();
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const overdue = setTimeout(() => fail(new Error(`${broker} did not answer.`)), timeoutMs);
    socket.on('error', fail);
    socket.on('end', () => fail(new Error(`${broker} closed the connection.`)));
    socket.on('connect', () => socket.write(Buffer.concat([int32(request.length), request])));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const answer = Buffer.concat(chunks);
      const size = answer.length < 4 ? Infinity : answer.readInt32BE(0);
      if (size !== Infinity && size > ANSWER_BYTES_MAX) fail(new Error(`${broker} is no Kafka.`));
      if (answer.length >= size + 4) end(() => resolve(answer.subarray(8, size + 4)));
    });
  });
}

function split(broker: string): [host: string, port: number] {
  const colon = broker.lastIndexOf(':');
  return [broker.slice(0, colon), Number(broker.slice(colon + 1))];
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.alloc(2 + Buffer.byteLength(value));
  bytes.writeInt16BE(bytes.length - 2);
  bytes.write(value, 2);
  return bytes;
}
