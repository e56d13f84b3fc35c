import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '@junction/testing';
import { type Deliveries, delivered } from './delivered.js';
import { startLoad } from './load.js';
import { startReplicated } from './replicas.js';

/**
 * Starts two of each service behind nginx, loads them, and kills Postgres and then Kafka, each of which stays
 * away that long; halfway both are. Requests may fail meanwhile. Resolves with what came of the events.
 */
export async function outages(env: NodeJS.ProcessEnv, awayMs: number): Promise<Deliveries> {
  const receiver = await startReceiver();
  try {
    const product = await startReplicated(env);
    try {
      const load = await startLoad(product.endpoints, receiver);
      try {
        await Promise.all([
          product.outage('postgres', awayMs),
          sleep(awayMs / 2).then(async () => product.outage('kafka', awayMs)),
        ]);
      } finally {
        await load.stop();
      }
      return await delivered(load, receiver);
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.close();
  }
}
