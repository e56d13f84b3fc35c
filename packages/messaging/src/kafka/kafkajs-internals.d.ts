// The one internal of kafkajs that we reach into; see request-queue-patch.ts.
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface QueuedRequest {
    readonly entry: { readonly correlationId: number };
    readonly expectResponse: boolean;
    readonly sendRequest: () => void;
  }

  export default class RequestQueue {
    constructor(options: {
      maxInFlightRequests: number | null;
      requestTimeout: number;
      enforceRequestTimeout: boolean;
      clientId: string;
      broker: string;
      logger: { debug(message: string): void; warn(message: string): void };
    });
    readonly pending: readonly unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    maybeThrottle(ms: number): void;
    push(request: QueuedRequest): void;
    fulfillRequest(response: { correlationId: number; payload: Buffer; size: number }): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
}
