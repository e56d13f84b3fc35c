import { type Init, type JunctionClient, JunctionProblem } from '@junction/client';
import { type Delivery, type DeliveryDetail, firstOf } from '../../api/answers.js';
import { Failure } from '../../failure.js';

export type DeliveriesQuery = NonNullable<
  NonNullable<Init<'/api/deliveries', 'get'>['params']>['query']
>;

const PAGE_MAX = 200;

/** Returns the newest `count` deliveries that match, of all webhooks unless the query names one. */
export const deliveriesOf = async (
  api: JunctionClient,
  count: number,
  query: DeliveriesQuery,
): Promise<readonly Delivery[]> => {
  const params = { query: { ...query, limit: Math.min(PAGE_MAX, count) } };
  return firstOf(count, api.items('/api/deliveries', { params }));
};

/** Returns a delivery by its id alone. @throws Failure */
export async function deliveryOf(api: JunctionClient, deliveryId: string): Promise<DeliveryDetail> {
  const params = { path: { deliveryId } };
  return api.get('/api/deliveries/{deliveryId}', { params }).catch((error: unknown) => {
    if (!(error instanceof JunctionProblem && error.status === 404)) throw error;
    throw new Failure(
      `None of your webhooks has a delivery ${deliveryId}. junction deliveries list shows what there is.`,
    );
  });
}
