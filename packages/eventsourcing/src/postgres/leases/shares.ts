import { createHash } from 'node:crypto';
import type { Member } from './members.js';

/**
 * Returns those of the keys that belong to this owner: each key goes to the member that scores highest for it, among
 * the members that prefer it if there are any. Everybody who knows the same members computes the same portions, and a
 * member that comes or goes moves only its own keys.
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

/**
 * Divides keys like `shareOf`, but no member gets two keys more than another. A member that comes or goes moves few
 * keys of the others.
 */
export function equalShareOf<K extends number | string>(
  owner: string,
  keys: readonly K[],
  members: readonly Pick<Member, 'owner'>[],
): readonly K[] {
  const owners = members.map((member) => member.owner).toSorted();
  const room = new Map(owners.map((one, n) => [one, Math.ceil((keys.length - n) / owners.length)]));
  const roomOf = (one: string) => room.get(one) ?? 0;
  return keys.filter((key) => {
    const free = members.filter((member) => roomOf(member.owner) > 0);
    const winner = highest(key, free) ?? '';
    room.set(winner, roomOf(winner) - 1);
    return winner === owner;
  });
}

/** Returns the winner of rendezvous hashing. */
const highest = (
  key: number | string,
  members: readonly Pick<Member, 'owner'>[],
): string | undefined =>
  members
    .map(({ owner }) => ({ owner, score: scoreOf(`${owner}/${key}`) }))
    .toSorted((one, other) => (one.score < other.score ? 1 : -1))[0]?.owner;

const scoreOf = (text: string): string => createHash('sha256').update(text).digest('hex');
