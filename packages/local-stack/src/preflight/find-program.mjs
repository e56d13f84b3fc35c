import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * The absolute path of a program on PATH, or undefined. Looks only: nothing is run.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function findProgram(name, env) {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

/**
 * Whether this path is a file that may be executed.
 * @param {string} file
 */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
