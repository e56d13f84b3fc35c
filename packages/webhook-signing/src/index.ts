export { isUsableSecret, newSecret, type SigningKeys, signingKeys } from './secret.js';
export { signatureHeaders, type ToSign } from './sign.js';
export {
  type RequestHeaders,
  type StandardWebhook,
  verifyServiceSignature,
  verifyStandardWebhook,
} from './verify.js';
