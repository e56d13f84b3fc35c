export { scopeFor } from './api-key-scopes.js';
export { type AuthClientOptions, authClient } from './auth-client.js';
export { AUTH_TOPIC, type DeletedUser, onAuthEvents, REVOKED_FOR_MS } from './auth-events.js';
export { authenticateService, clientOf } from './authenticate-service.js';
export {
  type AuthenticateUserOptions,
  accountDeleted,
  authenticateIfShown,
  authenticateUser,
  PORTAL_AUDIENCE,
  refuseIfEnded,
} from './authenticate-user.js';
export { ACCESS_COOKIE, cookieOf, cookieValues, sameOriginOnly } from './browser-session.js';
export {
  claimText,
  joseHeader,
  jwtClaims,
  numericDate,
  readToken,
  unverifiedClaims,
} from './claims.js';
export {
  type ForeignIssuer,
  foreignSubject,
  withForeignIssuers,
} from './foreign/foreign-users.js';
export { issuerKeys } from './foreign/issuer-keys.js';
export {
  AnswerFault,
  checkedIdToken,
  type IdTokenOptions,
  idTokenAlgorithms,
} from './id-token.js';
export { idempotency } from './idempotency.js';
export { idempotencyColumns, idempotencyMigrations, type Sealing } from './idempotency-store.js';
export { type KeyHolder, keyCaller } from './key-caller.js';
export { CALLERS_WINDOW_S, limitCallers } from './limit-callers.js';
export { operatorsOnly } from './operators-only.js';
export { recentFactor, recentSignIn } from './recent-factor.js';
export { type RefusedRequest, tellRefusals } from './refused-requests.js';
export { type Revocations, revocationMigrations, revocations } from './revocations.js';
export { apiUseMigrations, sharedUse } from './shared-use.js';
export {
  invalidToken,
  remoteKeys,
  type TokenVerifierOptions,
  tokenVerifier,
  type VerifyToken,
} from './token-verifier.js';
export { verifiedEmail } from './verified-email.js';
