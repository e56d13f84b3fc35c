import { parse } from 'pg-connection-string';
import { type Logger, readSecretFile } from '../../process/index.js';

/**
 * Returns a function that reads the password that the database URL in `file` has now, for each connection that is
 * opened. When the URL changes, only its password counts: host, database and role stay those of the start. While the
 * file cannot be used, the password before stays in use.
 */
export function currentPassword(
  file: string,
  first: string,
  log: Pick<Logger, 'warn'>,
): () => string {
  let password = first;
  return () => {
    try {
      password = parse(readSecretFile(file)).password ?? '';
    } catch (error) {
      // The rest of the error may hold the URL.
      const { code } = error as NodeJS.ErrnoException;
      log.warn(
        { file, code },
        'the file of the database URL cannot be used: the password before is',
      );
    }
    return password;
  };
}
