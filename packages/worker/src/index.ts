export type { TokenRequest, TokensOptions } from './integrations-calls.js';
export { type RefusalCode, TokenRefusedError } from './token-refused-error.js';
export { type Token, type Tokens, tokens } from './tokens.js';
