import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { isAlive, readMark } from './process-identity.mjs';

/** The file in a data folder that says which process works on it. */
export const LOCK = 'lock';

/**
 * Returns the mark of the process that works on a data folder now; undefined when there is none.
 * @param {string} dataDir
 */
export function holderOf(dataDir) {
  const holder = readMark(path.join(dataDir, LOCK));
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/**
 * Returns the message for a start whose data folder another process works on.
 * @param {string} dataDir
 * @param {import('./process-identity.mjs').ProcessMark} holder
 */
export const inUse = (dataDir, { pid }) =>
  `The data in ${dataDir} are in use by process ${pid}. Stop it first (Ctrl-C in its terminal, ` +
  `or kill ${pid}), or set JUNCTION_DATA_DIR to work on other data.`;

/**
 * Returns why no data can be kept in this folder, which need not exist yet; undefined when it can. Creates nothing.
 * @param {string} dataDir Absolute.
 */
export function dataDirMistake(dataDir) {
  const place = existingPart(dataDir);
  const remedy = `Set JUNCTION_DATA_DIR to a folder that can be written to.`;
  if (!statSync(place).isDirectory()) {
    return `JUNCTION_DATA_DIR: ${place} is not a folder. ${remedy}`;
  }
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `JUNCTION_DATA_DIR: ${place} cannot be written to. ${remedy}`;
  }
}

/**
 * @param {string} place
 * @returns {string}
 */
const existingPart = (place) => (existsSync(place) ? place : existingPart(path.dirname(place)));
