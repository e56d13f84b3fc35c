/**
 * Node's options for the memory of a service, here as in infra/docker/service.Dockerfile, except that a container
 * has a limit of its own. Old objects get half of that limit: --max-old-space-size-percentage, which Node 20 does
 * not know. New objects get 16 MB at a time on any machine: with 8 MB, a dispatcher under full load collects them
 * before its deliveries are through, and copies the objects in use. Old objects need only some 40 MB; their limit
 * decides how much garbage V8 leaves. With the gigabytes of a large machine, V8 leaves more garbage than there is
 * memory in use; with a few hundred MB, V8 collects so often that a dispatcher under full load may deliver a fifth
 * less.
 *
 * The last option keeps V8 from creating new objects among the old ones because earlier objects happened to live
 * long: see docs/decisions/0008-new-objects-are-young.md.
 */
export const MEMORY_OPTIONS: readonly string[] = [
  '--max-semi-space-size=16',
  '--max-old-space-size=1024',
  '--no-allocation-site-pretenuring',
];
