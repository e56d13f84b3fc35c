import { dockerAnswers } from './docker-engine.mjs';

const DATABASES = ['AUTH_DATABASE_URL', 'INTEGRATIONS_DATABASE_URL', 'WEBHOOKS_DATABASE_URL'];

/**
 * Returns which servers the environment does not name. An empty variable names nothing.
 * @param {NodeJS.ProcessEnv} env
 */
export const needed = (env) => ({
  postgres: DATABASES.some((name) => !env[name]),
  kafka: !env['KAFKA_BROKERS'],
});

/**
 * The way in which the needed servers are run, or why they cannot be.
 * @typedef {{ readonly from: 'embedded' | 'docker' } | { readonly mistake: string }} BackendChoice
 */

/**
 * Chooses as JUNCTION_BACKENDS says. Without the variable, chooses Docker when an engine answers.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<BackendChoice>}
 */
export async function chooseBackends(env) {
  const asked = env['JUNCTION_BACKENDS'] || undefined;
  if (asked === 'embedded') return { from: 'embedded' };
  if (asked !== undefined && asked !== 'docker') {
    return { mistake: `JUNCTION_BACKENDS is "${asked}"; it may be embedded or docker.` };
  }
  if (await dockerAnswers(env)) return { from: 'docker' };
  if (asked === undefined) return { from: 'embedded' };
  return {
    mistake:
      'JUNCTION_BACKENDS is docker, but no Docker engine answers. Start it, or unset the variable.',
  };
}
