import type { DevProvider, DevProviderOptions } from './start.js';

/**
 * Starts a development identity provider and resolves when it answers.
 * Loads oidc-provider only now: it is large and remarks on Node 20, and whoever only walks its pages
 * is spared both.
 */
export async function startDevProvider(options: DevProviderOptions): Promise<DevProvider> {
  const { start } = await import('./start.js');
  return start(options);
}
