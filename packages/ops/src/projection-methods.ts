import type { OpsServiceServer, ProjectionSummary } from '@junction/contracts';
import type { Event } from '@junction/eventsourcing';
import {
  discardRebuild,
  listProjections,
  type ProjectionSet,
  type ProjectionState,
  rebuildProjection,
  retryProjection,
  type StoppedAt,
  skipProjectionEvent,
} from '@junction/eventsourcing-postgres';
import { serverStream, unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import type { Methods } from './methods.js';
import { projectionRequest, skipRequest } from './requests.js';
import { tell } from './tell.js';

type ProjectionMethods = Pick<
  OpsServiceServer,
  | 'listProjections'
  | 'rebuildProjection'
  | 'discardRebuild'
  | 'retryProjection'
  | 'skipProjectionEvent'
>;

/** Deciding about read models. */
export const projectionMethods = <E extends Event>(
  { journal, log }: Methods,
  set: ProjectionSet<E>,
): ProjectionMethods => ({
  listProjections: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'ListProjections', {});
    return { projections: (await listProjections(set)).map(summary) };
  }),

  rebuildProjection: serverStream(log, async (request, send, { caller, signal }) => {
    const { name } = parse(projectionRequest, request);
    await journal.change(caller, 'RebuildProjection', { name }, async () => {
      const last = await tell(rebuildProjection(set, name, { signal }), {
        signal,
        what: 'the rebuild',
        send: async (progress) => {
          const { version, phase, eventsDone, eventsTotal, eventsPerSecond, secondsLeft } =
            progress;
          await send({ version, phase, eventsDone, eventsTotal, eventsPerSecond, secondsLeft });
        },
      });
      return { answer: undefined, result: { eventsDone: last?.eventsDone ?? 0 } };
    });
  }),

  discardRebuild: unary(log, async (request, { caller }) => {
    const { name } = parse(projectionRequest, request);
    return journal.change(caller, 'DiscardRebuild', { name }, async () => {
      await discardRebuild(set, name);
      return { answer: {}, result: {} };
    });
  }),

  retryProjection: unary(log, async (request, { caller }) => {
    const { name } = parse(projectionRequest, request);
    return journal.change(caller, 'RetryProjection', { name }, async () => {
      await retryProjection(set, name);
      return { answer: {}, result: {} };
    });
  }),

  skipProjectionEvent: unary(log, async (request, { caller }) => {
    const { name, position } = parse(skipRequest, request);
    return journal.change(caller, 'SkipProjectionEvent', { name, position }, async () => {
      await skipProjectionEvent(set, name, BigInt(position));
      return { answer: {}, result: {} };
    });
  }),
});

const summary = (state: ProjectionState): ProjectionSummary => ({
  ...state,
  owner: state.owner ?? '',
  position: Number(state.position ?? 0),
  lagEvents: state.lag.events,
  lagSeconds: state.lag.seconds,
  stop: stopOf(state.stopped),
  rebuild: state.rebuild && {
    ...state.rebuild,
    lagEvents: state.rebuild.lag.events,
    stop: stopOf(state.rebuild.stopped),
  },
});

const stopOf = (stopped: StoppedAt | undefined) =>
  stopped && { ...stopped, position: Number(stopped.position) };
