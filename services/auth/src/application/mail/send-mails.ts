import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { mailText } from './mail-text.js';
import { noticeText } from './notice-text.js';
import type { MailedPurpose, Mailer, MailKind, MailText, QueuedMail } from './ports.js';
import { troubleText } from './trouble-text.js';
import { webhookLines } from './webhook-lines.js';

const TOKEN_BYTES = 32;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const GIVE_UP_AFTER_MS = DAY_MS;
const AGAIN_MS = MINUTE_MS;

const LIFE_MS = {
  verify_email: DAY_MS,
  change_email: DAY_MS,
  reset_password: 30 * MINUTE_MS,
} as const satisfies Record<MailedPurpose, number>;

/** How mails go out. */
export interface Post {
  readonly mailer: Mailer;
  /** Where the pages are that links lead to. */
  readonly publicUrl: string;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Sends the mails that are due. A mail that cannot be sent is tried again each minute for a day, unless it was
 * refused for good.
 */
export const sendMails = (ports: Ports, post: Post) => async (): Promise<void> => {
  const { mailQueue, now } = ports;
  for (const mail of await mailQueue.claim(now())) {
    try {
      await send(ports, mail, post);
      await mailQueue.remove(mail.mailId);
    } catch (error) {
      post.onFailed(error);
      if (isForGood(error) || isTooOld(mail, now())) await mailQueue.remove(mail.mailId);
      else await mailQueue.postpone(mail.mailId, new Date(now().getTime() + AGAIN_MS));
    }
  }
};

/** No later try would do: there is no such mailbox, say (RFC 5321, section 4.2.1). */
const isForGood = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'mail_refused';

const isTooOld = ({ createdAt }: QueuedMail, now: Date): boolean =>
  createdAt.getTime() + GIVE_UP_AFTER_MS <= now.getTime();

async function send(ports: Ports, mail: QueuedMail, { mailer, publicUrl }: Post): Promise<void> {
  const { address, mailId } = mail;
  const text = await textOf(ports, mail, publicUrl);
  if (text !== undefined) await mailer.send({ mailId, address, ...text });
}

/** Undefined: there is nobody, or nothing any more, to write about. */
async function textOf(
  ports: Ports,
  mail: QueuedMail,
  publicUrl: string,
): Promise<MailText | undefined> {
  const { kind, changeId, mailId, address, createdAt: at } = mail;
  if (kind === 'reset_password') {
    // An account that was deleted has no password to be set: the link that brings it back is mailed again.
    const deletion = await ports.accountChanges.deletionAt(address);
    if (deletion) {
      return textOf(ports, { ...mail, kind: 'account_deleted', ...deletion }, publicUrl);
    }
  }
  if (isPurpose(kind)) return askedText(ports, { ...mail, purpose: kind }, publicUrl);
  if (kind === 'troubles') return textOfTroubles(ports, mail, publicUrl);
  if (changeId === undefined) return noticeText({ kind, at, publicUrl });
  const token = newToken(ports);
  const link = { mailId, changeId, tokenHash: hashOfSecret(token) };
  const kept = await ports.accountChanges.keepToken(link);
  if (kept === undefined) return undefined;
  const changes =
    kind === 'webhooks_changed' ? await ports.accountChanges.webhooksSince(changeId) : [];
  const details = webhookLines(changes, publicUrl);
  return noticeText({ kind, at, publicUrl, token, ...kept, details });
}

async function textOfTroubles(
  { troubles, unsubscribeTokens, now }: Ports,
  { userId = '' }: QueuedMail,
  publicUrl: string,
): Promise<MailText | undefined> {
  const token = unsubscribeTokens.of(userId);
  return troubleText(await troubles.of(userId), { publicUrl, now: now(), token });
}

async function askedText(
  ports: Ports,
  {
    address,
    purpose,
    ...mail
  }: Pick<QueuedMail, 'address' | 'userId'> & { readonly purpose: MailedPurpose },
  publicUrl: string,
): Promise<MailText | undefined> {
  const { accounts, now } = ports;
  const userId = mail.userId ?? (await accounts.openAt(address));
  // The address has no account: that is found out here, where no answer's time tells it.
  if (userId === undefined) return undefined;
  if (purpose === 'change_email' && (await accounts.isTaken(address, userId))) return undefined;
  const at = now();
  const expiresAt = new Date(at.getTime() + LIFE_MS[purpose]);
  const kept = { token: newToken(ports), userId, purpose, email: address, now: at, expiresAt };
  const token = await accounts.keepToken(kept);
  return token === undefined ? undefined : mailText(purpose, publicUrl, token);
}

const newToken = ({ random }: Ports): string =>
  `jn_mt_${random(TOKEN_BYTES).toString('base64url')}`;

const isPurpose = (kind: MailKind): kind is MailedPurpose => Object.hasOwn(LIFE_MS, kind);
