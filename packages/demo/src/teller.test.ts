import { describe, expect, it } from '@jest/globals';
import { teller, wantsColour } from './teller.js';

describe('the demo in a terminal', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('has colours on %s', (_output, stream, env, expected) => {
    expect(wantsColour(stream, env)).toBe(expected);
  });

  it('numbers its steps, and tells what came back below each', () => {
    const { lines, told } = listening(false);
    told.tell('GET /api/integrations', { integrations: [] });
    told.tell('The circuit opens', 'Nothing is sent.', 'bad');
    expect(lines).toEqual([
      '\n 1. GET /api/integrations',
      '    {\n      "integrations": []\n    }',
      '\n 2. ✗ The circuit opens',
      '    Nothing is sent.',
    ]);
    expect(told.steps()).toBe(2);
  });

  it('is green where it went well', () => {
    const { lines, told } = listening(true);
    told.tell('Received', undefined, 'good');
    expect(lines).toEqual([expect.stringContaining('\u001B[32m✓\u001B[39m')]);
  });
});

function listening(inColour: boolean) {
  const lines: string[] = [];
  return { lines, told: teller((line) => void lines.push(line), inColour) };
}
