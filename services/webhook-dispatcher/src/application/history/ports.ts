import type { Tables } from '../ports.js';

type DeliveryReads = Tables['deliveries'];

/** Deliveries as their owner reads them, in the names of answers: as their statements have them. */
export type DeliveryPage = Awaited<ReturnType<DeliveryReads['page']>>;
export type DeliverySummary = DeliveryPage['items'][number];
export type DeliveryDetail = NonNullable<Awaited<ReturnType<DeliveryReads['detail']>>>;
