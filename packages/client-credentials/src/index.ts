export {
  type ClientCredential,
  type ClientCredentials,
  type ClientCredentialsOptions,
  clientCredentials,
} from './client-credentials.js';
export { type TokenRefusal, tokenRefusal } from './token-refusal.js';
export { type TokenSource, withServiceToken } from './with-service-token.js';
