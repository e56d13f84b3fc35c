import type { OpsServiceServer } from '@junction/contracts';
import type { Operations, ResetTarget } from '@junction/messaging';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import type { Methods } from './methods.js';
import type { Reads } from './reads.js';
import { type ResetTo, resetRequest } from './requests.js';

type ConsumerMethods = Pick<
  OpsServiceServer,
  'listConsumers' | 'resetConsumer' | 'resetAllConsumers'
>;

/** Implements the methods for the progress of consumers, and for their reset. */
export const consumerMethods = (
  { journal, log }: Methods,
  operations: () => Operations,
  reads: Reads,
): ConsumerMethods => ({
  listConsumers: unary(log, async (_, { caller }) => {
    const partitions = await reads.consumers(caller);
    return {
      partitions: partitions.map(({ offset, end, lag, owner, ...at }) => ({
        ...at,
        offset: Number(offset),
        end: end === undefined ? undefined : Number(end),
        lag: lag === undefined ? undefined : Number(lag),
        owner: owner ?? '',
      })),
    };
  }),

  resetConsumer: unary(log, async (request, { caller }) => {
    const { to, force, ...at } = parse(resetRequest, request);
    const target = targetOf(to);
    const asked = { ...at, force, to: describe(to) };
    return journal.change(caller, 'ResetConsumer', asked, async () => {
      const reset = await operations().reset(at, target, { force });
      const answer = { from: Number(reset.from), offset: Number(reset.offset) };
      return { answer, result: answer };
    });
  }),

  resetAllConsumers: unary(log, async (_, { caller }) =>
    journal.change(caller, 'ResetAllConsumers', {}, async () => {
      const { consumers, reset } = operations();
      const all = await consumers();
      for (const at of all) await reset(at, { to: 'beginning' }, { force: true });
      const answer = { partitions: all.length };
      return { answer, result: answer };
    }),
  ),
});

function targetOf(to: ResetTo): ResetTarget {
  switch (to.$case) {
    case 'offset':
      return { to: 'offset', offset: BigInt(to.value) };
    case 'time':
      return { to: 'time', time: to.value };
    case 'beginning':
    case 'end':
      return { to: to.$case };
  }
}

const describe = (to: ResetTo): string => {
  if (to.$case === 'time') return to.value.toISOString();
  return to.$case === 'offset' ? String(to.value) : to.$case;
};
