import { useQuery } from '@tanstack/react-query';
import { eventTypesQuery } from '../events/event-queries.js';
import { kindsInWords } from './event-kinds.js';

/** The kinds of event that a webhook receives, in words: `Draft created, Every meeting event`. */
export function KindsInWords({ events }: { readonly events: readonly string[] }) {
  const { data } = useQuery(eventTypesQuery);
  return <>{kindsInWords(events, data?.items ?? [])}</>;
}
