import type { ToldWebhook } from '../undo/ports.js';
import type { WebhookTrait } from '../webhook/ports.js';
import { momentOf, type Paragraph } from './mail-text.js';

const LISTED_MAX = 20;
const KINDS_MAX = 5;

const WORDS: Readonly<Record<Exclude<WebhookTrait, 'made'>, string>> = {
  url: 'another address',
  events: 'other kinds of event',
  secret: 'another secret',
  headers: 'other headers',
};

/** Returns the paragraphs about webhooks that were made or changed, each with a link to its page. */
export function webhookLines(changes: readonly ToldWebhook[], publicUrl: string): Paragraph[] {
  const left = changes.length - LISTED_MAX;
  return [
    ...changes
      .slice(0, LISTED_MAX)
      .flatMap((one): Paragraph[] => [
        lineOf(one),
        ...(one.events === null
          ? []
          : [{ url: `${publicUrl}/webhooks/${one.webhookId}`, label: 'See the webhook' }]),
      ]),
    ...(left > 0 ? [`There are ${left} more.`] : []),
  ];
}

function lineOf({ traits, events, at }: ToldWebhook): string {
  const webhook =
    events === null ? 'A webhook that was deleted since' : `A webhook for ${kindsOf(events)}`;
  if (traits.includes('made')) return `${webhook} was made on ${momentOf(at)}.`;
  const got = Object.entries(WORDS).flatMap(([trait, words]) =>
    traits.some((one) => one === trait) ? [words] : [],
  );
  return `${webhook} got ${listed(got)} on ${momentOf(at)}.`;
}

function kindsOf(events: readonly string[]): string {
  if (events.length === 0) return 'no kind of event';
  if (events.includes('*')) return 'every kind of event';
  const left = events.length - KINDS_MAX;
  return listed([...events.slice(0, KINDS_MAX), ...(left > 0 ? [`${left} more`] : [])]);
}

const listed = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');
