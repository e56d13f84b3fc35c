import { AuthServiceService } from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { Caller } from '../servers/http/caller.js';
import { type GrpcChannel, unaryCall } from './grpc-channel.js';

/** Asks auth whose API key this is; undefined: nobody's. Throws AppError `unavailable` without auth. */
export const apiKeyOwner =
  (channel: GrpcChannel) =>
  async (apiKey: string): Promise<Caller | undefined> => {
    try {
      const { userId, scopes } = await unaryCall(channel, AuthServiceService.authenticate, {
        apiKey,
      });
      return { kind: 'user', userId, via: 'api_key', scopes };
    } catch (error) {
      if (AppError.from(error).kind === 'unauthenticated') return undefined;
      throw error;
    }
  };
