import { murmur2 } from '../../domain/shard.js';

/**
 * The replica that should own a shard: the one that scores highest for it. Everybody who knows the
 * same replicas comes to the same answer, and one that comes or goes moves only its own share.
 */
export function preferredOwner(shard: number, owners: readonly string[]): string | undefined {
  let best: { readonly owner: string; readonly score: number } | undefined;
  for (const owner of [...owners].sort()) {
    const score = murmur2(Buffer.from(`${owner}/${shard}`)) >>> 0;
    if (best === undefined || score > best.score) best = { owner, score };
  }
  return best?.owner;
}
