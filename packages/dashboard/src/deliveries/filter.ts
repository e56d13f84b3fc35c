import { DELIVERY_STATUSES, type DeliveryStatus } from '../api/types.js';
import { EVENT_KINDS } from '../webhooks/event-kinds.js';

/** Which deliveries are shown. It stands in the address of the page, so that back and reload keep it. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly kind?: string | undefined;
}

/** From an address that anybody may have typed: what is no status or kind is left out. */
export function deliveryFilter({
  status,
  kind,
}: Readonly<Record<string, unknown>>): DeliveryFilter {
  const knownStatus = DELIVERY_STATUSES.find((known) => known === status);
  const knownKind = EVENT_KINDS.find(({ type }) => type === kind)?.type;
  return { ...(knownStatus && { status: knownStatus }), ...(knownKind && { kind: knownKind }) };
}
