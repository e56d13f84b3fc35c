// Loaded into a service with --import: tells its parent, when asked, what it has used so far.
import pg from 'pg';
import type { Used } from '../service-process.js';

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++;
  return Reflect.apply(query, this, args);
} as typeof query;

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const used: Used = {
    statements,
    cpuS: (user + system) / 1e6,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
  process.send?.(used);
});
// Whoever measures is gone: nobody else would end it.
process.on('disconnect', () => process.exit(1));
// Asking must not be what keeps it alive.
process.channel?.unref();
