import type { Log } from '@junction/kafka';
import type { DeadLetter } from '../dead-letters/dead-letter.js';

const LINE_EVERY_MS = 1_000;

/** Logs which records were set aside: the first at once, and then, in a flood, one line a second for all. */
export interface DeadLetterLog {
  add(letters: readonly DeadLetter[]): void;
  /** Logs what is not logged yet. */
  end(): void;
}

export function deadLetterLog(log: Log): DeadLetterLog {
  let unsaid: DeadLetter[] = [];
  let timer: NodeJS.Timeout | undefined;

  const say = () => {
    timer = undefined;
    if (unsaid.length === 0) return;
    log.error(factsOf(unsaid), 'consumer: dead letters');
    unsaid = [];
    timer = setTimeout(say, LINE_EVERY_MS);
  };

  return {
    add(letters) {
      unsaid.push(...letters);
      if (timer === undefined) say();
    },
    end() {
      clearTimeout(timer);
      say();
      clearTimeout(timer);
    },
  };
}

/** Returns the first letter, as an example, and the number of letters for each reason. */
function factsOf(letters: readonly DeadLetter[]): object {
  const [{ id, consumer, topic, partition, offset }] = letters as [DeadLetter];
  const reasons: Record<string, number> = {};
  for (const { reason } of letters) reasons[reason.code] = (reasons[reason.code] ?? 0) + 1;
  const first = { id, partition, offset: `${offset}` };
  return { consumer, topic, count: letters.length, reasons, first };
}
