/** The page with other text between the lines that begin and end its part of this name. Throws when it lacks them. */
export function between(page: string, part: string, text: string): string {
  const begin = `<!-- ${part}: written by \`npm run bench -- --accept\` -->`;
  const end = `<!-- end of ${part} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`The page lacks the lines "${begin}" and "${end}" around its table.`);
  }
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}
