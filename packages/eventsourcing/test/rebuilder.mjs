// A process of its own that rebuilds a read model of notes, until it is killed:
// rebuilder.mjs <database url> <table> [halts]. With "halts" it pauses itself, like kill -STOP, in the
// middle of the transaction that applies an event `halted`.

import pg from 'pg';
import { rebuildProjection, rowProjection } from '../dist/postgres/index.js';
import { noteCodec, notesIn } from './notes.mjs';

const [connectionString, table, halts] = process.argv.slice(2);
const onHalted = () => {
  if (halts) process.kill(process.pid, 'SIGSTOP');
};

const pool = new pg.Pool({ connectionString, max: 6, pipeline: true });
pool.on('error', () => undefined);
const inline = [rowProjection(notesIn(table, { onHalted }))];
for await (const { phase } of rebuildProjection({ pool, codec: noteCodec, inline }, table)) {
  process.stdout.write(`${phase}\n`);
}
