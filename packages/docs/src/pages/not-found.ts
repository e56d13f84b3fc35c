import { page } from './page.js';

const TEXT = `# There is no such page

This documentation has no page of that address. Search it, at the top or by the key \`/\`, or begin here:

- [**Ten minutes**](/docs)\\
  What Junction is, and the way to a first webhook.
- [**Receive webhooks**](/docs/receive)\\
  Verify, answer, and see what was delivered.
- [**API**](/docs/api)\\
  Every call, with its problems.
- [**Problem codes**](/docs/errors)\\
  Every code, its cause and what to do.`;

/** The page that a gateway answers with, and with 404, to a browser that asks for a page that is not there. */
export const NOT_FOUND = page(
  '/docs/not-found',
  'No such page',
  'This documentation has no page of that address.',
  () => TEXT,
);
