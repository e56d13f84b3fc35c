import { boundedFetch } from '@junction/async';
import { AuthServiceService, SERVICE_SCOPES } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { closeChannel, grpcChannel, isConnected, unaryCall } from '../grpc/grpc-channel.js';
import { serviceTokens } from '../grpc/service-tokens.js';
import type { Caller } from '../http/caller.js';
import type { GrpcSecurity } from '../process/config/common-environment.js';
import type { Health } from '../process/health.js';
import { keyCaller } from './key-caller.js';
import { rememberTokens } from './remembered-tokens.js';
import { type RemoteKeys, remoteKeys } from './token-verifier.js';

/** Time for which API keys in use count without auth. What its events revoke ends here at once all the same. */
const AWAY_MS = 3_600_000;

const silent = (how: string) => new AppError({ kind: 'unavailable', code: 'auth' }, how);

export interface AuthClientOptions {
  readonly auth: {
    readonly jwksUrl: string;
    readonly tokenUrl: string;
    readonly grpcAddress: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  readonly grpcSecurity: GrpcSecurity;
}

/** Client of auth: the keys of its tokens, and its gRPC server for API keys. */
export interface AuthClient {
  readonly keys: RemoteKeys;
  /**
   * Returns the owner of an API key; undefined for an unknown key. Answers are kept for a minute, without auth for an
   * hour where the key is used each minute, but a revocation counts at once. Throws AppError `unavailable` without
   * auth.
   */
  apiKeyOwner(apiKey: string): Promise<Caller | undefined>;
  /**
   * Gives the user of another issuer's token an account if there is none yet. Throws auth's AppError, or `unavailable`
   * without auth.
   */
  ensureUser(accessToken: string): Promise<void>;
  /**
   * Makes `health` wait until auth has answered once, over HTTP and over gRPC. Afterwards auth may go and come back:
   * requests that need auth meanwhile are answered with 503, and all others are served.
   */
  expectIn(health: Health): void;
  /** Resolves when auth answers, over HTTP and over gRPC; rejects when it does not. */
  ask(): Promise<void>;
  close(): void;
}

export function authClient({ auth, grpcSecurity: security }: AuthClientOptions): AuthClient {
  const { jwksUrl, tokenUrl, clientId, clientSecret, grpcAddress: address } = auth;
  const { authenticate, ensureUser } = AuthServiceService;
  const scope = SERVICE_SCOPES.verifyCredentials;
  const tokens = serviceTokens({
    tokenUrl,
    clientId,
    credential: { secret: clientSecret },
    audience: 'auth',
    scope,
  });
  const channel = grpcChannel({
    address,
    security,
    tokens,
    idempotent: [authenticate, ensureUser],
  });
  const keys = remoteKeys(jwksUrl);
  return {
    keys,

    apiKeyOwner: rememberTokens(
      async (apiKey) => {
        try {
          return keyCaller(await unaryCall(channel, authenticate, { apiKey }));
        } catch (error) {
          if (AppError.from(error).kind === 'unauthenticated') return undefined;
          throw error;
        }
      },
      { awayMs: AWAY_MS },
    ),

    async ensureUser(accessToken) {
      await unaryCall(channel, ensureUser, { accessToken });
    },

    expectIn(health) {
      health.addOnce('auth keys', async () => {
        await keys.have();
        return true;
      });
      health.addOnce('auth grpc', async () => isConnected(channel));
    },

    async ask() {
      // Not by `keys`: for five seconds after each read of these, a token of a new key would be refused.
      const { ok, status } = await boundedFetch()(jwksUrl, { method: 'HEAD' });
      if (!ok) throw silent(`${jwksUrl} answered ${status}.`);
      if (!(await isConnected(channel))) throw silent(`No gRPC server answers at ${address}.`);
    },

    close: () => closeChannel(channel),
  };
}
