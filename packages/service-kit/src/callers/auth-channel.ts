import { AuthServiceService, SERVICE_SCOPES } from '@junction/contracts';
import type { GrpcSecurity } from '../process/config/common-environment.js';
import { type GrpcChannel, grpcChannel } from './grpc-channel.js';
import { serviceTokens } from './service-tokens.js';

export interface AuthChannelOptions {
  readonly auth: {
    readonly tokenUrl: string;
    readonly grpcAddress: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  readonly grpcSecurity: GrpcSecurity;
}

/** The way to auth's gRPC server for a service that has API keys checked there. */
export function authChannel({ auth, grpcSecurity: security }: AuthChannelOptions): GrpcChannel {
  const { tokenUrl, clientId, clientSecret, grpcAddress: address } = auth;
  const scope = SERVICE_SCOPES.verifyCredentials;
  const tokens = serviceTokens({ tokenUrl, clientId, clientSecret, audience: 'auth', scope });
  return grpcChannel({ address, security, tokens, idempotent: [AuthServiceService.authenticate] });
}
