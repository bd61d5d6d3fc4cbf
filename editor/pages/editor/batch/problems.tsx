// Lists the problems of the rows.
import styles from './batch.module.css';
import { messages } from './messages.ts';

const MAX_SHOWN_PROBLEMS = 50;

interface ProblemsProps {
  readonly problems: readonly { readonly id: string; readonly message: string }[];
}

export function Problems({ problems }: ProblemsProps) {
  return (
    <div role="alert" className={styles.problems}>
      <p>{messages.problems}</p>
      <ul>
        {problems.slice(0, MAX_SHOWN_PROBLEMS).map(({ id, message }) => (
          <li key={id}>{message}</li>
        ))}
      </ul>
      {problems.length > MAX_SHOWN_PROBLEMS && <p>{messages.more(problems.length - MAX_SHOWN_PROBLEMS)}</p>}
    </div>
  );
}
