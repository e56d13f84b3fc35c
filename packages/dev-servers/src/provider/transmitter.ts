import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint, importJWK, type JWK, SignJWT } from 'jose';
import type { DevClient } from './clients.js';

const ANSWER_WITHIN_MS = 5_000;
const RESTS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Tells apps what happens to their users' access. */
export interface Transmitter {
  /**
   * Sends a client an event with these claims, in the background, repeated if need be. False: it is told
   * nothing.
   */
  tell(clientId: string, claims: object): boolean;
  /** A token with these claims, signed as one that is sent. */
  sign(claims: object, header?: object): Promise<string>;
  /** Gives up what is still to be sent. */
  close(): Promise<void>;
}

export interface TransmitterOptions {
  readonly issuer: string;
  readonly clients: readonly DevClient[];
  /** The key that signs now. Its public half stands in the provider's JWKS. */
  readonly key: () => JWK;
  readonly log: (line: string) => void;
}

/** Pushes security event tokens (RFC 8417) to the addresses of the clients (RFC 8935). */
export function createTransmitter({ issuer, clients, key, log }: TransmitterOptions): Transmitter {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  const sign: Transmitter['sign'] = async (claims, header = {}) => {
    const signing = key();
    const kid = await calculateJwkThumbprint(signing);
    return new SignJWT({
      iss: issuer,
      iat: Math.floor(Date.now() / 1000),
      jti: randomUUID(),
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', typ: 'secevent+jwt', kid, ...header })
      .sign(await importJWK(signing, 'RS256'));
  };

  const send = async (uri: string, claims: object): Promise<void> => {
    const token = await sign(claims);
    for (const restMs of RESTS_MS) {
      if (await isOver(uri, token, stopping.signal, log)) return;
      await sleep(restMs, undefined, { signal: stopping.signal });
    }
    log(`No security event could be sent to ${uri}.`);
  };

  return {
    sign,

    tell(clientId, claims) {
      const uri = clients.find(({ client_id: id }) => id === clientId)?.security_events_uri;
      if (uri === undefined) return false;
      const sending = send(uri, { aud: clientId, ...claims })
        .catch((error: unknown) => {
          if (!stopping.signal.aborted) log(`A security event was not sent: ${String(error)}`);
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
      return true;
    },

    async close() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

/** Taken, or refused for good: then saying it again is no use. */
async function isOver(
  uri: string,
  token: string,
  stopping: AbortSignal,
  log: (line: string) => void,
): Promise<boolean> {
  try {
    const response = await fetch(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/secevent+jwt', accept: 'application/json' },
      body: token,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    const answer = await response.text();
    if (response.status === 400) log(`${uri} refused a security event: ${answer}`);
    return response.status === 202 || response.status === 400;
  } catch {
    return false;
  }
}
