// Renders credits per day as a bar chart, which screen readers read as a list.
import { VisuallyHidden } from '../../../kit/visually-hidden.tsx';
import { formatDay } from '../../../lib/format.ts';
import styles from './credits.module.css';
import { messages } from './messages.ts';

interface DayChartProps {
  readonly days: readonly { readonly date: string; readonly credits: number }[];
}

export function DayChart({ days }: DayChartProps) {
  const most = Math.max(1, ...days.map(({ credits }) => credits));
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className={styles.chart}>
      <figcaption>
        <span>{messages.byDay}</span>
        <span>{messages.most(most)}</span>
      </figcaption>
      <ol className={styles.bars}>
        {days.map(({ date, credits }) => {
          const text = messages.day(nameOf(date), credits);
          return (
            <li key={date} title={text}>
              <span className={styles.bar} style={{ height: `${(100 * credits) / most}%` }} />
              <VisuallyHidden>{text}</VisuallyHidden>
            </li>
          );
        })}
      </ol>
      <p className={styles.ends} aria-hidden>
        <span>{first && nameOf(first.date)}</span>
        <span>{last && nameOf(last.date)}</span>
      </p>
    </figure>
  );
}

/** At noon it is the same day in nearly every time zone. */
const nameOf = (date: string): string => formatDay(Date.parse(`${date}T12:00:00Z`));
