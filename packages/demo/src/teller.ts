import { styleText } from 'node:util';
import type { Mood, Tell } from './story.js';

type Style = Parameters<typeof styleText>[0];

const MARKS: Readonly<Record<Mood, readonly [string, Style]>> = {
  good: ['✓', 'green'],
  bad: ['✗', 'red'],
  waiting: ['…', 'yellow'],
};
const METHOD = /^(?:GET|POST|PATCH|DELETE)\b/;

export interface Teller {
  readonly tell: Tell;
  /** Returns the number of steps so far. */
  steps(): number;
  /** Prints a heading above the steps that follow. */
  headline(text: string): void;
}

/** Whether this output is looked at by somebody who wants colours (https://no-color.org). */
export const wantsColour = (
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: NodeJS.ProcessEnv,
): boolean => isTTY === true && !NO_COLOR && TERM !== 'dumb';

/** Tells steps line by line, numbered, with what came back below each. */
export function teller(print: (text: string) => void, inColour: boolean): Teller {
  const styled = (style: Style, text: string) =>
    inColour ? styleText(style, text, { validateStream: false }) : text;
  let steps = 0;
  return {
    steps: () => steps,
    headline: (text) => print(`\n${styled(['bold', 'cyan'], text)}`),
    tell(step, result, mood) {
      steps += 1;
      const [mark, style] = mood ? MARKS[mood] : ['', 'bold' as const];
      const words = step.replace(METHOD, (method) => styled('blue', method));
      const number = styled('dim', `${String(steps).padStart(2)}.`);
      print(`\n${number} ${mark && `${styled(style, mark)} `}${styled('bold', words)}`);
      if (result !== undefined) print(styled('dim', indented(result)));
    },
  };
}

const indented = (result: unknown): string =>
  (typeof result === 'string' ? result : JSON.stringify(result, null, 2)).replaceAll(/^/gm, '    ');
