export { atMost } from './at-most.js';
export { backoffMs } from './backoff.js';
export { type BatcherOptions, batcher } from './batcher.js';
export { deferred } from './deferred.js';
export { pause } from './pause.js';
export { type BackgroundJob, repeat } from './repeat.js';
export { type RetryOptions, retry } from './retry.js';
export { type SemaphoreOptions, semaphore } from './semaphore.js';
export { type Signal, signal } from './signal.js';
