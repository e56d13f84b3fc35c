/**
 * Promise.all that waits for the others when one fails: whoever cleans up afterwards must find
 * nothing that is still starting.
 */
export async function together<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find(({ status }) => status === 'rejected') as
    | PromiseRejectedResult
    | undefined;
  if (failed) throw failed.reason;
  return Promise.all(work) as Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>;
}
