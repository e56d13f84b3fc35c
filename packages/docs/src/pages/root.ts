import path from 'node:path';

/** The top of the repository. */
export const ROOT = path.resolve(import.meta.dirname, '../../../..');
