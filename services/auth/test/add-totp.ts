import { TOTP } from 'otpauth';
import { type Ask, tokensOf } from './http-client.js';

/** Adds an authenticator to an account, and gives the tokens of the session that has shown it. */
export async function addTotp(ask: Ask, token: string) {
  const offered = await ask('POST', '/api/auth/totp', { token, json: {} });
  const { secret } = offered.body as { secret: string };
  const json = { code: new TOTP({ secret }).generate() };
  const { status, body } = await ask('POST', '/api/auth/totp/confirm', { token, json });
  if (status !== 200) throw new Error(`confirm answered ${status}: ${JSON.stringify(body)}`);
  const { recovery_codes: recoveryCodes, tokens } = body as {
    recovery_codes: readonly string[];
    tokens: object;
  };
  return { secret, recoveryCodes, ...tokensOf(tokens) };
}
