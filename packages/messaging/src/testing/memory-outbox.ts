import type { Outbox, Published, Trouble } from './outbox-tck.js';

const BATCH_MAX = 3;

/** The rules of an outbox in their plainest form: send the oldest rows, forget them when that is known. */
export async function memoryOutbox(): Promise<Outbox> {
  const rows: Published[] = [];
  const log: Published[] = [];
  const troubles: Trouble[] = [];

  const relay = (): void => {
    while (rows.length > 0) {
      const batch = rows.slice(0, BATCH_MAX);
      const trouble = troubles.shift();
      if (trouble !== 'refused') log.push(...batch);
      if (trouble === undefined) rows.splice(0, batch.length);
    }
  };
  return {
    async insert(more) {
      rows.push(...more);
      relay();
    },
    insertInVain: async () => undefined,
    meet: async (trouble) => void troubles.push(trouble),
    restart: async () => relay(),
    drained: async () => log,
    close: async () => undefined,
  };
}
