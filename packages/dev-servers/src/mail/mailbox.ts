import { randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';

const MAILS_MAX = 500;
const LINK = /https?:\/\/[^\s<>"]+/g;

export interface ReceivedMail {
  readonly id: string;
  readonly receivedAt: Date;
  readonly from: string;
  /** Recipients of the envelope, to whom a mail server would deliver the mail. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Links in the plain text, in their order. */
  readonly links: readonly string[];
  /** The address of List-Unsubscribe (RFC 2369), if there is one. */
  readonly unsubscribe?: string;
}

export interface Mailbox {
  add(raw: Buffer, to: readonly string[]): Promise<void>;
  /** Returns mails, the newest first; with an address only those to that address. */
  list(to?: string): readonly ReceivedMail[];
  find(id: string): ReceivedMail | undefined;
  clear(): void;
}

/** The newest 500 mails, in memory. */
export function mailbox(): Mailbox {
  let mails: readonly ReceivedMail[] = [];
  return {
    async add(raw, to) {
      const { from, subject = '', text = '', headers } = await PostalMime.parse(raw);
      const links = text.match(LINK) ?? [];
      const list = headers.find(({ key }) => key === 'list-unsubscribe')?.value.match(LINK);
      const envelope = { id: randomUUID(), receivedAt: new Date(), to };
      const unsubscribe = list && { unsubscribe: list[0] };
      const mail = { ...envelope, from: from?.address ?? '', subject, text, links, ...unsubscribe };
      mails = [mail, ...mails].slice(0, MAILS_MAX);
    },
    list: (to) => (to === undefined ? mails : mails.filter((mail) => mail.to.includes(to))),
    find: (id) => mails.find((mail) => mail.id === id),
    clear() {
      mails = [];
    },
  };
}
