import { Secret, TOTP } from 'otpauth';
import type { Totp } from '../../application/second-factor/ports.js';
import { typedCode } from '../../application/second-factor/typed-code.js';

const SECRET_BYTES = 20; // RFC 4226, section 4: as long as the output of its HMAC.
const PERIOD_S = 30;
const SECOND_MS = 1_000;
/** Clocks of people's devices: the code before and the one after count too. */
const WINDOW = 1;

/** Time-based one-time passwords (RFC 6238) as every authenticator makes them: SHA-1, six digits, thirty seconds. */
export const authenticatorCodes = (issuer: string): Totp => ({
  newSecret: () => Buffer.from(new Secret({ size: SECRET_BYTES }).buffer),

  describe(secret, label) {
    const totp = new TOTP({ issuer, label, secret: secretOf(secret), period: PERIOD_S });
    return { secret: totp.secret.base32, uri: totp.toString() };
  },

  stepOf(secret, code, now) {
    const token = typedCode(code);
    // The library counts characters, compares bytes, and throws where these are not as many.
    if (!/^\d{6}$/.test(token)) return undefined;
    const timestamp = now.getTime();
    const totp = new TOTP({ secret: secretOf(secret), period: PERIOD_S });
    const delta = totp.validate({ token, timestamp, window: WINDOW });
    return delta === null ? undefined : Math.floor(timestamp / SECOND_MS / PERIOD_S) + delta;
  },
});

const secretOf = (bytes: Buffer): Secret => new Secret({ buffer: new Uint8Array(bytes).buffer });
