import type { Provider } from '../api/types.js';

export interface ScopeWords {
  readonly scope: string;
  /** Sentence about what the assistant may do with this scope. */
  readonly allows: string;
  /** Sentence about what fails without this scope. */
  readonly without: string;
}

export interface KindWords {
  readonly provider: Provider;
  /** Name of the group of all accounts of this kind. */
  readonly label: string;
  /** Name of a single account of this kind, within a sentence. */
  readonly name: string;
  readonly purpose: string;
  /** Scopes that this kind asks for, in the order of the request. */
  readonly scopes: readonly ScopeWords[];
  /** Sentences about what stops without an account of this kind, silent webhooks included. */
  readonly stops: readonly string[];
}

/** Kinds of account that can be connected, in the order of the page. */
export const KINDS: readonly KindWords[] = [
  {
    provider: 'mailbox',
    label: 'Mailboxes',
    name: 'mailbox',
    purpose: 'Lets the assistant organize your inbox and draft replies.',
    scopes: [
      {
        scope: 'mailbox.readonly',
        allows: 'See who wrote to you, when, and the subject',
        without: 'Your mail is not read, so nothing is organized and no replies are drafted.',
      },
      {
        scope: 'mailbox.send',
        allows: 'Send e-mails on your behalf',
        without: 'No e-mail is sent on your behalf: drafts stay drafts.',
      },
      {
        scope: 'mailbox.modify',
        allows: 'Organize e-mails with labels and categories',
        without: 'Your e-mails get no labels or categories.',
      },
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
    purpose: 'Lets the assistant join meetings, take notes and remind you.',
    scopes: [
      {
        scope: 'calendar.readonly',
        allows: 'See the events in your calendar',
        without: 'Your calendar is not read, so no meetings are joined and you get no reminders.',
      },
      {
        scope: 'calendar.events',
        allows: 'See the details of your meetings',
        without: 'The details of your meetings are not seen, so no meetings are joined.',
      },
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
