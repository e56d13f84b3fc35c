/**
 * Session settings that the statements and the parsing of their rows rely on. A role, a database or a server may have
 * other defaults: dates in another order would be misread, and tables in another schema not be found.
 */
const SETTINGS = {
  bytea_output: 'hex',
  // A statement whose client is gone, cut off by us or killed, ends on its own; by default it is worked to its end.
  client_connection_check_interval: '500',
  datestyle: 'ISO,MDY',
  default_transaction_isolation: 'read\\ committed',
  default_transaction_read_only: 'off',
  extra_float_digits: '1',
  idle_session_timeout: '0',
  intervalstyle: 'postgres',
  lock_timeout: '0',
  // A statement has one core, so that what one user asks for leaves the others to everybody else.
  max_parallel_workers_per_gather: '0',
  search_path: 'public',
  standard_conforming_strings: 'on',
  timezone: 'UTC',
};

const OURS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/**
 * Returns the address of a database with `options` for its sessions (PostgreSQL documentation, 32.1.2 and 19.1.3), so
 * that each session has these settings before its first statement. Other settings that the address names stay.
 */
export function withSessionOptions(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const named = url.searchParams.get('options');
  url.searchParams.set('options', named === null ? OURS : `${named} ${OURS}`);
  return url.href;
}
