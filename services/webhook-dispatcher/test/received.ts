import type { ReceivedRequest, Receiver } from '@junction/testing';

/** Returns the requests to this path, in the order of arrival. */
export const requestsAt = ({ requests }: Receiver, path: string): readonly ReceivedRequest[] =>
  requests.filter((one) => one.path === path);

export const idsOf = (requests: readonly ReceivedRequest[]): readonly string[] =>
  requests.map(({ headers }) => String(headers['webhook-id']));

/** The different bodies among them. */
export const bodiesOf = (requests: readonly ReceivedRequest[]): ReadonlySet<string> =>
  new Set(requests.map(({ body }) => body.toString()));
