import { type ServiceError, status } from '@grpc/grpc-js';
import type { Figures } from '../suite.js';
import type { Replica } from './replica.js';

/**
 * Each user disconnects while tokens are asked for, and right after the answer so many are asked for at all
 * replicas. Counts those that were given. Throws when a call is answered by anything but a token or that
 * the connection has ended: a replica that fails gives no token either.
 */
export async function measureEnding(
  replicas: readonly Replica[],
  users: readonly string[],
  vends: number,
): Promise<Figures> {
  const each = Math.ceil(vends / users.length);
  let given = 0;
  for (const [turn, userId] of users.entries()) {
    const before = vendMany(replicas, userId, each);
    const after = async () => {
      await replicas[turn % replicas.length]?.disconnect(userId);
      return vendMany(replicas, userId, each);
    };
    const [, late] = await Promise.all([before, after()]);
    given += late;
  }
  return { tokens_after_delete: given };
}

async function vendMany(
  replicas: readonly Replica[],
  userId: string,
  count: number,
): Promise<number> {
  const ask = async (_: unknown, n: number): Promise<boolean> => {
    const replica = replicas[n % replicas.length];
    if (replica === undefined) throw new Error('There is no replica to ask.');
    return replica.vend(userId).then(() => true, refuseUnlessEnded);
  };
  const given = await Promise.all(Array.from({ length: count }, ask));
  return given.filter(Boolean).length;
}

function refuseUnlessEnded(error: ServiceError): false {
  if (error.code === status.FAILED_PRECONDITION) return false;
  throw error;
}
