import { isStorable } from '@junction/contracts';
import type { ClientProof } from '../../../application/client/authenticate-client.js';
import type { ServiceTokenRequest } from '../../../application/client/issue-service-token.js';
import { OAuthError } from '../../../application/client/oauth-error.js';

/** RFC 7523, section 2.2. */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Looked up or kept: Postgres takes no NUL. */
const STORED = ['client_id', 'audience', 'resource', 'scope'] as const;

type Parameters = Readonly<Record<string, string | undefined>>;

/**
 * A client_credentials request (RFC 6749, section 4.4.2). The client's secret is in the Authorization header or in
 * the form, or an assertion takes its place; two of them are refused. The service that the token is for is in
 * `audience`, or in `resource` as RFC 8707 calls it. Unknown parameters are ignored, as section 3.2 wants.
 */
export function tokenRequest(
  authorization: string | undefined,
  form: unknown,
): Omit<ServiceTokenRequest, 'visitor'> {
  const parameters = single(form);
  const { grant_type: grantType, scope } = parameters;
  if (grantType === undefined) throw invalid('grant_type is missing; send client_credentials.');
  if (grantType !== 'client_credentials') {
    throw new OAuthError(
      'unsupported_grant_type',
      'The one grant_type here is client_credentials.',
    );
  }
  return {
    proof: proofOf(authorization, parameters),
    audience: audience(parameters),
    scopes: scope?.split(' ').filter((word) => word !== ''),
  };
}

/** RFC 6749, section 3.2: a parameter without a value counts as left out, one sent twice is an error. */
function single(form: unknown): Parameters {
  const entries = Object.entries(form as Record<string, unknown>).map(([name, value]) => {
    if (typeof value !== 'string') throw invalid('Each parameter may be sent once.');
    return [name, value === '' ? undefined : value] as const;
  });
  const parameters: Parameters = Object.fromEntries(entries);
  const faulty = STORED.find((name) => !isStorable(parameters[name] ?? ''));
  if (faulty !== undefined) throw invalid(`${faulty} holds NUL (U+0000). Leave it out.`);
  return parameters;
}

/**
 * Returns the proof of the client, in the single way that the request uses: HTTP Basic, the secret in the form, or
 * an assertion (RFC 6749, section 2.3).
 */
function proofOf(authorization: string | undefined, parameters: Parameters): ClientProof {
  const { client_id: clientId, client_secret: secret, client_assertion: jwt } = parameters;
  const ways = [authorization, secret, jwt].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw invalid(
      'Authenticate in one way: the Authorization header, client_secret or client_assertion.',
    );
  }
  if (authorization !== undefined) return basicProof(authorization, clientId);
  if (jwt !== undefined) {
    if (parameters['client_assertion_type'] !== JWT_BEARER) {
      throw invalid(`client_assertion_type must be ${JWT_BEARER}.`);
    }
    return { kind: 'assertion', jwt, clientId };
  }
  if (clientId === undefined || secret === undefined) {
    throw new OAuthError(
      'invalid_client',
      'Send the client id and secret by HTTP Basic, or a client_assertion.',
    );
  }
  return { kind: 'secret', clientId, secret };
}

function basicProof(authorization: string, clientId: string | undefined): ClientProof {
  const basic = basicCredentials(authorization);
  if (clientId !== undefined && clientId !== basic.clientId) {
    throw invalid('The client_id of the form is not that of the Authorization header.');
  }
  return { kind: 'secret', ...basic };
}

/** RFC 6749, section 2.3.1: both halves are form-encoded before RFC 7617 joins them. */
function basicCredentials(authorization: string) {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) {
    throw new OAuthError('invalid_client', 'The Authorization header holds no Basic credentials.');
  }
  return {
    clientId: formDecode(text.slice(0, colon)),
    secret: formDecode(text.slice(colon + 1)),
  };
}

function formDecode(text: string): string {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    if (isStorable(decoded)) return decoded;
  } catch {
    // A text that is not form-encoded is refused like credentials that are not ours.
  }
  throw new OAuthError('invalid_client', 'The Basic credentials are not form-encoded.');
}

function audience({ audience: named, resource }: Parameters): string {
  const wanted = named ?? resource;
  if (wanted === undefined)
    throw invalid('audience is missing; name the service the token is for.');
  if (resource !== undefined && resource !== wanted) {
    throw new OAuthError('invalid_target', 'audience and resource name two services; name one.');
  }
  return wanted;
}

const invalid = (message: string): OAuthError => new OAuthError('invalid_request', message);
