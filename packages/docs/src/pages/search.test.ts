import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { PAGES } from './pages.js';
import { type SearchText, searchTexts } from './search-texts.js';
import { markdownOf } from './source.js';

type Find = (query: string) => readonly { readonly text: SearchText }[];

let find: Find;

beforeAll(async () => {
  // The file itself, as browsers get it, apart from the library that the build puts into it.
  const file = path.join(import.meta.dirname, '../../public/search.js');
  const { finder } = (await import(file)) as {
    finder(texts: readonly SearchText[]): Promise<Find>;
  };
  find = await finder(searchTexts(PAGES.map((page) => [page, markdownOf(page)])));
});

it.each([
  ['webhook_not_found', '/docs/errors/webhooks#webhook_not_found'],
  ['webhook not found', '/docs/errors/webhooks#webhook_not_found'],
  ['WEBHOOK_RETRY_SCHEDULE_S', '/docs/configuration#webhook-dispatcher'],
  ['draft.created', '/docs/events#draft.created'],
  ['verify', '/docs/receive#verify-it'],
  ['verfiy signature', '/docs/signatures'],
  ['how do I rotate a secret', '/docs/webhooks#secret'],
  ['junction doctor', '/docs/doctor'],
  ['/api/auth/register', '/docs/api/accounts#open-an-account'],
  ['python receiver', '/docs/receivers/python'],
])('“%s” finds %s among the first', (query, address) => {
  const addresses = find(query).map(({ text: [found] }) => found);
  expect(addresses).toContain(address);
});

it('words that stand nowhere find nothing', () => {
  expect(find('xylophone quark')).toEqual([]);
});
