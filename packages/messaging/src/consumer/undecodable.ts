import type { Handle, Prepare, PreparedRecord } from './handle.js';
import { RecordError } from './record-error.js';

/** The reason of a dead letter that stands for a whole batch. The records of the batch are in Kafka alone. */
export const UNDECODABLE = 'batch_undecodable';

/** Wraps a handler so that it need not know of batches that nobody can read: they become dead letters before it. */
export const handleDecoded =
  (handle: Handle): Handle =>
  async (records, tx, setAside) => {
    const decoded = records.filter((record) => {
      if (record.undecodable === undefined) return true;
      setAside(record, new RecordError(UNDECODABLE, record.undecodable));
      return false;
    });
    return decoded.length === 0 ? undefined : handle(decoded, tx, setAside);
  };

/** Starts the work of records that can be read; the others are ready to be set aside at once. */
export const prepareDecoded =
  (prepare: Prepare): Prepare =>
  async (records) => {
    const decoded = records.filter(({ undecodable }) => undecodable === undefined);
    const prepared = decoded.length === 0 ? [] : await prepare(decoded);
    const preparedOf = new Map(decoded.map((record, index) => [record, prepared[index]]));
    return records.map(
      (record): PreparedRecord => preparedOf.get(record) ?? { ...record, ready: Promise.resolve() },
    );
  };
