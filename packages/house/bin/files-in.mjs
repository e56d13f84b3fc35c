import { readdirSync } from 'node:fs';
import path from 'node:path';

const UNREAD = new Set(['node_modules', 'dist', 'coverage', '.git', '.junction']);

/** Returns the files of a checkout that are neither installed nor built, by their paths below its root. */
export const filesIn = (root, folder = '') =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return UNREAD.has(entry.name) ? [] : filesIn(root, name);
    return entry.isFile() ? [name] : [];
  });
