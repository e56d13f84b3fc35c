import type { MailedPurpose, MailText } from './ports.js';

interface Words {
  readonly subject: string;
  readonly lines: readonly string[];
  /** The page that takes the token, and what its link says. */
  readonly link: { readonly path: string; readonly label: string };
}

const WORDS: Readonly<Record<MailedPurpose, Words>> = {
  verify_email: {
    subject: 'Verify your e-mail address',
    lines: [
      'Somebody signed up at Junction with this address. If it was you, verify it within 24 hours:',
      'If it was not you, do nothing, and the address stays unverified. Or open the link and choose "I did not sign up": everything in that account ends, and the address is yours with a password of your own.',
    ],
    link: { path: '/verify-email', label: 'Verify this address' },
  },
  change_email: {
    subject: 'Confirm your new e-mail address',
    lines: [
      'You asked Junction to use this address for your account. Confirm it within 24 hours:',
      'If you did not ask for this, do nothing.',
    ],
    link: { path: '/verify-email', label: 'Use this address' },
  },
  reset_password: {
    subject: 'Reset your password',
    lines: [
      'Somebody asked for a new password for your account at Junction. Choose one within 30 minutes:',
      'The new password ends every session. It ends every API key and disables every webhook, unless you keep them. If it was not you, do nothing: your password stays.',
    ],
    link: { path: '/reset-password', label: 'Choose a new password' },
  },
};

/** The mail that somebody asked for, with its token. */
export function mailText(purpose: MailedPurpose, publicUrl: string, token: string): MailText {
  const { subject, lines, link } = WORDS[purpose];
  const [first = '', ...rest] = lines;
  const url = linkWith(`${publicUrl}${link.path}`, token);
  return composed(subject, [first, { url, label: link.label }, ...rest]);
}

/** The token stands in the fragment: browsers send that to no server, so it reaches no log. */
export const linkWith = (page: string, token: string): string => `${page}#token=${token}`;

/** `25 November 2026 at 23:40 UTC`: the time zone of the reader is not known. */
export function momentOf(at: Date): string {
  const day = at.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${day} at ${at.toISOString().slice(11, 16)} UTC`;
}

/**
 * Returns a name that a user or a provider chose so that no mail client makes a link of it: behind each sign and digit
 * stands a zero-width non-joiner. Nobody sees that, and an address, a host or a number is none any more.
 */
export const unlinked = (name: string): string =>
  name.replaceAll(/[\p{N}\p{P}\p{Sm}](?=\S)/gu, '$&\u200c');

/** A paragraph of text, or a link. */
export type Paragraph = string | { readonly url: string; readonly label: string };

/** Paragraphs as text and as HTML. Their text may have names in it that are `unlinked`; links are ours. */
export function composed(subject: string, paragraphs: readonly Paragraph[]): MailText {
  const text = paragraphs.map((one) => (typeof one === 'string' ? one : one.url));
  const html = paragraphs.map((one) =>
    typeof one === 'string'
      ? `<p>${one.replaceAll(/[&<>]/g, (char) => `&#${char.codePointAt(0)};`)}</p>`
      : `<p><a href="${one.url}">${one.label}</a></p>`,
  );
  return { subject, text: `${text.join('\n\n')}\n`, html: html.join('\n') };
}
