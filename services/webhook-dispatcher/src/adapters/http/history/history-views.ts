import type { EventCatalogue } from '@junction/contracts';
import type { Ports } from '../../../application/ports.js';
import { isMatch, type Verdict } from '../../../domain/delivery/match.js';
import { pageView } from '../views.js';

/** The reason why a webhook got an event, or did not. */
const VERDICTS: Readonly<Record<Exclude<Verdict, 'pending'> | 'matched', string>> = {
  matched: 'It matched: a delivery was made.',
  held: 'It matched, but the webhook was disabled: the delivery is held, and goes out by a replay.',
  kind_not_selected: 'The webhook names neither this kind of event nor a wildcard that covers it.',
  about_itself: 'The event is about this webhook, which is told nothing of itself.',
  filtered: 'The data of the event do not pass the filter of the webhook.',
};

/** An event is judged once, so its verdict is not the status of the delivery, which is pending at first. */
function verdictView([webhookId, judged]: readonly [string, Verdict]) {
  const verdict = judged === 'pending' ? 'matched' : judged;
  return { webhook_id: webhookId, matched: isMatch(judged), verdict, detail: VERDICTS[verdict] };
}

type SeenEvents = Awaited<ReturnType<Ports['events']['page']>>;

export const eventView = <Seen extends SeenEvents['items'][number]>({
  verdicts,
  ...event
}: Seen) => ({
  ...event,
  webhooks: Object.entries(verdicts).map(verdictView),
});

/** A page says how far it has looked. Its cursor begins with that moment, in microseconds. */
export const eventPageView = (page: SeenEvents) => ({
  ...pageView(page, eventView),
  searched_back_to:
    page.nextAfter === undefined ? null : new Date(Number.parseInt(page.nextAfter, 10) / 1_000),
});

/** Every kind that a webhook can name. */
export const eventTypesView = ({ entries }: EventCatalogue) => ({
  items: entries.map(({ kind, description, isNotice, isOptIn, schema, example }) => ({
    event_type: kind,
    description,
    opt_in: isOptIn,
    notice: isNotice,
    schema,
    example,
  })),
  next_cursor: null,
});
