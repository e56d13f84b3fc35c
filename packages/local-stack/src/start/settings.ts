import { LocalStackError } from '../local-stack-error.js';
import { type Settings, settingsOf } from '../preflight/settings.mjs';

/**
 * Reads the ports and the data folder from the environment.
 * @throws LocalStackError that names every variable that is not usable.
 */
export function readSettings(env: NodeJS.ProcessEnv, root: string): Settings {
  const { mistakes, ...settings } = settingsOf(env, root);
  if (mistakes.length > 0) throw new LocalStackError(mistakes.join('\n'));
  return settings;
}
