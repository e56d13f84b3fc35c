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
  ['verfiy signature', '/docs/receive'],
  ['junction doctor', '/docs/doctor'],
  ['/api/auth/register', '/docs/api/accounts#open-an-account'],
  ['pagination', '/docs/http-api'],
  ['next_cursor', '/docs/http-api'],
  ['idempotency key', '/docs/http-api'],
  ['rate limit', '/docs/http-api'],
  ['429', '/docs/http-api'],
  ['cors', '/docs/http-api'],
  ['deprecation', '/docs/http-api'],
  ['etag', '/docs/http-api'],
  ['sso', '/docs/your-own-users'],
  ['retry schedule', '/docs/webhooks#options'],
  ['webhook timeout', '/docs/sending'],
  ['circuit breaker', '/docs/sending'],
  ['api key', '/docs/http-api'],
  ['delete user', '/docs/privacy'],
  ['gdpr', '/docs/privacy'],
  ['dead letter', '/docs/operate'],
  ['payload size limit', '/docs/publish'],
  ['ip allowlist', '/docs/sending'],
  ['environment variables', '/docs/configuration'],
  ['401 invalid signature', '/docs/receive'],
  ['verify signature python', '/docs/receivers/python'],
  ['how do I rotate a secret', '/docs/webhooks#secret'],
  ['kafka producer', '/docs/publish'],
  ['replay events', '/docs/webhooks'],
  ['locked out', '/docs/recover'],
  ['two factor lost', '/docs/recover'],
  ['grpc token python', '/docs/workers'],
  ['refresh token', '/docs/connect'],
  ['docker', '/docs/run'],
  ['helm', '/docs/kubernetes'],
  ['iframe', '/docs/embed'],
  ['gmail', '/docs/google-and-microsoft'],
])('“%s” finds %s first', (query, address) => {
  const [found = ''] = find(query).map(({ text: [each] }) => each);
  expect(found.startsWith(address) ? address : found).toBe(address);
});

it('words that stand nowhere find nothing', () => {
  expect(find('xylophone quark')).toEqual([]);
});
