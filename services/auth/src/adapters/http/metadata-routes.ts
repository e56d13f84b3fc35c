import { SERVICE_SCOPES } from '@junction/contracts';
import { mount } from '@junction/service/http';
import { Router } from 'express';
import { ASSERTION_ALGORITHMS } from '../jwt/client-assertions.js';
import * as answers from './answers.js';
import { TOKEN_PATH } from './client/token-routes.js';
import { JWKS_PATH } from './signing-key/jwks-routes.js';

/** The token endpoint as libraries find it by the issuer alone (RFC 8414). */
export function metadataRoutes(publicUrl: string): Router {
  const router = Router();
  const at = (path: string) => new URL(path, publicUrl).href;
  const metadata = {
    issuer: publicUrl,
    token_endpoint: at(TOKEN_PATH),
    jwks_uri: at(JWKS_PATH),
    // Required by section 2, and empty: nobody is asked for consent here.
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    scopes_supported: Object.values(SERVICE_SCOPES),
    token_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ],
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    service_documentation: at('/docs'),
  };
  mount(
    router,
    {
      id: 'getAuthorizationServerMetadata',
      method: 'get',
      path: '/.well-known/oauth-authorization-server',
      summary: 'Get the metadata of the token endpoint (RFC 8414)',
      about: 'The endpoint, and the ways in which a client may authenticate.',
      answer: answers.authorizationServerMetadata,
    },
    ({ res }) => {
      res.set('cache-control', 'public, max-age=3600');
      return metadata;
    },
  );
  return router;
}
