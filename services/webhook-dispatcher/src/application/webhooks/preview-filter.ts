import { slices } from '@junction/async';
import { type EventCatalogue, parseExactly } from '@junction/contracts';
import { covers } from '../../domain/webhook/chosen-kinds.js';
import { type Filter, passes } from '../../domain/webhook/filter.js';
import type { DeliverySummary } from '../history/ports.js';
import type { Ports } from '../ports.js';

/** Number of deliveries that are looked at, the newest ones. */
const LOOKED_AT_MAX = 100;
/** Number of events that are tried, each of which has its body decrypted. */
const TRIED_MAX = 20;

export interface FilterTrial {
  readonly filter: Filter;
  /** Kinds and wildcards; undefined: every kind. */
  readonly events?: readonly string[] | undefined;
}

/** Event that the filter was tried with. */
export interface TriedEvent {
  readonly kind: string;
  /**
   * Id (msg_…) and time of an event that came; undefined: the catalogue's example of a kind of which none came lately.
   */
  readonly came?: { readonly messageId: string; readonly at: Date };
  readonly passes: boolean;
}

interface PreviewPorts {
  readonly catalogue: EventCatalogue;
  readonly webhooks: Pick<Ports['webhooks'], 'ids'>;
  readonly deliveries: Pick<Ports['deliveries'], 'page' | 'bodies'>;
  readonly searching: Ports['searching'];
}

/**
 * Returns which of the user's latest events pass a filter. The events are those that were sent to a webhook of the
 * user, since only their data are stored: newest first, followed by the examples of the kinds that are not among them.
 */
export const previewFilter =
  ({ catalogue, webhooks, deliveries, searching }: PreviewPorts) =>
  async (userId: string, { filter, events }: FilterTrial): Promise<readonly TriedEvent[]> => {
    const isChosen = (kind: string) =>
      events === undefined ||
      events.some((choice) => covers(choice, kind, catalogue.isOptIn(kind)));
    const ids = await webhooks.ids(userId);
    const { items } = await deliveries.page(ids, { limit: LOOKED_AT_MAX });
    const latest = firstOfEach(items.filter((item) => isChosen(item.event_type))).slice(
      0,
      TRIED_MAX,
    );
    const came = await searching(userId, () => tried(deliveries, userId, latest, filter));
    const examples = catalogue.entries
      .filter(({ kind }) => isChosen(kind) && !came.some((one) => one.kind === kind))
      .map(({ kind, example }) => ({ kind, passes: passes(filter, example) }));
    return [...came, ...examples];
  };

/** Tries the filter with one event after the other: each may have 256 kB, and takes its time to be parsed. */
async function tried(
  deliveries: PreviewPorts['deliveries'],
  userId: string,
  latest: readonly DeliverySummary[],
  filter: Filter,
): Promise<readonly TriedEvent[]> {
  const between = slices();
  const came: TriedEvent[] = [];
  for (const delivery of latest) {
    const { delivery_id: deliveryId, message_id: messageId, event_type: kind } = delivery;
    const body = (await deliveries.bodies(userId, [deliveryId])).get(deliveryId);
    if (body === undefined) continue;
    const { data } = parseExactly(body.toString()) as { readonly data: unknown };
    came.push({ kind, came: { messageId, at: delivery.created_at }, passes: passes(filter, data) });
    await between();
  }
  return came;
}

/**
 * Returns the newest delivery of each event, which may have gone to several webhooks, and to a webhook more than once.
 */
const firstOfEach = (items: readonly DeliverySummary[]): readonly DeliverySummary[] =>
  [...new Map(items.toReversed().map((item) => [item.message_id, item])).values()].toReversed();
