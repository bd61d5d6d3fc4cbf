// Renders credits per day as a bar chart, which screen readers read as a list.
import { VisuallyHidden } from '../../../kit/visually-hidden.tsx';
import { formatDay } from '../../../lib/format.ts';
import styles from './credits.module.css';
import { messages } from './messages.ts';

interface DayChartProps {
  readonly days: readonly { readonly date: string; readonly credits: number }[];
}

export function DayChart({ days }: DayChartProps) {
  const max = Math.max(1, ...days.map(({ credits }) => credits));
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className={styles.chart}>
      <figcaption>
        <span>{messages.byDay}</span>
        <span>{messages.highestDay(max)}</span>
      </figcaption>
      <ol className={styles.bars}>
        {days.map(({ date, credits }) => {
          const text = messages.day(formatDate(date), credits);
          return (
            <li key={date} title={text}>
              <span className={styles.bar} style={{ height: `${(100 * credits) / max}%` }} />
              <VisuallyHidden>{text}</VisuallyHidden>
            </li>
          );
        })}
      </ol>
      <p className={styles.firstAndLastDay} aria-hidden>
        <span>{first && formatDate(first.date)}</span>
        <span>{last && formatDate(last.date)}</span>
      </p>
    </figure>
  );
}

/** Formats the date at noon UTC, because noon has the same date in nearly every time zone. */
const formatDate = (date: string): string => formatDay(Date.parse(`${date}T12:00:00Z`));
