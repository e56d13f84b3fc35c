import * as client from 'openid-client';
import { classifyFailure } from './classify-failure.js';
import { type ConfigurationOptions, configuration, newNotes } from './client-configuration.js';
import type { CallNotes } from './recovering-fetch.js';

export type Metadata = () => Promise<client.ServerMetadata>;

/**
 * Makes a call with a configuration of its own. `beforeSending` is called before the request is sent: when it throws,
 * nothing is sent. Throws ProviderError.
 */
export type Call = <T>(
  work: (config: client.Configuration, notes: CallNotes) => Promise<T>,
  beforeSending?: () => void,
) => Promise<T>;

export const providerCall =
  (options: ConfigurationOptions, metadata: Metadata): Call =>
  async (work, beforeSending) => {
    const notes = newNotes();
    const inOurWords = (error: unknown): never => {
      throw classifyFailure(error, notes);
    };
    const config = await configuration(await metadata(), options, notes).catch(inOurWords);
    beforeSending?.();
    return work(config, notes).catch(inOurWords);
  };

/** Has any 2xx count as the one that the library waits for (RFC 9110, section 15.3). */
export function succeedWith(config: client.Configuration, status: number): void {
  const send = config[client.customFetch] as client.CustomFetch;
  config[client.customFetch] = async (...request) => {
    const response = await send(...request);
    const { ok, headers } = response;
    return ok ? new Response(await response.text(), { status, headers }) : response;
  };
}
