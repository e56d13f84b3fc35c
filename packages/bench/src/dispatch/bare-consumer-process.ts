// The least program that delivers the records of the topic: a consumer that posts each record as it comes, with an
// HMAC, to one endpoint. The first record is one that is written after this process has sent its first message.
import { createHmac } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { Pool } from 'undici';

const [url = '', brokers = '', topic = ''] = process.argv.slice(2);
const CONNECTIONS = 64;
const PARTITIONS = 12;
const groupId = `bare-${process.pid}`;

const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
const ends = await admin.fetchTopicOffsets(topic);
const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
await admin.setOffsets({ groupId, topic, partitions });
await admin.disconnect();

const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });

async function post(body: Buffer): Promise<void> {
  const mac = createHmac('sha256', 'secret').update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${mac}` };
  const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`It answered ${answer.statusCode}.`);
}

const consumer = kafka.consumer({ groupId });
consumer.on(consumer.events.GROUP_JOIN, () => process.send?.('joined'));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuS: (user + system) / 1e6 });
});
await consumer.connect();
await consumer.subscribe({ topic });
await consumer.run({
  partitionsConsumedConcurrently: PARTITIONS,
  async eachBatch({ batch: { messages } }) {
    await Promise.all(messages.map(async ({ value }) => post(value ?? Buffer.alloc(0))));
  },
});
