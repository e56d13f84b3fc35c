// The least program that does what the dispatcher does, without a rule of the product: about what the machine can do.
// It reads the topic, asks Postgres which of the events it has sent, signs and sends the others, seals body and answer
// for the user, and writes up to 500 results and the offsets by one statement.
// The database is that of libpq's variables.
import {
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomFillSync,
  randomUUID,
} from 'node:crypto';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';
import pg from 'pg';
import { Pool } from 'undici';

const [url = '', brokers = '', topic = ''] = process.argv.slice(2);
const PARTITIONS = 12;
const CONNECTIONS = 64;
const READ_AT_ONCE = 1_000;
const WAITING_MAX = 4_000;
const WRITTEN_AT_ONCE = 500;
const WRITE_EVERY_MS = 10;
const IV_BYTES = 12;

const endpointId = randomUUID();
const secret = createSecretKey('secret', 'utf8');
const db = new pg.Pool({ max: 6 });
await db.query(`
  create table if not exists send_first_deliveries (
    id uuid primary key, event_id uuid not null, endpoint_id uuid not null, user_id uuid not null,
    sealed bytea not null, status smallint not null, ms integer not null,
    at timestamptz not null default now(), unique (event_id, endpoint_id));
  create table if not exists send_first_offsets (partition integer primary key, next bigint)`);
const http = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });

const keys = new Map<string, KeyObject>();
const ivs = Buffer.alloc(1_000 * IV_BYTES);
let ivAt = ivs.length;

function sealed(userId: string, ...parts: readonly Buffer[]): Buffer {
  const key = keys.get(userId) ?? createSecretKey(randomBytes(32));
  keys.set(userId, key);
  if (ivAt === ivs.length) {
    randomFillSync(ivs);
    ivAt = 0;
  }
  const iv = Buffer.from(ivs.subarray(ivAt, ivAt + IV_BYTES));
  ivAt += IV_BYTES;
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const texts = parts.map((part) => cipher.update(part));
  return Buffer.concat([iv, ...texts, cipher.final(), cipher.getAuthTag()]);
}

interface Delivery {
  readonly eventId: string;
  readonly userId: string;
  readonly partition: number;
  readonly next: number;
  readonly body: Buffer;
}

function deliveryOf(partition: number, { key, headers, value, offset }: KafkaMessage): Delivery {
  const [userId, data] = [String(key), String(value)];
  const [eventId = '', type, time] = ['ce_id', 'ce_type', 'ce_time'].map((name) =>
    textOf(headers?.[name]),
  );
  const event = `"event_type":"${type}","user_id":"${userId}","data":${data},"timestamp":"${time}"`;
  const body = Buffer.from(`{${event},"webhook_id":"${endpointId}"}`);
  return { eventId, userId, partition, next: Number(offset) + 1, body };
}

const textOf = (header: unknown): string => String(header);

const waiting: Delivery[] = [];
const readers: (() => void)[] = [];
let underWay = 0;

function sendWaiting(): void {
  while (underWay < CONNECTIONS) {
    const delivery = waiting.shift();
    if (delivery === undefined) break;
    underWay++;
    void send(delivery).then(() => {
      underWay--;
      sendWaiting();
    });
  }
  if (waiting.length < WAITING_MAX / 2) for (const goOn of readers.splice(0)) goOn();
}

interface Result extends Delivery {
  readonly sealed: Buffer;
  readonly status: number;
  readonly ms: number;
}

let results: Result[] = [];

async function send(delivery: Delivery): Promise<void> {
  const { userId, eventId, body } = delivery;
  const beganMs = performance.now();
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-service-signature': `sha256=${mac}`,
    'webhook-id': eventId,
  };
  const { statusCode, body: answered } = await http.request({
    path: '/hook',
    method: 'POST',
    headers,
    body,
  });
  const answer = Buffer.from(await answered.arrayBuffer());
  const ms = Math.round(performance.now() - beganMs);
  results.push({ ...delivery, sealed: sealed(userId, body, answer), status: statusCode, ms });
  if (results.length >= WRITTEN_AT_ONCE) void write();
}

let isWriting = false;

async function write(): Promise<void> {
  if (isWriting || results.length === 0) return;
  isWriting = true;
  const written = results;
  results = [];
  const ends = new Map<number, number>();
  for (const { partition, next } of written) {
    ends.set(partition, Math.max(ends.get(partition) ?? 0, next));
  }
  const column = <Name extends keyof Result>(name: Name) => written.map((each) => each[name]);
  await db.query({
    name: 'write',
    text: WRITE,
    values: [
      written.map(() => randomUUID()),
      column('eventId'),
      endpointId,
      column('userId'),
      column('sealed'),
      column('status'),
      column('ms'),
      [...ends.keys()],
      [...ends.values()],
    ],
  });
  isWriting = false;
  if (results.length >= WRITTEN_AT_ONCE) void write();
}

const WRITE = `
with moved as (
  insert into send_first_offsets select * from unnest($8::integer[], $9::bigint[])
  on conflict (partition) do update set next = greatest(send_first_offsets.next, excluded.next))
insert into send_first_deliveries (id, event_id, endpoint_id, user_id, sealed, status, ms)
select id, event_id, $3, user_id, sealed, status, ms
  from unnest($1::uuid[], $2::uuid[], $4::uuid[], $5::bytea[], $6::smallint[], $7::integer[])
       as result (id, event_id, user_id, sealed, status, ms)
    on conflict do nothing`;

async function sentOf(deliveries: readonly Delivery[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ event_id: string }>({
    name: 'sent',
    text: 'select event_id from send_first_deliveries where event_id = any ($1::uuid[])',
    values: [deliveries.map(({ eventId }) => eventId)],
  });
  return new Set(rows.map((row) => row.event_id));
}

setInterval(() => void write(), WRITE_EVERY_MS);
const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: 'send-first', maxWaitTimeInMs: 250 });
process.on('SIGTERM', () => {
  // Offsets are committed on the way, so that the next run begins behind them.
  void consumer.disconnect().then(() => process.exit(0));
});
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({
  partitionsConsumedConcurrently: PARTITIONS,
  async eachBatch({ batch: { partition, messages } }) {
    for (let read = 0; read < messages.length; read += READ_AT_ONCE) {
      const some = messages.slice(read, read + READ_AT_ONCE);
      const deliveries = some.map((message) => deliveryOf(partition, message));
      const sent = await sentOf(deliveries);
      waiting.push(...deliveries.filter(({ eventId }) => !sent.has(eventId)));
      sendWaiting();
      if (waiting.length >= WAITING_MAX) await new Promise<void>((goOn) => readers.push(goOn));
    }
  },
});
