import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EVENT_CATALOGUE } from '@junction/contracts';
import { readEventTypes } from '@junction/contracts/event-types';
import { apiDocuments } from './api-documents.js';
import { buildSite } from './build.js';

const SITE = path.join(import.meta.dirname, '../site');

/** Writes the pages and the documents of the API. */
export async function writeSite(eventTypesFile: string): Promise<void> {
  const { entries } = await readEventTypes(eventTypesFile).catch(refuse);
  const kinds = entries.length > EVENT_CATALOGUE.length ? entries : undefined;
  rmSync(SITE, { recursive: true, force: true });
  write(buildSite(kinds));
  write(await apiDocuments(kinds));
}

/** Ends the build with the mistakes of the file. */
function refuse({ message }: Error): never {
  console.error(message);
  process.exit(1);
}

function write(files: ReadonlyMap<string, string>): void {
  for (const [file, content] of files) {
    const place = path.join(SITE, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
  }
}
