import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const CHECK_INTERVAL_MS = 10;

/**
 * Interval of the check for overdue requests. A request has 10 s at least, so its end is noticed at most this much
 * later.
 */
const TIMEOUT_CHECK_MS = 1_000;

/** Fields to clear: each of them leads to the promise, and through it to the whole fetched response. */
const LET_GO = { entry: undefined, sendRequest: undefined, timeoutHandler: undefined };

const fulfill = RequestQueue.prototype.fulfillRequest;

/**
 * Stops the endless timers of kafkajs 2.2.4. Its `scheduleCheckPendingRequests` arms a timer after every response, due
 * at once when nothing throttles the client, and that timer arms the next: a thousand wake-ups a second for every
 * broker connection of an idle process. A check is only worth a timer while a request waits; `push` schedules it again
 * for the next request. kafkajs also looks for overdue requests every 100 ms on each connection, and a service with
 * three consumers has some ten connections.
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

  RequestQueue.prototype.fulfillRequest = function fulfillAndLetGo(response) {
    const request = this.inflight.get(response.correlationId);
    fulfill.call(this, response);
    if (request) Object.assign(request, LET_GO);
  };

  RequestQueue.prototype.scheduleRequestTimeoutCheck = function checkNowAndThen() {
    if (!this.enforceRequestTimeout) return;

    this.destroy();
    this.requestTimeoutIntervalId = setInterval(
      () => {
        const nowMs = Date.now();
        for (const request of this.inflight.values()) {
          if (nowMs - request.sentAt > request.requestTimeout) request.timeoutRequest();
        }
        if (!this.isConnected()) this.destroy();
      },
      Math.min(this.requestTimeout, TIMEOUT_CHECK_MS),
    );
  };
}
