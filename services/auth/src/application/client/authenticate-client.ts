import { timingSafeEqual } from 'node:crypto';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { OAuthError } from './oauth-error.js';
import type { Client } from './ports.js';

/** How a client shows who it is: by its secret, or by an assertion that it signed (RFC 7523). */
export type ClientProof =
  | { readonly kind: 'secret'; readonly clientId: string; readonly secret: string }
  | {
      readonly kind: 'assertion';
      readonly jwt: string;
      /** The client id elsewhere in the request, which must be the same. */
      readonly clientId?: string | undefined;
    };

/** The client; undefined when the proof is not good: nothing tells what is wrong with it. */
export async function authenticateClient(
  ports: Ports,
  clientId: string,
  proof: ClientProof,
): Promise<Client | undefined> {
  const client = ports.declaredClients.get(clientId) ?? (await ports.clients.find(clientId));
  if (proof.kind === 'assertion') return byAssertion(ports, client, proof.jwt);
  const hash = hashOfSecret(proof.secret);
  const at = ports.now();
  // The hash of an unknown client matches no secret, but takes as long to compare.
  const secrets = client?.secrets ?? [{ hash: NO_HASH, validUntil: null }];
  const isRight = secrets.some(
    (secret) =>
      timingSafeEqual(secret.hash, hash) && (secret.validUntil === null || secret.validUntil > at),
  );
  return isRight ? client : undefined;
}

const NO_HASH = Buffer.alloc(32);

async function byAssertion(
  { clientAssertions, clients }: Ports,
  client: Client | undefined,
  jwt: string,
): Promise<Client | undefined> {
  if (client?.jwks === undefined) return undefined;
  const { clientId, jwks } = client;
  const assertion = await clientAssertions.verify(jwt, { clientId, jwks });
  if (assertion === undefined) return undefined;
  return (await clients.useAssertion(assertion)) ? client : undefined;
}

/** Returns the client that a proof is about. OAuthError when the proof names none, or two. */
export function claimedClientId({ clientAssertions }: Ports, proof: ClientProof): string {
  if (proof.kind === 'secret') return proof.clientId;
  const clientId = clientAssertions.claimedClientId(proof.jwt);
  if (clientId === undefined) {
    throw new OAuthError(
      'invalid_client',
      'The client_assertion is no JWT whose iss and sub are the client id.',
    );
  }
  if (proof.clientId !== undefined && proof.clientId !== clientId) {
    throw new OAuthError(
      'invalid_client',
      'The client_id of the form is not that of the assertion.',
    );
  }
  return clientId;
}
