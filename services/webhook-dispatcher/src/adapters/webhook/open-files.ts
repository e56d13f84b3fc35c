import { type Check, warning } from '@junction/operations';
import { SOCKETS_MAX } from '../../application/sending/scheduler/limits.js';

/** Files that the process has open besides the sockets of attempts: connections to Postgres, Kafka and callers. */
const OTHERS_MAX = 500;

/** Returns how many attempts may have a socket at once, by the process's limit of open files. */
export function socketsAllowed(): number {
  const { userLimits } = process.report.getReport() as Report;
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft - OTHERS_MAX : Number.POSITIVE_INFINITY;
}

interface Report {
  /** Absent where there is no such limit. */
  readonly userLimits?: { readonly open_files: { readonly soft: number | 'unlimited' } };
}

/** Checks that the process may open a socket for each attempt that may be under way. */
export const openFiles = (allowed: () => number = socketsAllowed): Check => ({
  name: 'open files',
  remedy: 'Run the doctor with the Node that runs the service.',
  async look() {
    const sockets = allowed();
    if (sockets >= SOCKETS_MAX) return 'Each attempt that may be under way can have a socket.';
    const needed = SOCKETS_MAX + OTHERS_MAX;
    const found = `Attempts can have ${sockets} sockets at once, and slow receivers may need ${SOCKETS_MAX}.`;
    return [warning(found, `Raise the limit of open files (nofile) to ${needed} or more.`)];
  },
});
