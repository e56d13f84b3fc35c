// The internals of kafkajs that admin.ts reaches into.
declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** Requests on one connection. */
  export default class RequestQueue {
    pending: unknown[];
    scheduleCheckPendingRequests(): void;
  }
}
