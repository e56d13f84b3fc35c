import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { StoredPasskey, WebAuthn } from '../../application/second-factor/ports.js';

const NAME = 'Junction';

/**
 * Passkeys (WebAuthn, level 3) of the site at `publicUrl`: discoverable, and with a verified user, so that each is
 * two factors by itself.
 */
export function webAuthn(publicUrl: string): WebAuthn {
  const { origin: expectedOrigin, hostname: rpID } = new URL(publicUrl);
  const site = { expectedOrigin, rpID };
  return { ...registration(site), ...authentication(site) };
}

interface Site {
  readonly expectedOrigin: string;
  /** The relying party: the host. */
  readonly rpID: string;
}

type Registration = Pick<WebAuthn, 'registrationOptions' | 'verifyRegistration'>;
type Authentication = Pick<WebAuthn, 'authenticationOptions' | 'verifyAuthentication'>;

function registration({ expectedOrigin, rpID }: Site): Registration {
  return {
    async registrationOptions({ userId, email }, known) {
      const options = await generateRegistrationOptions({
        rpName: NAME,
        rpID,
        userID: new TextEncoder().encode(userId),
        userName: email,
        attestationType: 'none',
        excludeCredentials: known.map(descriptorOf),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return { challenge: options.challenge, options: { ...options } };
    },

    async verifyRegistration(response, expectedChallenge) {
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin,
        expectedRPID: rpID,
      }).catch(() => NOT_GOOD);
      if (!verified || registrationInfo === undefined) return undefined;
      const { id: credentialId, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credentialId, publicKey: Buffer.from(publicKey), counter, transports };
    },
  };
}

function authentication({ expectedOrigin, rpID }: Site): Authentication {
  return {
    async authenticationOptions(known) {
      const allowCredentials = known.map(descriptorOf);
      const options = await generateAuthenticationOptions({
        rpID,
        userVerification: 'required',
        ...(allowCredentials.length > 0 && { allowCredentials }),
      });
      return { challenge: options.challenge, options: { ...options } };
    },

    async verifyAuthentication(response, expectedChallenge, { credentialId, publicKey }) {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge,
        expectedOrigin,
        expectedRPID: rpID,
        credential: {
          id: credentialId,
          publicKey: new Uint8Array(publicKey),
          // The statement that stores the new counter compares it, so that two replicas at once are compared too.
          counter: 0,
        },
      }).catch(() => NOT_GOOD);
      return verified ? authenticationInfo?.newCounter : undefined;
    },
  };
}

/** The library throws for whatever a forged or broken answer holds. */
const NOT_GOOD = {
  verified: false,
  registrationInfo: undefined,
  authenticationInfo: undefined,
} as const;

const descriptorOf = ({ credentialId, transports }: StoredPasskey) => ({
  id: credentialId,
  transports: transports as AuthenticatorTransport[],
});
