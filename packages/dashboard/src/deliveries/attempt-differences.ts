import type { Attempt } from '../api/types.js';
import { httpStatus, resultWords } from '../model/result-words.js';
import { durationWords, exactWords } from '../ui/relative-words.js';

/** A thing that two attempts do not have alike, with the words of each. */
export interface Difference {
  readonly name: string;
  readonly values: readonly [string, string];
}

/** Returns what differs between two attempts of a delivery; the body of the request never does. */
export function differencesOf(one: Attempt, other: Attempt): readonly Difference[] {
  const [first, second] = [factsOf(one), factsOf(other)];
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((name) => {
    const values = [first.get(name) ?? '–', second.get(name) ?? '–'] as const;
    return values[0] === values[1] ? [] : [{ name, values }];
  });
}

/** Words of an attempt by their names, in the order in which things happen. */
function factsOf({ at, request, response_status: status, result, ...rest }: Attempt) {
  const { timing, response_headers: headers, response_sample: sample } = rest;
  return new Map([
    ['Sent', exactWords(new Date(at))],
    ['To', request?.url ?? '–'],
    ['Answer', status === null ? resultWords(result).short : httpStatus(status)],
    ['Took', durationWords(timing.total_ms)],
    ...(headers ?? []).map(({ name, value }) => [`Response header ${name}`, value] as const),
    ['Response body', sample || '–'],
  ]);
}
