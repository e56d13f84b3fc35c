import ora from 'ora';
import { camelCased, line } from '../output.js';
import type { OpsContext } from '../world.js';
import { paced } from './progress.js';

/** Display of an operation's progress. */
export interface ProgressDisplay<Progress> {
  tell(progress: Progress): void;
  end(): void;
}

/** Words for an operation's progress. */
export interface Words<Progress> {
  /** Text until there is progress. */
  readonly title: string;
  readonly line: (progress: Progress) => string;
  /** Text for a terminal; absent: `line`. */
  readonly drawn?: (progress: Progress) => string;
}

/** Draws progress where a person watches; elsewhere a line now and then, with --json a value each time. */
export function progressDisplay<Progress extends { readonly phase: string }>(
  { json, output }: Pick<OpsContext, 'json' | 'output'>,
  words: Words<Progress>,
): ProgressDisplay<Progress> {
  if (!json && output.isTerminal) {
    const spinner = ora({ isEnabled: true }).start(words.title);
    return {
      tell(progress) {
        spinner.text = (words.drawn ?? words.line)(progress);
      },
      end: () => void spinner.stop(),
    };
  }
  return {
    tell: paced((progress) => {
      if (json) output.out(line(camelCased(progress)));
      else output.note(words.line(progress));
    }),
    end: () => undefined,
  };
}
