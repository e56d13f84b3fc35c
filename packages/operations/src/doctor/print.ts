import type { Finding } from './finding.js';

/** Formats the findings for a person: a line each, and below it what to do. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, state, found, remedy }) => {
      const head = `${state.padEnd(7)}  ${check}: ${found}\n`;
      return remedy === '' ? head : `${head}         ${remedy}\n`;
    })
    .join('');
