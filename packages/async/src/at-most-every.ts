/** Runs the first call at once; further calls within `ms` milliseconds become one call at the end of that time. */
export function atMostEvery(ms: number, action: () => void): () => void {
  let resting = false;
  let again = false;
  const run = (): void => {
    if (resting) {
      again = true;
      return;
    }
    resting = true;
    again = false;
    action();
    setTimeout(() => {
      resting = false;
      if (again) run();
    }, ms).unref();
  };
  return run;
}
