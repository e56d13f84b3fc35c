import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

const COMMAND_CHARACTERS_MAX = 120;
/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A';

/**
 * Describes the process that listens on a TCP port of this machine; undefined where that is not to be seen: the process
 * is of another user, or this is no Linux.
 * @param {number} port
 */
export function listenerOn(port) {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((family) => listening(family, port)));
  if (sockets.size === 0) return undefined;
  const pid = entriesOf('/proc').find(
    (name) =>
      /^\d+$/.test(name) &&
      entriesOf(`/proc/${name}/fd`).some((fd) => sockets.has(linkOf(`/proc/${name}/fd/${fd}`))),
  );
  return pid && `process ${pid} (${commandOf(pid)})`;
}

/**
 * Returns the listening sockets of a port, by the names that they have among the open files of a process.
 * @param {string} family
 * @param {number} port
 */
function listening(family, port) {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return textOf(`/proc/net/${family}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(local) && fields[3] === LISTEN)
    .map((fields) => `socket:[${fields[9]}]`);
}

/**
 * Returns the command line without its options, which say less about a program than its files.
 * @param {string} pid
 */
function commandOf(pid) {
  const [program = '', ...args] = textOf(`/proc/${pid}/cmdline`).split('\0');
  const named = args.filter((arg) => arg !== '' && !arg.startsWith('-'));
  return [path.basename(program), ...named].join(' ').slice(0, COMMAND_CHARACTERS_MAX);
}

/** @param {string} folder */
const entriesOf = (folder) => orElse(() => readdirSync(folder), []);
/** @param {string} file */
const textOf = (file) => orElse(() => readFileSync(file, 'utf8'), '');
/** @param {string} link */
const linkOf = (link) => orElse(() => readlinkSync(link), '');

/**
 * Processes end while they are looked at, and those of others may not be looked at.
 * @template T
 * @param {() => T} look
 * @param {T} otherwise
 */
function orElse(look, otherwise) {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
