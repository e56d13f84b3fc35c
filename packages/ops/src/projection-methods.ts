import type { OpsServiceServer } from '@junction/contracts';
import type { Event } from '@junction/eventsourcing';
import {
  discardRebuild,
  type ProjectionSet,
  rebuildProjection,
} from '@junction/eventsourcing-postgres';
import { serverStream, unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import type { Methods } from './methods.js';
import type { Reads } from './reads.js';
import { projectionRequest } from './requests.js';
import { tell } from './tell.js';

type ProjectionMethods = Pick<
  OpsServiceServer,
  'listProjections' | 'rebuildProjection' | 'discardRebuild'
>;

/** Implements the methods that list and rebuild read models. */
export const projectionMethods = <E extends Event>(
  { journal, log }: Methods,
  set: ProjectionSet<E>,
  reads: Reads,
): ProjectionMethods => ({
  listProjections: unary(log, async (_, { caller }) => {
    return { projections: [...(await reads.projections(caller))] };
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
});
