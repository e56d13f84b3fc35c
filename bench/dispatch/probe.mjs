// Loaded into the dispatcher with --import: tells its parent, when asked, what it has used so far.
import pg from 'pg';

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function counted(...args) {
  statements++;
  return query.apply(this, args);
};

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({
    statements,
    cpuS: (user + system) / 1e6,
    rssMb: process.memoryUsage().rss / 2 ** 20,
  });
});
// Asking must not be what keeps it alive.
process.channel?.unref();
