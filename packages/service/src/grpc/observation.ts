import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { AppError } from '@junction/errors';
import type { Logger } from '../process/logging/logger.js';
import type { Metrics } from '../process/metrics.js';
import { toGrpcStatus } from './status.js';

/** Writes a log line and a measurement for each call. */
export const observe =
  (log: Logger, metrics: Metrics): ServerInterceptor =>
  ({ path }, call) => {
    const startedAt = performance.now();
    let over = false;
    const end = (code: status) => {
      if (over) return;
      over = true;
      const durationMs = performance.now() - startedAt;
      metrics.grpc.observe({ method: path, code: status[code] }, durationMs / 1_000);
      log.debug({ rpc: path, code: status[code], duration_ms: durationMs }, 'call');
    };

    return new ServerInterceptingCall(
      call,
      new ResponderBuilder()
        .withStart((next) =>
          next(new ServerListenerBuilder().withOnCancel(() => end(status.CANCELLED)).build()),
        )
        .withSendStatus((outcome, next) => {
          end(outcome.code ?? status.UNKNOWN);
          next(outcome);
        })
        .build(),
    );
  };

/**
 * Ends a call after `boundMs`, whatever deadline the client sent, or did not send. grpc-js keeps a client's own
 * deadline, but without a deadline, or with a deadline of weeks, a call could stay open for ever.
 */
export const boundDuration =
  (boundMs: (path: string) => number): ServerInterceptor =>
  ({ path }, call) => {
    const timer = setTimeout(() => {
      const late = new AppError('deadline_exceeded', 'The call took too long.');
      bounded.sendStatus({ ...toGrpcStatus(late), code: status.DEADLINE_EXCEEDED });
    }, boundMs(path));
    const stop = () => clearTimeout(timer);

    const bounded = new ServerInterceptingCall(
      call,
      new ResponderBuilder()
        .withStart((next) => next(new ServerListenerBuilder().withOnCancel(stop).build()))
        .withSendStatus((outcome, next) => {
          stop();
          next(outcome);
        })
        .build(),
    );
    return bounded;
  };
