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
      'The new password ends every session, and every API key unless you keep them. If it was not you, do nothing: your password stays.',
    ],
    link: { path: '/reset-password', label: 'Choose a new password' },
  },
};

/** The mail that somebody asked for, with its token. */
export function mailText(purpose: MailedPurpose, publicUrl: string, token: string): MailText {
  const { subject, lines, link } = WORDS[purpose];
  const [first = '', ...rest] = lines;
  return composed(subject, {
    before: [first],
    link: { url: linkWith(`${publicUrl}${link.path}`, token), label: link.label },
    after: rest,
  });
}

/** The token stands in the fragment: browsers send that to no server, so it reaches no log. */
export const linkWith = (page: string, token: string): string => `${page}#token=${token}`;

interface Parts {
  readonly before: readonly string[];
  readonly link?: { readonly url: string; readonly label: string } | undefined;
  readonly after: readonly string[];
}

/** Paragraphs with a link among them, as text and as HTML. They are ours: nothing that a user wrote is among them. */
export function composed(subject: string, { before, link, after }: Parts): MailText {
  const paragraph = (line: string) => `<p>${line}</p>`;
  const anchor = link && `<a href="${link.url}">${link.label}</a>`;
  const text = [...before, ...(link === undefined ? [] : [link.url]), ...after];
  const html = [...before, ...(anchor === undefined ? [] : [anchor]), ...after];
  return { subject, text: `${text.join('\n\n')}\n`, html: html.map(paragraph).join('\n') };
}
