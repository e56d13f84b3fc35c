/** Standard deviation of the logarithm: with 0.5, one in thirty would take over 500 ms at a median of 200 ms. */
const SIGMA = 0.3;
const LATE_PART = 0.01;
const LATE_MS = 2_000;

/** Returns a time of the log-normal distribution with that median; one in a hundred is late. */
export function answerMs(medianMs: number): number {
  if (Math.random() < LATE_PART) return LATE_MS;
  const normal =
    Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return medianMs * Math.exp(SIGMA * normal);
}

/** Returns the mean of such times. */
export const meanAnswerMs = (medianMs: number): number =>
  (1 - LATE_PART) * medianMs * Math.exp(SIGMA ** 2 / 2) + LATE_PART * LATE_MS;
