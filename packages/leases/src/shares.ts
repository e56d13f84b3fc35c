import { createHash } from 'node:crypto';
import type { Member } from './members.js';

/**
 * What of these keys is for this owner: each goes to the member that scores highest for it, of those
 * that prefer it if there are any. Everybody who knows the same members comes to the same shares, and
 * a member that comes or goes moves only its own.
 */
export const shareOf = <K extends number | string, M extends Pick<Member, 'owner'>>(
  owner: string,
  keys: readonly K[],
  members: readonly M[],
  prefers: (member: M, key: K) => boolean = () => true,
): readonly K[] =>
  keys.filter((key) => {
    const preferring = members.filter((member) => prefers(member, key));
    return highest(key, preferring.length > 0 ? preferring : members) === owner;
  });

/** The winner of rendezvous hashing. */
function highest(
  key: number | string,
  members: readonly Pick<Member, 'owner'>[],
): string | undefined {
  const scored = members.map(({ owner }) => ({ owner, score: score(owner, key) }));
  return scored.toSorted((one, other) => (one.score < other.score ? 1 : -1))[0]?.owner;
}

const score = (owner: string, key: number | string): string =>
  createHash('sha256').update(`${owner}/${key}`).digest('hex');
