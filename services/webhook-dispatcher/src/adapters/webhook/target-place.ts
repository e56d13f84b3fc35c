import { EgressRefusedError } from './guarded-lookup.js';
import { requestTarget, type TargetRules, targetProblem } from './target-rules.js';

/** The destination of a request. */
export interface Place {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

const REMEMBERED_MAX = 10_000;

/**
 * Checks urls and takes them apart, each once: the same ones come with every attempt. Throws
 * EgressRefusedError; the rules may be stricter than when the url was configured.
 */
export function placesOf(rules: TargetRules): (url: string) => Place {
  const remembered = new Map<string, Place>();

  return (url) => {
    const known = remembered.get(url);
    if (known) return known;
    const problem = targetProblem(url, rules);
    if (problem) throw new EgressRefusedError(problem.code, problem.message);

    const parsed = new URL(url);
    const place = { origin: parsed.origin, path: requestTarget(parsed) };
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(url, place);
    return place;
  };
}
