// Is loaded into a service with --import. On request tells the parent process which resources the service has used so
// far.
import pg from 'pg';
import type { Used } from '../service-process.js';

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++;
  return Reflect.apply(query, this, args);
} as typeof query;

process.on('message', () => process.send?.(used()));
// The bench is gone, and nothing else would end this process.
process.on('disconnect', () => process.exit(1));
// Asking must not be what keeps it alive.
process.channel?.unref();

function used(): Used {
  const { user, system } = process.cpuUsage();
  return { statements, cpuS: (user + system) / 1e6, rssMb: process.memoryUsage.rss() / 2 ** 20 };
}
