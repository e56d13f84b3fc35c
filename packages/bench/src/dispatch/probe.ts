// Is loaded into a service with --import. On request tells the parent process which resources the service has used so
// far, or which statements the service has sent to Postgres since the previous request.
import pg from 'pg';
import type { SentStatement, SentValue, Used } from '../service-process.js';

let statements = 0;
/** Statements since the first request for them; undefined before. */
let sent: SentStatement[] | undefined;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements++;
  sent?.push(...statementIn(args[0]));
  return Reflect.apply(query, this, args);
} as typeof query;

function statementIn(asked: unknown): readonly SentStatement[] {
  const { text, values = [], name } = asked as Partial<pg.QueryConfig<SentValue[]>>;
  return text === undefined ? [] : [{ text, values, isNamed: name !== undefined }];
}

process.on('message', ({ ask }: { readonly ask: 'used' | 'sent' }) => {
  process.send?.(ask === 'used' ? used() : takeSent());
});
// The bench is gone, and nothing else would end this process.
process.on('disconnect', () => process.exit(1));
// Asking must not be what keeps it alive.
process.channel?.unref();

function used(): Used {
  const { user, system } = process.cpuUsage();
  return { statements, cpuS: (user + system) / 1e6, rssMb: process.memoryUsage.rss() / 2 ** 20 };
}

function takeSent(): readonly SentStatement[] {
  const taken = sent ?? [];
  sent = [];
  return taken;
}
