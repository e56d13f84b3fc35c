import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const CHECK_INTERVAL_MS = 10;

/**
 * Stops the endless timer of kafkajs 2.2.4. Its `scheduleCheckPendingRequests` arms a timer after
 * every response, due at once when nothing throttles the client, and that timer arms the next: a
 * thousand wake-ups a second for every broker connection of an idle process. A check is only worth
 * a timer while a request waits; `push` comes here again when the next one does.
 */
export function quietRequestQueue(): void {
  RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleWhenSomethingWaits() {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;

    const throttledForMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledForMs > 0 ? throttledForMs : CHECK_INTERVAL_MS,
    );
  };
}
