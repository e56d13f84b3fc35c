import { Fragment, useMemo, useState } from 'react';
import { CodeBlock, type CodeBlockProps } from './code-block.js';
import { foldsOf, indentJson, isJson, partsOf } from './indent-json.js';
import classes from './json-view.module.css';

/** Lines of JSON that are coloured; a longer text is shown as it is, because each line costs elements. */
const LINES_MAX = 2_000;

/** JSON in lines, coloured, whose objects and arrays fold; any other text as it is. */
export function JsonView({ children: text, ...props }: CodeBlockProps) {
  const lines = useMemo(() => (isJson(text) ? indentJson(text).split('\n') : []), [text]);
  if (lines.length === 0) return <CodeBlock {...props}>{text}</CodeBlock>;
  if (lines.length > LINES_MAX) return <CodeBlock {...props}>{lines.join('\n')}</CodeBlock>;
  return (
    <CodeBlock {...props}>
      <Lines lines={lines} />
    </CodeBlock>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const folds = useMemo(() => foldsOf(lines), [lines]);
  const [folded, setFolded] = useState<readonly number[]>([]);
  const shown = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const end = folds.get(index);
    const isFolded = end !== undefined && folded.includes(index);
    const toggle = () =>
      setFolded(isFolded ? folded.filter((one) => one !== index) : [...folded, index]);
    shown.push(
      <Fragment key={index}>
        {index > 0 && '\n'}
        <span className={classes['line']}>
          {end !== undefined && (
            <button
              type="button"
              aria-expanded={!isFolded}
              aria-label={`Line ${index + 1}`}
              onClick={toggle}
            />
          )}
          {partsOf(line).map(({ text, kind }, n) => (
            <span key={n} data-kind={kind}>
              {text}
            </span>
          ))}
          {isFolded && ` ${end - index - 1} lines ${lines[end]?.trim()}`}
        </span>
      </Fragment>,
    );
    if (isFolded) index = end;
  }
  return shown;
}
