import { type CatalogueEntry, isEventKind } from '@junction/contracts';
import { type Schema, table, wordsOf } from './schema-words.js';

const INTRODUCTION = `# Events

Everything a webhook can name in its \`events\`. Each arrives as a POST of exactly these five fields; what differs
from kind to kind is \`data\`:

| field | type | |
|---|---|---|
| event_type | string | one of the kinds below |
| user_id | string | UUID of the user |
| data | object | what happened, byte for byte as its producer wrote it |
| timestamp | string | ISO 8601, UTC |
| webhook_id | string | the webhook that it was sent to |

Types of fields that may be absent are for readers: events that differ are delivered all the same. Further fields may appear in
\`data\`, and a kind may come more than once: see [receiving](/docs/receive). The same
catalogue, for programs, needs no token: \`GET /api/webhooks/event-types\`.`;

const OF_PLATFORM = `## Events of the platform

What this installation adds to the events of the assistant. A webhook for \`*\` gets them too, except those that are opt-in.`;

const NOTICES = `## Notices of the service

What Junction tells a user about her own webhooks and accounts. A webhook gets these only when its \`events\` name
them, and never about itself.`;

/** The page of all kinds: when each is sent, its schema, an example. */
export function eventCatalogue(entries: readonly CatalogueEntry[]): string {
  const notices = entries.filter(({ isNotice }) => isNotice);
  const ofAssistant = entries.filter(({ kind }) => isEventKind(kind));
  const ofPlatform = entries.filter(({ kind, isNotice }) => !isNotice && !isEventKind(kind));
  return [
    INTRODUCTION,
    '## Events of the assistant',
    ...ofAssistant.map(entry),
    ...(ofPlatform.length > 0 ? [OF_PLATFORM, ...ofPlatform.map(entry)] : []),
    NOTICES,
    ...notices.map(entry),
  ].join('\n\n');
}

const entry = ({ kind, description, isNotice, isOptIn, ...data }: CatalogueEntry): string =>
  [
    `### \`${kind}\``,
    isOptIn && !isNotice ? `${description} Opt-in.` : description,
    fields(data.schema),
    'An example of `data`:',
    json(data.example),
    '<details>\n<summary>JSON Schema of <code>data</code></summary>',
    json(data.schema),
    '</details>',
  ].join('\n\n');

function fields(schema: Schema): string {
  const cells = rows(schema, '');
  const columns = cells.some(([, , words]) => words !== '') ? 3 : 2;
  const row = (cells: readonly string[]) => cells.slice(0, columns);
  return table(row(['field of `data`', 'type', '']), cells.map(row));
}

type Row = readonly [name: string, type: string, words: string];

function rows({ properties = {}, required = [] }: Schema, above: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { properties, description } = schema;
    const words = [description, required.includes(name) ? '' : 'May be absent.'];
    // Fields of an object get rows of their own.
    const type = properties === undefined ? wordsOf(schema) : 'object';
    const row = [`${above}${name}`, type, words.filter(Boolean).join(' ')] as const;
    return [row, ...rows(schema, `${above}${name}.`)];
  });
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
