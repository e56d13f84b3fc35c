import { isSo, type TroubleKind } from '../../domain/trouble/trouble.js';
import type { OwnedTrouble } from '../trouble/ports.js';
import { composed, momentOf, type Paragraph, unlinked } from './mail-text.js';
import type { MailText } from './ports.js';

const LISTED_MAX = 20;

interface Words {
  readonly subject: string;
  /** `name`: of the webhook or the account; undefined: nobody knows it. */
  readonly what: (moment: string, name: string | undefined) => string;
  /** The page where it is mended, and what its link says. */
  readonly page: (about: string) => string;
  readonly label: string;
}

const webhookOf = (host: string | undefined) =>
  host === undefined ? 'A webhook of yours' : `Your webhook at ${host}`;
const webhookPage = (webhookId: string) => `/webhooks/${webhookId}`;

const WORDS: Readonly<Record<TroubleKind, Words>> = {
  webhook_failing: {
    subject: 'A webhook fails',
    what: (moment, name) =>
      `${webhookOf(name)} has failed at every attempt for an hour or longer, as of ${moment}. Its events are kept and tried again. After five days without a success the webhook is disabled.`,
    page: webhookPage,
    label: 'See why it fails',
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    what: (moment, name) =>
      `${webhookOf(name)} was disabled on ${moment}, because nothing got through for five days. It gets no events until you enable it again.`,
    page: webhookPage,
    label: 'See why it failed, and enable it',
  },
  webhook_gone: {
    subject: 'A webhook was disabled',
    what: (moment, name) =>
      `${webhookOf(name)} was disabled on ${moment}, because its receiver answered that it is gone (410). It gets no events until you enable it again.`,
    page: webhookPage,
    label: 'See the webhook, and enable or delete it',
  },
  webhook_blocked: {
    subject: 'A webhook was disabled by an operator',
    what: (moment, name) =>
      `${webhookOf(name)} was disabled on ${moment} by an operator of this installation. Its events are held and not sent, and only an operator can enable it again: ask them why.`,
    page: webhookPage,
    label: 'See the webhook',
  },
  mailbox_lost: lost('mailbox'),
  calendar_lost: lost('calendar'),
};

function lost(account: string): Words {
  return {
    subject: `A ${account} has to be connected again`,
    what: (moment, name) =>
      `${name === undefined ? `A ${account} of yours` : `Your ${account} ${name}`} has to be connected again: its provider has not accepted the connection since ${moment}.`,
    page: () => '/integrations',
    label: 'Connect it again',
  };
}

interface Mailed {
  readonly publicUrl: string;
  readonly now: Date;
  /** Token of the link that ends these mails. */
  readonly token: string;
}

/** The mail about the troubles of a user; undefined: none is so any more. */
export function troubleText(
  troubles: readonly OwnedTrouble[],
  { publicUrl, now, token }: Mailed,
): MailText | undefined {
  const found = troubles.flatMap(({ kind, about, name, at }) =>
    kind === 'over' || !isSo({ kind, at }, now) ? [] : [{ words: WORDS[kind], about, name, at }],
  );
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const subject =
    others.length === 0 ? first.words.subject : `${found.length} things need you at Junction`;
  const listed = found
    .slice(0, LISTED_MAX)
    .flatMap(({ words, about, name, at }): Paragraph[] => [
      words.what(momentOf(at), name && unlinked(name)),
      { url: publicUrl + words.page(about), label: words.label },
    ]);
  const left = found.length - LISTED_MAX;
  const mail = composed(subject, [
    ...listed,
    ...(left > 0 ? [`There are ${left} more.`] : []),
    'We write when something comes up, and then once a day while it lasts, for a week. If you want no such mails:',
    { url: `${publicUrl}/unsubscribe#token=${token}`, label: 'Stop these mails' },
  ]);
  return { ...mail, unsubscribeUrl: `${publicUrl}/api/auth/unsubscribe?token=${token}` };
}
