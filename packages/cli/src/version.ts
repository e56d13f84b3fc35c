import { readFileSync } from 'node:fs';

const file = new URL('../package.json', import.meta.url);

/** Version of this command. */
export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
