import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CatalogueEntry } from '@junction/contracts';
import { ROOT } from './root.js';

const read = (name: string) => readFileSync(path.join(ROOT, 'packages/docs', name), 'utf8');

/** The documents of the API, as the gateway serves them. Without `kinds` they have those of every installation. */
export async function apiDocuments(
  kinds?: readonly CatalogueEntry[],
): Promise<ReadonlyMap<string, string>> {
  const [openApi, asyncApi] = [read('openapi.json'), read('asyncapi.json')];
  return new Map(
    Object.entries({
      '/openapi.json': kinds ? await openApiWith(openApi, kinds) : openApi,
      '/asyncapi.json': kinds ? await asyncApiWith(kinds) : asyncApi,
    }),
  );
}

// The modules that describe services are loaded only where there is something to describe anew.
async function openApiWith(text: string, kinds: readonly CatalogueEntry[]): Promise<string> {
  const { webhooksOf } = await import('../openapi/document.js');
  return JSON.stringify({ ...(JSON.parse(text) as object), webhooks: webhooksOf(kinds) });
}

async function asyncApiWith(kinds: readonly CatalogueEntry[]): Promise<string> {
  const { asyncApiDocument } = await import('../asyncapi/async-document.js');
  return JSON.stringify(asyncApiDocument(kinds));
}
