// A process of its own that keeps or rebuilds a read model of notes, until it is killed:
// projector.mjs <database url> run|rebuild <table> [halts]. With "halts" it pauses itself, like
// kill -STOP, in the middle of the transaction that applies an event `halted`.
import {
  postgresNotifier,
  rebuildProjection,
  rowProjection,
  startProjections,
} from '@junction/eventsourcing-postgres';
import pg from 'pg';
import { noteCodec, notesIn } from './notes.mjs';

const [connectionString, task, table, halts] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);
const onHalted = () => {
  if (halts) process.kill(process.pid, 'SIGSTOP');
};

const application_name = `projector ${process.pid}`;
const pool = new pg.Pool({ connectionString, max: 6, pipeline: true, application_name });
pool.on('error', () => undefined);
const notifier = postgresNotifier({ pool, onError: () => undefined });
const projection = rowProjection(notesIn(table, { onHalted }));
const set = { pool, notifier, codec: noteCodec, inline: [], asynchronous: [projection] };

if (task === 'run') {
  // Leases as in production: those of a killed process run out by themselves.
  const log = { warn: (_, message) => say(message), error: (_, message) => say(message) };
  startProjections({ ...set, owner: `process ${process.pid}`, log });
} else {
  const inlineSet = { ...set, inline: [projection], asynchronous: [] };
  for await (const { phase } of rebuildProjection(inlineSet, table)) say(phase);
}
