/**
 * Promise.all that calls the others off when one fails, and waits for them: whoever cleans up afterwards must find
 * nothing that is still starting. Rejects with the first failure, because the later ones may come of it.
 */
export async function together<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
  callOff: () => void = () => undefined,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  try {
    return await Promise.all(work);
  } catch (error) {
    callOff();
    await Promise.allSettled(work);
    throw error;
  }
}
