import { readFileSync } from 'node:fs';
import path from 'node:path';
import { marked, type Tokens } from 'marked';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A block of code in a guide, and what a comment before it says about it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Reason why the block is not run. */
  readonly notRun?: string;
  readonly isEvent: boolean;
}

/** A shell block with what its reader is told to expect of it. */
export interface Step {
  readonly block: Block;
  readonly answer?: Block;
}

/**
 * Every block of a guide, in its order.
 * @throws for a comment that says something else of a block: nothing that a reader does not see may help it along.
 */
export function blocksOf(guide: string): readonly Block[] {
  const text = readFileSync(path.join(ROOT, guide), 'utf8');
  const blocks: Block[] = [];
  let comments: string[] = [];
  for (const token of marked.lexer(text)) {
    if (token.type === 'html') comments.push(...commentsIn((token as Tokens.HTML).text));
    if (token.type !== 'code') continue;
    blocks.push(blockOf(token as Tokens.Code, comments));
    comments = [];
  }
  return blocks;
}

/** The shell blocks of a guide. A block of json or text right after one is what it answers. */
export const stepsOf = (blocks: readonly Block[]): readonly Step[] =>
  blocks.flatMap((block, place) => {
    if (block.language !== 'sh' || block.notRun !== undefined) return [];
    const next = blocks[place + 1];
    return [{ block, ...(next !== undefined && isAnswer(next) && { answer: next }) }];
  });

export const isAnswer = ({ language, isEvent }: Block): boolean =>
  (language === 'json' || language === 'text') && !isEvent;

const commentsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<!--([^]*?)-->/g)].map(([, comment = '']) => comment.trim());

const NOT_RUN = 'not run:';
const EVENT = 'an event';

function blockOf({ lang = '', text }: Tokens.Code, comments: readonly string[]): Block {
  const other = comments.find((each) => each !== EVENT && !each.startsWith(NOT_RUN));
  if (other !== undefined) throw new Error(`A guide has the comment "${other}" before a block.`);
  const notRun = comments.find((each) => each.startsWith(NOT_RUN));
  return {
    language: lang,
    text,
    isEvent: comments.includes(EVENT),
    ...(notRun !== undefined && { notRun }),
  };
}
