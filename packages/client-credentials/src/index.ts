export {
  type ClientCredential,
  type ClientCredentials,
  type ClientCredentialsOptions,
  clientCredentials,
} from './client-credentials.js';
export { type TokenRefusal, tokenRefusal } from './token-refusal.js';
