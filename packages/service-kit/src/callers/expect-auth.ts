import type { Health } from '../process/health.js';
import { type GrpcChannel, isConnected } from './grpc-channel.js';
import type { RemoteKeys } from './token-verifier.js';

/**
 * Not ready until auth has answered once, over HTTP and over gRPC. After that it may go and come back: what
 * needs it meanwhile says 503, and the rest is served.
 */
export function expectAuth(health: Health, keys: RemoteKeys, channel: GrpcChannel): void {
  health.addOnce('auth keys', async () => {
    await keys.reload();
    return true;
  });
  health.addOnce('auth grpc', async () => isConnected(channel));
}
