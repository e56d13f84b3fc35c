import { readFileSync } from 'node:fs';
import { ConfigError } from './parse-config.js';
import { settingsIn } from './settings-file.js';
import type { Mistake } from './unsafe.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Matches AUTH_DATABASE_URL_FILE, but not GRPC_TLS_KEY_FILE, whose variable is a path in its own right. */
const SECRET_FILE =
  /^(.*(?:_SECRET|_PASSWORD|_DATABASE_URL)|SMTP_URL|VAULT_KEYS|OTEL_EXPORTER_OTLP_HEADERS)_FILE$/;

/** Tells whether a variable holds a secret, which may come from a file instead. */
export const isSecret = (variable: string): boolean => SECRET_FILE.test(`${variable}_FILE`);

/**
 * Returns the secret in a file without one line break at its end, which editors leave. Throws when the file cannot be
 * read.
 */
export const readSecretFile = (file: string): string =>
  readFileSync(file, 'utf8').replace(/\r?\n$/, '');

/**
 * Returns what `read` makes of the environment with its SETTINGS_FILE and the contents of its secret files in it.
 * @throws ConfigError naming the mistakes of the files and those that `read` found, all at once.
 */
export function readWithFiles<T>(environment: Environment, read: (env: Environment) => T): T {
  const { env, mistakes } = withFiles(environment);
  let result: T;
  try {
    result = read(env);
  } catch (error) {
    if (mistakes.length === 0 || !(error instanceof ConfigError)) throw error;
    // A variable whose file cannot be read is missing only because of that.
    const files = new Set(mistakes.map(({ variable }) => variable));
    const others = error.mistakes.filter(({ variable }) => !files.has(`${variable}_FILE`));
    throw new ConfigError([...mistakes, ...others]);
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return result;
}

/**
 * Sets what the file of SETTINGS_FILE holds, and every secret X to the contents of `X_FILE`: a mounted file shows in no
 * list of a container's variables. A file that cannot be read and a secret that is given twice are mistakes.
 */
export function withFiles(outside: Environment): {
  readonly env: Environment;
  readonly mistakes: readonly Mistake[];
} {
  const inFile = settingsIn(outside);
  const env: Environment = { ...outside, ...inFile.settings };
  const mistakes = [...inFile.mistakes];
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
      return [[name, readSecretFile(file)]];
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      mistakes.push({ variable, message: `names a file that cannot be read (${code})` });
      return [];
    }
  });
  return { env: { ...env, ...Object.fromEntries(secrets) }, mistakes };
}
