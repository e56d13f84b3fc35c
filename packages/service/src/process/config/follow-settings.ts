import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Logger } from '../logging/logger.js';
import { readWithFiles, withFiles } from './secret-files.js';
import { settingsIn } from './settings-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of a process, as far as they are followed. */
export interface FollowedSettings<Config extends object> {
  readonly env: Environment;
  readonly read: (env: Environment) => Config;
  readonly schema: z.ZodObject;
  /** Configuration as it was read; settings that count at once are changed in it. */
  readonly config: Config;
  /** Settings were changed in `config`. */
  readonly changed: () => void;
  readonly log: Logger;
}

const LATER = 'a changed setting counts after a restart';

/**
 * Returns a function that looks whether the file of settings has changed. If so, the settings marked AT_ONCE change in
 * `config`, and the log names each, and those that count after a restart.
 *
 * @throws ConfigError once for a file that cannot be used, of which nothing counts
 */
export function settingsFollower<Config extends object>(followed: FollowedSettings<Config>) {
  const { env, read, schema, config, changed, log } = followed;
  const { shape } = schema;
  const started = withFiles(env).env;
  const atOnce = Object.keys(shape).filter((name) => shape[name]?.meta()?.['countsAtOnce']);
  // A file may serve all services, and each knows its own settings alone.
  const isRead = (name: string) => name in shape || name.replace(/_FILE$/, '') in shape;
  let seen = settingsIn(env);
  let { settings } = seen;

  return (): void => {
    const found = settingsIn(env);
    if (isDeepStrictEqual(found, seen)) return;
    seen = found;
    readWithFiles(env, read);
    const before: Environment = { ...env, ...settings };
    const after: Environment = { ...env, ...found.settings };
    const now = Object.fromEntries(atOnce.map((name) => [name, after[name]]));
    Object.assign(config, read({ ...started, ...now }));
    const names = new Set([...Object.keys(settings), ...Object.keys(found.settings)]);
    settings = found.settings;
    // The lines are written whatever the level was and is going to be.
    log.level = 'info';
    for (const setting of names) {
      const [was = null, is = null] = [before[setting], after[setting]];
      if (was === is || !isRead(setting)) continue;
      if (!atOnce.includes(setting)) log.warn({ setting }, LATER);
      else log.info({ setting, before: was, after: is }, 'a setting has changed');
    }
    changed();
  };
}
