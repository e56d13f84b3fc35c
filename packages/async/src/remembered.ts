/**
 * Gives what asks only when the last answer is older than `freshMs` milliseconds, so that those who ask at the same
 * time share one. An answer that is a failure is remembered as long as any other.
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
