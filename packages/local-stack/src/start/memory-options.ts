/**
 * How a service is told to use memory, here as in infra/docker/service.Dockerfile, except that a container has a limit of
 * its own, of which old objects get half: --max-old-space-size-percentage, which Node 20 does not know. New objects get 16 MB at a
 * time on any machine: with 8 a dispatcher under full load collects them before its deliveries are through, and copies
 * what is in hand. The limit for old ones is not what they need, which is some 40 MB: V8 takes from it how
 * much garbage it lets lie. With the gigabytes that it finds on a large machine that is more than is in use;
 * with a few hundred MB it collects so often that a dispatcher under full load may deliver a fifth less.
 *
 * And V8 must not put new objects among the old ones because such objects happened to live long once: see
 * docs/decisions/0008-new-objects-are-young.md.
 */
export const MEMORY_OPTIONS: readonly string[] = [
  '--max-semi-space-size=16',
  '--max-old-space-size=1024',
  '--no-allocation-site-pretenuring',
];
