import {
  type ChannelCredentials,
  type ClientOptions,
  credentials,
  InterceptingCall,
  Metadata,
} from '@grpc/grpc-js';

const DEADLINE_MS = 10_000;

type Client<Of> = new (
  address: string,
  credentials: ChannelCredentials,
  options: Partial<ClientOptions>,
) => Of;

/**
 * Makes a client of a started service. Each call ends after ten seconds if it names no deadline itself, so that a call
 * that is never answered says so, and not the test that waits for it.
 */
export const grpcClient = <Of>(Constructor: Client<Of>, address: string): Of =>
  new Constructor(address, credentials.createInsecure(), {
    interceptors: [
      (options, nextCall) =>
        new InterceptingCall(nextCall({ ...options, deadline: options.deadline ?? soon() })),
    ],
  });

const soon = (): number => Date.now() + DEADLINE_MS;

/** Returns the metadata of a call whose caller shows this token. */
export function bearer(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}
