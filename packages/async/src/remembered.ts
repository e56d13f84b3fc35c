/**
 * Returns a function that calls `ask` only when the last answer is older than `freshMs` milliseconds, so that callers
 * at the same time share one answer. A rejection is remembered as long as any other answer.
 */
export function remembered<T>(freshMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (answer && performance.now() - askedMs < freshMs) return answer;
    askedMs = performance.now();
    answer = ask();
    return answer;
  };
}
