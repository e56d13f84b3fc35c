import { describe, expect, it } from '@jest/globals';
import { Command, Option } from 'commander';
import { candidates } from './completion.js';

describe('the candidates for a word', () => {
  it.each([
    [[''], ['webhooks', 'completion']],
    [['we'], ['webhooks']],
    [
      ['webhooks', ''],
      ['list', 'show'],
    ],
    [
      ['webhooks', 'list', '-'],
      ['--status', '--json'],
    ],
    [
      ['webhooks', 'list', '--status', ''],
      ['active', 'paused'],
    ],
    [['webhooks', 'list', '--status', 'p'], ['paused']],
    [['completion', 'z'], ['zsh']],
    [['nothing', 'there'], []],
    [[], ['webhooks', 'completion']],
  ])('%j: %j', (words, expected) => {
    expect(candidates(junction, words)).toEqual(expected);
  });
});

const list = new Command('list')
  .addOption(new Option('-s, --status <status>').choices(['active', 'paused']))
  .option('--json');
const junction = new Command('junction')
  .addCommand(new Command('webhooks').addCommand(list).addCommand(new Command('show')))
  .addCommand(
    new Command('completion').addArgument(
      new Command().createArgument('<shell>').choices(['bash', 'zsh']),
    ),
  )
  .addCommand(new Command('__complete'), { hidden: true });
