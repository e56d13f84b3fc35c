import { isSo, type TroubleKind } from '../../domain/trouble/trouble.js';
import type { OwnedTrouble } from '../trouble/ports.js';
import { composed, momentOf, type Paragraph } from './mail-text.js';
import type { MailText } from './ports.js';

const LISTED_MAX = 20;

interface Words {
  readonly subject: string;
  readonly what: (moment: string) => string;
  /** The page where it is mended, and what its link says. */
  readonly page: (about: string) => string;
  readonly label: string;
}

const webhookPage = (webhookId: string) => `/webhooks/${webhookId}`;

const WORDS: Readonly<Record<TroubleKind, Words>> = {
  webhook_failing: {
    subject: 'A webhook fails',
    what: (moment) =>
      `A webhook of yours has failed at every attempt for an hour or longer, as of ${moment}. Its events are kept and tried again. After five days without a success the webhook is disabled.`,
    page: webhookPage,
    label: 'See why it fails',
  },
  webhook_disabled: {
    subject: 'A webhook was disabled',
    what: (moment) =>
      `A webhook of yours was disabled on ${moment}, because nothing got through for five days. It gets no events until you enable it again.`,
    page: webhookPage,
    label: 'See why it failed, and enable it',
  },
  webhook_gone: {
    subject: 'A webhook was disabled',
    what: (moment) =>
      `A webhook of yours was disabled on ${moment}, because its receiver answered that it is gone (410). It gets no events until you enable it again.`,
    page: webhookPage,
    label: 'See the webhook, and enable or delete it',
  },
  mailbox_lost: lost('mailbox'),
  calendar_lost: lost('calendar'),
};

function lost(account: string): Words {
  return {
    subject: `A ${account} has to be connected again`,
    what: (moment) =>
      `A ${account} of yours has to be connected again: its provider has not accepted the connection since ${moment}.`,
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
  const found = troubles.flatMap(({ kind, about, at }) =>
    kind === 'over' || !isSo({ kind, at }, now) ? [] : [{ words: WORDS[kind], about, at }],
  );
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const subject =
    others.length === 0 ? first.words.subject : `${found.length} things need you at Junction`;
  const listed = found
    .slice(0, LISTED_MAX)
    .flatMap(({ words, about, at }): Paragraph[] => [
      words.what(momentOf(at)),
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
