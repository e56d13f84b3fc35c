import { changeEmail, resendVerification, verifyEmail } from './account/email.js';
import {
  changePassword,
  forgotPassword,
  previewPasswordReset,
  resetPassword,
} from './account/password.js';
import { register } from './account/register.js';
import { createApiKey } from './api-key/create-api-key.js';
import { holderOf } from './api-key/holder-of.js';
import { rotateApiKey } from './api-key/rotate-api-key.js';
import { issueServiceToken } from './client/issue-service-token.js';
import { manageClients } from './client/manage-clients.js';
import { closeUser, endClosedAccount, endClosedAccounts, reopenUser } from './close-account.js';
import { deleteUser } from './delete-user.js';
import { deleteMe } from './deletion/delete-me.js';
import { deletionReceipt, purgeReceipts } from './deletion/receipts.js';
import { askIssuerAgain } from './issuer/ask-issuer-again.js';
import { ensureUser } from './issuer/ensure-user.js';
import { hearIssuers } from './issuer/hear-issuers.js';
import { signInAtIssuer } from './issuer/sign-in-at-issuer.js';
import { changeRole, userNamed } from './operators/change-role.js';
import { removeFactors } from './operators/remove-factors.js';
import { signOut } from './operators/sign-out.js';
import { portalLinks } from './portal/portal-links.js';
import type { Ports } from './ports.js';
import { revokeApiKey } from './revoke-api-key.js';
import { addPasskey, offerPasskey } from './second-factor/add-passkey.js';
import { confirmTotp, offerTotp } from './second-factor/add-totp.js';
import { passkeyChallenge } from './second-factor/passkey-challenge.js';
import { newRecoveryCodes } from './second-factor/recovery-codes.js';
import { removePasskey, removeTotp } from './second-factor/remove-factor.js';
import { finishSignIn, signInByPasskey } from './second-factor/sign-in-with-factor.js';
import { stepUp } from './second-factor/step-up.js';
import { endExpiredSessions } from './session/end-expired-sessions.js';
import { endAllSessions, endOwnSession } from './session/end-own-sessions.js';
import { endSessions } from './session/end-sessions.js';
import { isRevoked } from './session/is-revoked.js';
import { login } from './session/login.js';
import { logout } from './session/logout.js';
import { type RefreshSettings, refresh } from './session/refresh.js';
import { rotateOnSchedule, rotateSigningKeys } from './signing-key/rotate-signing-keys.js';
import { chooseTroubleMails, unsubscribe } from './trouble/choose-mails.js';
import { hearNews, purgeTroubles } from './trouble/hear-news.js';
import { deleteEndedChanges, previewUndo, undoChanges } from './undo/undo-changes.js';
import { hearWebhooks } from './webhook/hear-webhooks.js';

/** The use cases of this service, for whichever server a request comes through. */
export type Application = ReturnType<typeof application>;

interface Settings extends RefreshSettings {
  /** The age at which a signing key gets a successor. */
  readonly signingKeyRotationMs: number;
  /** Origins that may frame the portal. */
  readonly portalOrigins: readonly string[];
}

/** The use cases, each a file beside this one. */
export const application = (
  ports: Ports,
  { refreshTokenTtlMs, reuseWindowMs, signingKeyRotationMs, portalOrigins }: Settings,
) => ({
  /** Reads for one request: they end when the signal aborts. */
  reading: (signal: AbortSignal) => reads({ ...ports, ...ports.readsUntil(signal) }),

  /** Whether this installation sends mail. */
  sendsMail: ports.mailQueue.isOpen,

  register: register(ports),
  closeFirstSteps: ports.accounts.closeFirstSteps,
  resendVerification: resendVerification(ports),
  verifyEmail: verifyEmail(ports),
  changeEmail: changeEmail(ports),
  forgotPassword: forgotPassword(ports),
  previewPasswordReset: previewPasswordReset(ports),
  resetPassword: resetPassword(ports),
  changePassword: changePassword(ports),

  ensureUser: ensureUser(ports),
  issuers: signInAtIssuer(ports, refreshTokenTtlMs),
  issuerAgain: askIssuerAgain(ports),

  userNamed: userNamed(ports),
  changeRole: changeRole(ports),
  signOut: signOut(ports),
  removeFactors: removeFactors(ports),

  login: login(ports, refreshTokenTtlMs),
  refresh: refresh(ports, { refreshTokenTtlMs, reuseWindowMs }),
  logout: logout(ports),
  endSessions: endSessions(ports),
  endOwnSession: endOwnSession(ports),
  endAllSessions: endAllSessions(ports),
  isRevoked: isRevoked(ports),

  secondFactors: secondFactors(ports, refreshTokenTtlMs),
  finishSignIn: finishSignIn(ports, refreshTokenTtlMs),
  signInByPasskey: signInByPasskey(ports, refreshTokenTtlMs),
  stepUp: stepUp(ports),

  createApiKey: createApiKey(ports),
  rotateApiKey: rotateApiKey(ports),
  revokeApiKey: revokeApiKey(ports),
  holderOf: holderOf(ports),

  portalLinks: portalLinks(ports, portalOrigins),

  issueServiceToken: issueServiceToken(ports),
  clients: manageClients(ports),

  rotateSigningKeys: rotateSigningKeys(ports),

  ...deletions(ports),
  ...mails(ports),
  ...jobs(ports, { reuseWindowMs, signingKeyRotationMs }),
});

const reads = (ports: Ports) => ({
  historyOf: ports.accounts.history,
  factorsOf: ports.factors.of,
});

/** Use cases of users with their second factors. Each change is behind a recent proof where a factor exists. */
const secondFactors = (ports: Ports, refreshTokenTtlMs: number) => ({
  offerTotp: offerTotp(ports),
  confirmTotp: confirmTotp(ports, refreshTokenTtlMs),
  removeTotp: removeTotp(ports),
  offerPasskey: offerPasskey(ports),
  addPasskey: addPasskey(ports, refreshTokenTtlMs),
  removePasskey: removePasskey(ports),
  passkeyChallenge: passkeyChallenge(ports),
  newRecoveryCodes: newRecoveryCodes(ports),
});

/** Use cases of the end of an account. */
const deletions = (ports: Ports) => ({
  deleteMe: deleteMe(ports),
  endAccount: endClosedAccount(ports),
  closeUser: closeUser(ports),
  reopenUser: reopenUser(ports),
  /** Without asking for a password: of whoever may. */
  deleteUser: async (userId: string) => deleteUser(ports)(userId),
  deletionReceipt: deletionReceipt(ports),
});

/** Use cases of the mails that nobody asks for, and of the links in them. */
const mails = (ports: Ports) => ({
  previewUndo: previewUndo(ports),
  undoChanges: undoChanges(ports),
  hearNews: hearNews(ports),
  hearWebhooks: hearWebhooks(ports),
  chooseTroubleMails: chooseTroubleMails(ports),
  unsubscribe: unsubscribe(ports),
});

/** The work that nobody asks for, done from time to time. */
const jobs = (
  ports: Ports,
  { reuseWindowMs, signingKeyRotationMs }: Pick<Settings, 'reuseWindowMs' | 'signingKeyRotationMs'>,
) => ({
  hearIssuers: hearIssuers(ports),
  purgeReceipts: purgeReceipts(ports),
  writeApiKeyUses: ports.apiKeys.writeUses,
  rotateOnSchedule: rotateOnSchedule(ports, signingKeyRotationMs),
  /** Deletes the successors of spent tokens whose reuse window is over. */
  deleteSuccessors: async () =>
    ports.sessions.deleteSuccessors(new Date(ports.now().getTime() - reuseWindowMs)),
  endExpiredSessions: endExpiredSessions(ports),
  deleteEndedCounts: ports.limits.deleteEnded,
  deleteEndedChanges: deleteEndedChanges(ports),
  endClosedAccounts: endClosedAccounts(ports),
  purgeTroubles: purgeTroubles(ports),
});
