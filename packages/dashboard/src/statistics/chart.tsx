import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import classes from './chart.module.css';
import { type Bar, RANGES, type Range, stepWords, sum, topOf } from './steps.js';

export interface ChartProps {
  readonly bars: readonly Bar[];
  /** Names of the groups, from the bottom of a bar to its top. */
  readonly labels: readonly string[];
  /** Colour of each group: a response, or a number of the palette. */
  readonly colours: readonly string[];
  readonly range: Range;
}

const HEIGHT = 100;
const STEP = 10;
const GAP = 2;
/** Height of the smallest part, so that any count stays visible beside a far higher one. */
const PART_MIN = 2;

/**
 * Stacked bars with axes. The legend has the numbers of the bar that is pointed at, touched or reached by the arrow
 * keys, and otherwise those of the whole range.
 */
export function Chart({ bars, labels, colours, range }: ChartProps) {
  const [chosen, setChosen] = useState<number>();
  const bar = chosen === undefined ? undefined : bars[chosen];
  const counts = bar?.counts ?? labels.map((_, n) => sum(bars.map((one) => one.counts[n] ?? 0)));
  const top = topOf(Math.max(...bars.map((one) => sum(one.counts))));
  const numbers = labels.map((label, n) => `${label} ${(counts[n] ?? 0).toLocaleString('en')}`);
  const when = bar ? `From ${stepWords(bar.at, range)}` : RANGES[range].words;
  const choose = (index: number) => setChosen(Math.max(0, Math.min(bars.length - 1, index)));

  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    choose(Math.floor(((clientX - left) / width) * bars.length));
  };
  const move = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') choose((chosen ?? bars.length) - 1);
    if (key === 'ArrowRight') choose((chosen ?? -1) + 1);
  };

  return (
    <div>
      <div className={classes['legend']} role="status">
        <strong>{when}</strong>
        {numbers.map((words, n) => (
          <span key={labels[n]} data-colour={colours[n]}>
            {words}
          </span>
        ))}
      </div>
      <div className={classes['plot']}>
        <Scale top={top} />
        <div
          className={classes['bars']}
          role="img"
          aria-label={`Attempts. ${when}: ${numbers.join(', ')}. The arrow keys go from bar to bar.`}
          tabIndex={0}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={({ pointerType }) => {
            if (pointerType === 'mouse') setChosen(undefined);
          }}
          onKeyDown={move}
          onBlur={() => setChosen(undefined)}
        >
          <svg
            viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden
          >
            <path
              className={classes['grid']}
              d={`M0 0H${bars.length * STEP}M0 ${HEIGHT / 2}H${bars.length * STEP}`}
            />
            {chosen !== undefined && (
              <rect className={classes['chosen']} x={chosen * STEP} width={STEP} height={HEIGHT} />
            )}
            {bars.map((one, index) => (
              <Stack
                key={one.at.getTime()}
                bar={one}
                x={index * STEP}
                top={top}
                colours={colours}
              />
            ))}
          </svg>
        </div>
        <div className={classes['axis']} aria-hidden>
          {[bars[0], bars[Math.floor(bars.length / 2)]].map(
            (one) => one && <span key={one.at.getTime()}>{stepWords(one.at, range)}</span>,
          )}
          <span>Now</span>
        </div>
      </div>
    </div>
  );
}

const Scale = ({ top }: { readonly top: number }) => (
  <div className={classes['scale']} aria-hidden>
    <span>{top.toLocaleString('en')}</span>
    {top > 1 && <span>{(top / 2).toLocaleString('en')}</span>}
    <span>0</span>
  </div>
);

interface StackProps {
  readonly bar: Bar;
  readonly x: number;
  readonly top: number;
  readonly colours: readonly string[];
}

function Stack({ bar: { counts }, x, top, colours }: StackProps) {
  let y = HEIGHT;
  return counts.map((count, n) => {
    if (count === 0) return null;
    const height = Math.max(PART_MIN, (count / top) * HEIGHT);
    y -= height;
    return (
      <rect
        key={colours[n]}
        data-colour={colours[n]}
        x={x + GAP / 2}
        y={y}
        width={STEP - GAP}
        height={height}
      />
    );
  });
}
