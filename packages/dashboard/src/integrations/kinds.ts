import type { Provider } from '../api/types.js';

export interface ScopeWords {
  readonly scope: string;
  /** What it lets the assistant do. */
  readonly allows: string;
}

export interface KindWords {
  readonly provider: Provider;
  /** Names the group of all its accounts. */
  readonly label: string;
  /** One of them, within a sentence. */
  readonly name: string;
  readonly purpose: string;
  /** Everything it is asked for, in the order in which it is asked. */
  readonly scopes: readonly ScopeWords[];
  /** What stops without it, with the webhooks that fall silent. */
  readonly stops: readonly string[];
}

/** What can be connected, in the order of the page. */
export const KINDS: readonly KindWords[] = [
  {
    provider: 'mailbox',
    label: 'Mailboxes',
    name: 'mailbox',
    purpose: 'So that the assistant can organize your inbox and draft replies.',
    scopes: [
      { scope: 'mailbox.readonly', allows: 'Read who wrote, about what, and when' },
      { scope: 'mailbox.send', allows: 'Send e-mails on your behalf' },
      { scope: 'mailbox.modify', allows: 'Organize e-mails with labels and categories' },
    ],
    stops: [
      'Your inbox is no longer organized (inbox.organized).',
      'No more replies are drafted (draft.created).',
      'The daily briefing goes on without your mail (briefing.sent).',
    ],
  },
  {
    provider: 'calendar',
    label: 'Calendars',
    name: 'calendar',
    purpose: 'So that the assistant can join meetings, take notes and remind you.',
    scopes: [
      { scope: 'calendar.readonly', allows: 'Read the events of your calendar' },
      { scope: 'calendar.events', allows: 'See the details of your meetings' },
    ],
    stops: [
      'No meetings are joined, and no notes taken (meeting.joined).',
      'No more reminders are sent (reminder.sent).',
      'The daily briefing goes on without your meetings (briefing.sent).',
    ],
  },
];

/** The words for a kind in an address; undefined for one that does not exist. */
export const wordsOf = (provider: string): KindWords | undefined =>
  KINDS.find((words) => words.provider === provider);
