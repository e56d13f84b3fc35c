import { readFileSync } from 'node:fs';
import path from 'node:path';
import { marked, type Tokens } from 'marked';

const GUIDES = path.resolve(import.meta.dirname, '../../../docs/guides');

/** A block of code in a guide, and what the comments before it say about it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Shell to be run before it, which readers do not see. */
  readonly given: string;
  /** The name it is to be saved under. */
  readonly file?: string;
  readonly isInBackground: boolean;
  /** Reason why the block is not run. */
  readonly notRun?: string;
  readonly isEvent: boolean;
}

/** A shell block with what its reader is told to expect of it. */
export interface Step {
  readonly block: Block;
  readonly answer?: Block;
}

/** Every block of a guide, in its order. */
export function blocksOf(guide: string): readonly Block[] {
  const text = readFileSync(path.join(GUIDES, guide), 'utf8');
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

function blockOf({ lang = '', text }: Tokens.Code, comments: readonly string[]): Block {
  const said = (start: string) =>
    comments
      .find((comment) => comment.startsWith(start))
      ?.slice(start.length)
      .trim();
  const [file, notRun] = [said('file:'), said('not run:')];
  return {
    language: lang,
    text,
    given: said('given:') ?? '',
    isInBackground: said('in the background') !== undefined,
    isEvent: said('an event') !== undefined,
    ...(file !== undefined && { file }),
    ...(notRun !== undefined && { notRun }),
  };
}
