import { AuthServiceService } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { type Caller, type GrpcChannel, unaryCall } from '@junction/service-kit';

/** Asks auth whose API key this is. */
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
