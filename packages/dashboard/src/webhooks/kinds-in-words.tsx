import { useQuery } from '@tanstack/react-query';
import { kindsInWords } from '../model/event-kinds.js';
import { eventTypesQuery } from '../model/event-queries.js';

/** The kinds of event that a webhook receives, in words: `Draft created, Every meeting event`. */
export function KindsInWords({ events }: { readonly events: readonly string[] }) {
  const { data } = useQuery(eventTypesQuery);
  return <>{kindsInWords(events, data?.items ?? [])}</>;
}
