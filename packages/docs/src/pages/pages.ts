import { apiObjects, apiOverview } from './api-reference.js';
import { eventCatalogue } from './event-catalogue.js';
import { areaPages, OPERATORS } from './operator-pages.js';
import { type Page, page, type Section } from './page.js';
import { problemCodes, problemPages } from './problem-codes.js';
import { RECEIVERS, receiverPages } from './receivers.js';

/** Every page, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      page(
        '/docs',
        'Ten minutes',
        'What Junction is, and the way from nothing to a first signed webhook.',
        'docs/guides/start.md',
      ),
    ],
  },
  {
    title: 'Guides',
    pages: [
      page(
        '/docs/http-api',
        'Rules of the API',
        'Callers, errors, lists, repeats, limits, and what may change.',
        'docs/http-api.md',
      ),
      page(
        '/docs/connect',
        'Connect an account',
        'Lead a user through consent, and use the tokens that come of it.',
        'docs/guides/connect.md',
      ),
      page(
        '/docs/receive',
        'Receive webhooks',
        'Configure a webhook, verify its signature, answer well, see what was delivered.',
        'docs/guides/receive.md',
      ),
      page(
        '/docs/publish',
        'Publish events',
        'Hand in events by Kafka, by gRPC or with the producer package.',
        'docs/guides/publish.md',
      ),
      page(
        '/docs/embed',
        'Embed the webhook pages',
        'Show your users their webhooks inside your own product.',
        'docs/guides/embed.md',
      ),
      page(
        '/docs/run',
        'Run it',
        'On your machine, with Docker Compose, on Kubernetes.',
        'docs/guides/run.md',
      ),
      page(
        '/docs/recover',
        'Get back in',
        'Without the password, without the second factor, or after somebody else was in the account.',
        'docs/guides/recover.md',
      ),
      page(
        '/docs/operate',
        'Operate it',
        'Health, dead letters, rebuilds, keys and users with the junction command.',
        'docs/guides/operate.md',
      ),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page(
        '/docs/events',
        'Kinds of event',
        'Every kind of event that a webhook can receive, with its schema and an example.',
        (_, kinds) => eventCatalogue(kinds),
      ),
      page(
        '/docs/own-kinds',
        'Kinds of your own',
        'Kinds of event that a platform adds to the five: the file, and how it may change.',
        'docs/webhooks/own-kinds.md',
      ),
      page(
        '/docs/webhooks',
        'Webhooks in detail',
        'Endpoints, options, filters, results of attempts, redelivery and replay.',
        'docs/webhooks/http.md',
      ),
      page(
        '/docs/errors',
        'Problem codes',
        'Every code of a problem, by area, with its status, its cause and what to do.',
        problemCodes,
      ),
      ...problemPages(),
      page(
        '/docs/receivers',
        'Receivers',
        'A receiver that verifies, whole, in each of six languages.',
        RECEIVERS,
        ['docs/webhooks/verify/send.sh'],
      ),
      ...receiverPages(),
      page(
        '/docs/signatures',
        'Signatures',
        'The package that verifies signatures, and what is signed how.',
        'packages/webhook-signing/README.md',
      ),
      page(
        '/docs/producer',
        'Producer',
        'The package that publishes events: Kafka, gRPC, an outbox in your Postgres.',
        'packages/producer/README.md',
      ),
      page(
        '/docs/worker',
        'Worker',
        'The package that gives workers the tokens of connected accounts, and hears of a 401.',
        'packages/worker/README.md',
      ),
      page(
        '/docs/workers',
        'Workers in any language',
        'The tokens of connected accounts in Python, in Go, and over HTTP.',
        'docs/workers/README.md',
        ['docs/workers/worker.py', 'docs/workers/worker.go'],
      ),
      page(
        '/docs/client',
        'Client',
        'The package that calls the HTTP API, typed, with tokens renewed and lists read on.',
        'packages/client/README.md',
      ),
      page(
        '/docs/command',
        'The junction command',
        'Every command of developers and operators, what it does and which scope it needs.',
        'packages/cli/README.md',
      ),
    ],
  },
  {
    title: 'API',
    pages: [
      page(
        '/docs/api',
        'All calls',
        'Every call over HTTP, and where it can be tried out.',
        apiOverview,
      ),
      ...areaPages(false),
      page('/docs/api/objects', 'Objects', 'What calls answer with.', apiObjects),
    ],
  },
  OPERATORS,
  {
    title: 'About',
    pages: [
      page(
        '/docs/your-own-users',
        'Your own users',
        'Users who come with the access tokens of your own OpenID issuer.',
        'docs/your-own-users.md',
      ),
      page(
        '/docs/changes',
        'Changes',
        'What each change of an account asks for, and who is told of it.',
        'docs/changes.md',
      ),
      page(
        '/docs/privacy',
        'Privacy',
        'What is kept of a person, where, and what deletion does.',
        'docs/privacy.md',
      ),
      page(
        '/docs/threat-model',
        'Threat model',
        'What is protected, from whom, by what, and what is left.',
        'docs/threat-model.md',
      ),
      page(
        '/docs/architecture',
        'Architecture',
        'How the parts fit together, and how a process starts and stops.',
        'docs/architecture.md',
      ),
      page('/docs/glossary', 'Glossary', 'The words, and what they mean here.', 'docs/glossary.md'),
      page('/docs/changelog', 'Changelog', 'What changed, by area.', 'docs/changelog.md'),
    ],
  },
];

export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);
