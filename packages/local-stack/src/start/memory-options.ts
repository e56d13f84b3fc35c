/**
 * How a service is told to use memory, here as in infra/docker/service.Dockerfile. New objects get 8 MB at a
 * time in place of 16. The limit for old ones is not what they need, which is some 40 MB: V8 takes from it how
 * much garbage it lets lie. With the gigabytes that it finds on a large machine that is more than is in use;
 * with a few hundred MB it collects so often that a dispatcher under full load may deliver a fifth less.
 */
export const MEMORY_OPTIONS: readonly string[] = [
  '--max-semi-space-size=8',
  '--max-old-space-size=1024',
];
