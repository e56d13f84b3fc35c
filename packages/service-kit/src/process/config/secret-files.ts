import { readFileSync } from 'node:fs';
import { ConfigError } from './parse-config.js';
import type { Mistake } from './unsafe.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** AUTH_DATABASE_URL_FILE, but not GRPC_TLS_KEY_FILE, which is a path to whoever reads it. */
const SECRET_FILE = /^(.*(?:_SECRET|_PASSWORD|_DATABASE_URL)|SMTP_URL|VAULT_KEYS)_FILE$/;

/**
 * Puts the contents of `X_FILE` in place of `X`, for every secret X: a mounted file shows in no list
 * of a container's variables. One line break at its end, which editors leave, is not the secret's.
 * @throws ConfigError naming every file that cannot be read and every secret that is given twice.
 */
export function withSecretFiles(env: Environment): Environment {
  const mistakes: Mistake[] = [];
  const secrets = Object.entries(env).flatMap(([variable, file]) => {
    const [, name] = SECRET_FILE.exec(variable) ?? [];
    if (name === undefined || !file) return [];
    if (env[name]) {
      mistakes.push({
        variable,
        message: `names a file, and ${name} is set too: keep one of them`,
      });
      return [];
    }
    try {
      return [[name, readFileSync(file, 'utf8').replace(/\r?\n$/, '')]];
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      mistakes.push({ variable, message: `names a file that cannot be read (${code})` });
      return [];
    }
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { ...env, ...Object.fromEntries(secrets) };
}
