import { afterAll, beforeAll } from '@jest/globals';
import { type DevMail, startDevMail } from '@junction/dev-servers/mail';
import type { TestDatabase } from '@junction/testing';
import { TOTP } from 'otpauth';
import { smtpMailer } from '../src/adapters/smtp/mailer.js';
import type { Application } from '../src/application/application.js';
import { sendMails } from '../src/application/mail/send-mails.js';
import { authOnPostgres, loggedIn, newcomer } from './auth-on-postgres.js';
import { softwareAuthenticator } from './software-authenticator.js';

const STEP_MS = 30_000;
const NEW_PASSWORD = 'another horse battery';
export const ORIGIN = { origin: 'https://junction.example', rpId: 'junction.example' };
export const visitor = { ip: '192.0.2.1', onLimit: () => {} };

interface TestMail {
  readonly server: DevMail;
  readonly mailer: ReturnType<typeof smtpMailer>;
}

/** Starts a mail server, and what sends there, for one test file. */
export function useMail(): () => TestMail {
  let mail: TestMail;
  beforeAll(async () => {
    const server = await startDevMail();
    const from = 'Junction <no-reply@example.com>';
    mail = { server, mailer: smtpMailer({ smtpUrl: server.smtpUrl, from, requireTls: false }) };
  });
  afterAll(async () => {
    mail.mailer.close();
    await mail.server.close();
  });
  return () => mail;
}

/** Signs a person up, with the mails that went out so far. */
export async function signedUp(database: TestDatabase, { server, mailer }: TestMail) {
  const auth = await authOnPostgres(database);
  const { app, ports } = auth;
  const person = newcomer();
  const { id: userId } = await app.register(person);
  const failures: unknown[] = [];
  const onFailed = (error: unknown) => void failures.push(error);
  const send = sendMails(ports, { mailer, publicUrl: 'http://localhost:8080', onFailed });
  /** The token of the newest mail to the address. */
  const tokenTo = async (address = person.email) => {
    await send();
    return /#token=([\w-]+)/.exec(server.mails(address)[0]?.links[0] ?? '')?.[1] ?? '';
  };
  const login = async (password = person.password) =>
    loggedIn(app, { email: person.email, password, visitor });
  const subjects = async (address = person.email) => {
    await send();
    return server.mails(address).map(({ subject }) => subject);
  };
  /** The newest session. */
  const caller = async () => {
    const [session] = await auth.app.listSessions(userId);
    return { userId, sessionId: session?.id ?? '' };
  };
  return { ...auth, person, userId, caller, failures, send, tokenTo, login, subjects };
}

/** Adds a passkey of this device to the account of the caller. */
export async function addPasskey(
  { secondFactors }: Application,
  caller: { readonly userId: string; readonly sessionId: string },
  device = softwareAuthenticator(ORIGIN),
) {
  const { challengeId, options } = await secondFactors.offerPasskey(caller.userId);
  const response = device.create(String(options['challenge']));
  const named = { ...caller, name: 'phone', device: undefined };
  return secondFactors.addPasskey(named, { challengeId, response });
}

/** The same, with the address verified. */
export async function verified(database: TestDatabase, mail: TestMail) {
  const signed = await signedUp(database, mail);
  const { app, person, userId, tokenTo } = signed;
  await app.verifyEmail(await tokenTo(person.email), visitor, { sessionUserId: userId });
  return signed;
}

/** An owner with a session, and what somebody who has stolen that can do who knows the password as well. */
export async function accountOwner(
  database: TestDatabase,
  mail: TestMail,
  { isVerified = true } = {},
) {
  const signed = await (isVerified ? verified : signedUp)(database, mail);
  const { app, ports, later, person, userId, send, login, caller } = signed;
  const mailsTo = async (address = person.email) => {
    await send();
    await send();
    return mail.server.mails(address);
  };
  /** The token of the newest mail with this subject. */
  const tokenOf = async (subject: string, address = person.email) => {
    const found = (await mailsTo(address)).find((one) => one.subject === subject);
    return /#token=([\w-]+)/.exec(found?.links.join(' ') ?? '')?.[1] ?? '';
  };
  await login();

  const ownPasskey = async (device = softwareAuthenticator(ORIGIN)) =>
    addPasskey(app, await caller(), device);
  const addTotp = async () => {
    const { secret } = await app.secondFactors.offerTotp(userId);
    const codeOf = new TOTP({ secret });
    const code = () => {
      later(STEP_MS);
      return codeOf.generate({ timestamp: ports.now().getTime() });
    };
    return {
      secret,
      code,
      ...(await app.secondFactors.confirmTotp(await caller(), code(), undefined)),
    };
  };
  const moveTo = async (newEmail: string) => {
    await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    await app.verifyEmail(await tokenOf('Confirm your new e-mail address', newEmail), visitor, {
      sessionUserId: userId,
    });
  };
  const newKey = async () => (await app.createApiKey(userId, { name: 'theirs' })).key;
  const undo = async (token: string) => app.undoChanges(token, NEW_PASSWORD, visitor);
  const factors = async () => {
    const { totpSince, passkeys, recoveryCodesLeft } = await ports.factors.of(userId);
    return { totp: totpSince !== null, passkeys: passkeys.length, codes: recoveryCodesLeft };
  };
  const thief = `thief-of-${person.email}`;
  const can = { addPasskey: ownPasskey, addTotp, moveTo, newKey, undo, factors };
  return { ...signed, ...can, thief, mailsTo, tokenOf };
}
