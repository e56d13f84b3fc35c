import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import classes from './chart.module.css';
import { type Bar, RANGES, type Range, stepWords, sum, topOf } from './steps.js';

export interface ChartProps {
  readonly bars: readonly Bar[];
  /** Names of the groups, from the bottom of a bar to its top. */
  readonly labels: readonly string[];
  /** Colour and pattern of each group: a response, or a number of the palette. */
  readonly colours: readonly string[];
  readonly range: Range;
  /** The webhook whose deliveries a bar leads to; absent: those of all webhooks. */
  readonly webhookId?: string | undefined;
}

/**
 * Stacked bars with axes; each leads to the deliveries of its time. The legend has the numbers of the bar that is
 * pointed at or has the focus, and otherwise those of the whole range. Tab goes to one bar, the arrows from bar to bar.
 */
export function Chart({ bars, labels, colours, range, webhookId }: ChartProps) {
  const [chosen, setChosen] = useState<number>();
  const bar = chosen === undefined ? undefined : bars[chosen];
  const top = topOf(Math.max(...bars.map((one) => sum(one.counts))));
  const totals = labels.map((_, n) => sum(bars.map((one) => one.counts[n] ?? 0)));
  const numbersOf = (counts: readonly number[]) =>
    labels.map((label, n) => `${label} ${(counts[n] ?? 0).toLocaleString('en')}`);
  const fromWords = ({ at }: Bar) => `From ${stepWords(at, range)}`;
  const spanOf = ({ at }: Bar) => ({
    from: at.toISOString(),
    to: new Date(at.getTime() + RANGES[range].stepMs).toISOString(),
  });
  return (
    <div>
      <div className={classes['legend']}>
        <strong>{bar ? fromWords(bar) : RANGES[range].words}</strong>
        {numbersOf(bar?.counts ?? totals).map((words, n) => (
          <span key={labels[n]} data-colour={colours[n]}>
            {words}
          </span>
        ))}
      </div>
      <div className={classes['plot']}>
        <Scale top={top} />
        <div
          className={classes['bars']}
          role="group"
          aria-label="Attempts by time"
          onPointerLeave={() => setChosen(undefined)}
          onBlur={() => setChosen(undefined)}
          onKeyDown={goToBar}
        >
          {bars.map((one, index) => (
            <Link
              key={one.at.getTime()}
              {...(webhookId === undefined
                ? { to: '/deliveries', search: spanOf(one) }
                : { to: '/webhooks/$webhookId', params: { webhookId }, search: spanOf(one) })}
              hash="deliveries"
              preload={false}
              className={classes['bar'] ?? ''}
              aria-label={`${fromWords(one)}: ${numbersOf(one.counts).join(', ')}`}
              title={numbersOf(one.counts).join(', ')}
              tabIndex={index === (chosen ?? bars.length - 1) ? 0 : -1}
              onPointerEnter={() => setChosen(index)}
              onFocus={() => setChosen(index)}
            >
              {one.counts.map((count, n) =>
                count === 0 ? null : (
                  <span
                    key={colours[n]}
                    data-colour={colours[n]}
                    style={{ height: `${(count / top) * 100}%` }}
                  />
                ),
              )}
            </Link>
          ))}
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

/** Goes to the bar beside the one that has the focus. */
function goToBar({ key, target }: KeyboardEvent): void {
  const { previousElementSibling, nextElementSibling } = target as Element;
  const next = { ArrowLeft: previousElementSibling, ArrowRight: nextElementSibling }[key];
  if (next instanceof HTMLElement) next.focus();
}

const Scale = ({ top }: { readonly top: number }) => (
  <div className={classes['scale']} aria-hidden>
    <span>{top.toLocaleString('en')}</span>
    {top > 1 && <span>{(top / 2).toLocaleString('en')}</span>}
    <span>0</span>
  </div>
);
