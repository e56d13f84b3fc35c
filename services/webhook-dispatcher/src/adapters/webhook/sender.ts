import { createSecureContext, rootCertificates } from 'node:tls';
import { opener, type Resolve } from '@junction/service/outbound';
import { remembered } from '../../application/remembered.js';
import type { OnEnded } from '../../application/sending/ports.js';
import type { Destination, WebhookRequest } from '../../application/sending/send-attempt.js';
import { dialPlain } from './connection.js';
import { connections, type Open } from './connections.js';
import { egressProxy } from './egress-proxy.js';
import { Exchange } from './exchange.js';
import { guarded, nameServers, unguarded } from './guarded-lookup.js';
import { requestHead, standingHead } from './request-head.js';
import { endpointOf } from './target-rules.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 15_000;

export interface SenderOptions {
  /** http, private addresses and private names: WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets: boolean;
  /** PEM of an authority that receivers may be signed by, besides the public ones. */
  readonly extraCa?: string | undefined;
  /** The proxy that every connection is opened through. Absent: none, whatever HTTP_PROXY says. */
  readonly proxy?: string | undefined;
  readonly resolve?: Resolve;
  readonly attemptTimeoutMs?: number;
}

export interface Sender {
  /** Sends a request, and calls `ended` once: every way in which an attempt can end is a record. */
  send(request: WebhookRequest, ended: OnEnded): void;
  close(): Promise<void>;
}

/** Posts to receivers over connections that are kept alive, and no step without a bound. */
export function webhookSender(options: SenderOptions): Sender {
  const { allowPrivateTargets } = options;
  const { open, close } = opening(options);
  const receivers = connections(open, () => options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS);
  const prepared = remembered((to: Destination) => {
    const endpoint = endpointOf(to.url, { allowPrivateTargets });
    return { origin: endpoint.origin, head: standingHead(endpoint, to) };
  });

  return {
    send(request, ended) {
      const exchange = new Exchange(request, ended);
      try {
        const { origin, head } = prepared(request.to);
        exchange.origin = origin;
        exchange.head = requestHead(head, request);
        receivers.carry(exchange);
      } catch (error) {
        exchange.end(error);
      }
    },
    async close() {
      receivers.close();
      await close();
    },
  };
}

/** Opens connections to the address that the guard's lookup gave, through the proxy if there is one. */
function opening({ allowPrivateTargets, extraCa, proxy, resolve = nameServers() }: SenderOptions) {
  const checked = allowPrivateTargets ? unguarded : guarded(resolve);
  const tls = extraCa === undefined ? {} : { secureContext: trusting(extraCa) };
  const through = proxy === undefined ? undefined : egressProxy(proxy, CONNECT_TIMEOUT_MS);
  const direct = { resolve: checked, tls, timeoutMs: CONNECT_TIMEOUT_MS };
  const plain = opener({ ...direct, dial: through?.dial ?? dialPlain });
  const secure = opener({ ...direct, dial: through?.dial });

  const open: Open = (origin, signal) => {
    const { protocol, hostname, port } = new URL(origin);
    const target = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port };
    return protocol === 'https:' ? secure(target, signal) : plain(target, signal);
  };
  return { open, close: async () => through?.close() };
}

/** Made once: reading all authorities takes longer than a connection nearby. */
const trusting = (extraCa: string) => createSecureContext({ ca: [...rootCertificates, extraCa] });
