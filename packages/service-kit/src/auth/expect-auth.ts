import { type GrpcChannel, isConnected } from '../grpc/grpc-channel.js';
import type { Health } from '../health.js';
import type { RemoteKeys } from '../tokens/token-verifier.js';

/**
 * Not ready until auth has answered once, at both of its doors. After that it may go and come back: what
 * needs it meanwhile says 503, and the rest is served.
 */
export function expectAuth(health: Health, keys: RemoteKeys, channel: GrpcChannel): void {
  health.addOnce('auth keys', async () => {
    await keys.reload();
    return true;
  });
  health.addOnce('auth grpc', async () => isConnected(channel));
}
