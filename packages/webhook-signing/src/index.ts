export type { WebhookEvent, WebhookEventData, WebhookEventOf } from './event.js';
export { type KeyPair, keyPair, newSigningKey } from './key-pair.js';
export { publishedKeys } from './published-keys.js';
export {
  type KeySource,
  type OnWebhookEvent,
  type ReceiveOptions,
  verifyRequest,
  type WebhookHandler,
  webhookHandler,
} from './receive.js';
export type { RequestHeaders } from './request-headers.js';
export {
  isUsableSecret,
  newSecret,
  type SigningKeys,
  secretProblem,
  signingKeys,
} from './secret.js';
export { signatureHeaders, type ToSign } from './sign.js';
export type { VerificationKeys } from './trusted-keys.js';
export { type VerificationProblem, WebhookVerificationError } from './verification-error.js';
export { type VerifyOptions, verify, verifyServiceSignature } from './verify.js';
